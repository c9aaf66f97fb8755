package picture

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"wf/graph/layered"
	"wf/graph/stages"
)

// A group is a set of vertices that share a box.
type group struct {
	members []int // ascending
	name    string
}

// A folder makes ever fewer boxes of a graph.
type folder struct {
	vertices []Vertex
	edges    []Edge
	o        *Options
	open     map[int]bool // vertices that are drawn as boxes of their own
}

// stages makes a group of each stage. The stages of opened vertices are left apart.
func (f *folder) stages() []group {
	nodes := make([]stages.Node, len(f.vertices))
	for v := range f.vertices {
		nodes[v] = stages.Node{Name: f.vertices[v].Name, Group: f.vertices[v].Group, Command: f.vertices[v].Command}
	}
	arcs := make([]layered.Arc, 0, len(f.edges))
	for _, e := range f.edges {
		if e.From != e.To {
			arcs = append(arcs, layered.Arc{From: int32(e.From), To: int32(e.To), Weak: e.Weak})
		}
	}
	layered.MarkBack(len(nodes), arcs)
	folded, stageOf := stages.Fold(nodes, arcs)
	names := stages.Names(folded, nodes)
	apart := map[int32]bool{}
	for _, v := range f.o.Open {
		apart[stageOf[v]] = true
	}
	f.open = map[int]bool{}
	var groups []group
	for i, s := range folded {
		g := group{name: names[i]}
		for _, v := range s.Nodes {
			if g.members = append(g.members, int(v)); apart[int32(i)] {
				f.open[int(v)] = true
				groups = append(groups, group{members: []int{int(v)}})
			}
		}
		if !apart[int32(i)] {
			groups = append(groups, g)
		}
	}
	return groups
}

// alike joins the boxes of a layer that have the same name but for numbers, whatever comes before them.
func (f *folder) alike(l *level) []group {
	return f.merge(l, func(b int) string {
		return strconv.Itoa(int(l.rank[b])) + " " + stem(l.boxes[b].name)
	}, func(boxes []int) string { return stem(l.boxes[boxes[0]].name) })
}

// siblings joins the boxes with the same sources and the same targets.
func (f *folder) siblings(l *level) []group {
	around := make([][]int32, len(l.boxes))
	for _, a := range l.arcs {
		around[a.from] = append(around[a.from], a.to+1)
		around[a.to] = append(around[a.to], -a.from-1)
	}
	return f.merge(l, func(b int) string {
		if len(around[b]) == 0 {
			return ""
		}
		slices.Sort(around[b])
		return bytesOf(slices.Compact(around[b]))
	}, func(boxes []int) string {
		return stem(l.boxes[boxes[0]].name) + " +" + strconv.Itoa(len(boxes)-1)
	})
}

// merge makes a group of the boxes with the same key. Opened vertices, and boxes without a key, stay apart.
func (f *folder) merge(l *level, key func(box int) string, name func(boxes []int) string) []group {
	known := map[string]int{}
	var lists [][]int
	for b := range l.boxes {
		k := key(b)
		i, found := known[k]
		if !found || k == "" || f.open[l.boxes[b].members[0]] {
			i = len(lists)
			lists = append(lists, nil)
			if !f.open[l.boxes[b].members[0]] {
				known[k] = i
			}
		}
		lists[i] = append(lists[i], b)
	}
	groups := make([]group, len(lists))
	for i, list := range lists {
		groups[i].name = l.boxes[list[0]].name
		if len(list) > 1 {
			groups[i].name = name(list)
		}
		for _, b := range list {
			groups[i].members = append(groups[i].members, l.boxes[b].members...)
		}
		slices.Sort(groups[i].members)
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(a.members[0], b.members[0]) })
	return groups
}

// stem returns a name without the number at its end.
func stem(name string) string {
	if short := strings.TrimRight(strings.TrimRight(name, "0123456789"), "_-.~ "); short != "" {
		return short
	}
	return name
}

// levels returns the graph at each degree of folding that has fewer boxes than the one before.
func levels(vertices []Vertex, edges []Edge, o *Options) func(yield func(l *level) bool) {
	return func(yield func(l *level) bool) {
		l := newLevel(vertices, edges, o)
		if !yield(l) || o.Whole {
			return
		}
		f := &folder{vertices: vertices, edges: edges, o: o}
		for _, fold := range []func() []group{f.stages, func() []group { return f.alike(l) }, func() []group { return f.siblings(l) }} {
			if groups := fold(); len(groups) < len(l.boxes) {
				if l = groupedLevel(vertices, edges, o, groups); !yield(l) {
					return
				}
			}
		}
	}
}
