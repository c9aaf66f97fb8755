package picture

import (
	"strconv"
	"strings"
)

// pathEnds are the separators of the parts of names that are paths, such as ALIGN.SORT and prepare/index.
const pathEnds = ".:/"

// family returns the first parts of a name that is a path, or "" if no other part follows them.
func family(name string, parts int) string {
	for i := range len(name) {
		if strings.IndexByte(pathEnds, name[i]) >= 0 && i > 0 && i < len(name)-1 {
			if parts--; parts == 0 {
				return name[:i]
			}
		}
	}
	return ""
}

// partsOf returns the number of parts before the last one of a name.
func partsOf(name string) int {
	n := 0
	for i := range len(name) {
		if strings.IndexByte(pathEnds, name[i]) >= 0 && i > 0 && i < len(name)-1 {
			n++
		}
	}
	return n
}

// deepest returns the most parts before the last one that a name has, at most mostParts.
func deepest(vertices []Vertex) int {
	most := 0
	for i := range vertices {
		most = max(most, partsOf(vertices[i].Name))
	}
	return min(most, mostParts)
}

// mostParts is the number of parts up to which families are looked for, so that odd names do not cost much.
const mostParts = 8

// mostFamilies is the number of boxes up to which families are made, because the time is quadratic.
const mostFamilies = 1000

// families joins the boxes whose names begin with the same parts, as deep as any have that in common. Boxes that other
// boxes lie between, on a path of lines, stay apart.
func (f *folder) families(l *level) []group {
	if len(l.boxes) > mostFamilies {
		return f.merge(l, func(int) string { return "" }, nil)
	}
	depth := 0
	for b := range l.boxes {
		depth = max(depth, partsOf(l.boxes[b].name))
	}
	for ; depth > 0; depth-- {
		if groups := f.familiesAt(l, depth); len(groups) < len(l.boxes) {
			return groups
		}
	}
	return f.merge(l, func(int) string { return "" }, nil)
}

func (f *folder) familiesAt(l *level, depth int) []group {
	members := map[string][]int32{}
	var order []string
	for b := range l.boxes {
		if name := family(l.boxes[b].name, depth); name != "" && !f.apart(l, int32(b)) {
			key := strconv.Itoa(l.boxes[b].in) + " " + name
			if members[key] == nil {
				order = append(order, key)
			}
			members[key] = append(members[key], int32(b))
		}
	}
	u := newUnion(l)
	joined := map[int]string{}
	for _, key := range order {
		if boxes := members[key]; len(boxes) > 1 && u.join(boxes) {
			for _, b := range boxes {
				joined[int(b)] = key
			}
		}
	}
	return f.merge(l, func(b int) string { return joined[b] }, func(boxes []int) string {
		_, name, _ := strings.Cut(joined[boxes[0]], " ")
		return name
	})
}

// A union is a graph whose boxes can be joined without making circles.
type union struct {
	of   []int32   // the box that now stands for each box
	next [][]int32 // boxes that each box led to at first, without those that lead back
	in   [][]int32 // by standing box: its members
}

func newUnion(l *level) *union {
	n := len(l.boxes)
	u := &union{of: make([]int32, n), next: make([][]int32, n), in: make([][]int32, n)}
	for b := range n {
		u.of[b] = int32(b)
		u.in[b] = []int32{int32(b)}
	}
	for _, a := range l.arcs {
		if !a.back && a.from != a.to {
			u.next[a.from] = append(u.next[a.from], a.to)
		}
	}
	return u
}

// join joins boxes and reports true, unless a path leads from one of them over another box back to one of them.
func (u *union) join(boxes []int32) bool {
	inside := map[int32]bool{}
	for _, b := range boxes {
		inside[u.of[b]] = true
	}
	seen := map[int32]bool{}
	var todo []int32
	leave := func(standing int32) (back bool) {
		for _, b := range u.in[standing] {
			for _, to := range u.next[b] {
				switch to = u.of[to]; {
				case inside[to]:
					back = back || !inside[standing]
				case !seen[to]:
					seen[to] = true
					todo = append(todo, to)
				}
			}
		}
		return back
	}
	for b := range inside {
		leave(b)
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if leave(b) {
			return false
		}
	}
	first := u.of[boxes[0]]
	for _, b := range boxes[1:] {
		old := u.of[b]
		if old == first {
			continue
		}
		for _, member := range u.in[old] {
			u.of[member] = first
		}
		u.in[first], u.in[old] = append(u.in[first], u.in[old]...), nil
	}
	return true
}
