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
		nodes[v] = stages.Node{Name: f.vertices[v].Name, Group: f.vertices[v].Group, Command: f.vertices[v].Command, In: int32(f.vertices[v].In)}
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
		return strconv.Itoa(int(l.rank[b])) + " " + strconv.Itoa(l.boxes[b].in) + " " + stem(l.boxes[b].name)
	}, func(boxes []int) string { return stem(l.boxes[boxes[0]].name) })
}

// A kinship says what boxes must have in common to share a box.
type kinship uint8

const (
	siblings    kinship = iota // sources and targets
	sameSources                // sources, and the layer
	sameTargets                // targets, and the layer
	sameSpan                   // the layer, and that of the last target
	sameLayer                  // the layer
)

// kin joins the boxes that are related.
func (f *folder) kin(l *level, k kinship) []group {
	around, last := make([][]int32, len(l.boxes)), make([]int32, len(l.boxes))
	for _, a := range l.arcs {
		if k != sameSources {
			around[a.from] = append(around[a.from], a.to+1)
		}
		if k != sameTargets {
			around[a.to] = append(around[a.to], -a.from-1)
		}
		last[a.from] = max(last[a.from], l.rank[a.to])
	}
	return f.merge(l, func(b int) string {
		if len(around[b]) == 0 {
			return ""
		}
		slices.Sort(around[b])
		key := slices.Compact(around[b])
		switch k {
		case sameSources, sameTargets:
			key = append(key, 0, l.rank[b])
		case sameSpan:
			key = []int32{int32(l.part[b]), l.rank[b], last[b]}
		case sameLayer:
			key = []int32{int32(l.part[b]), l.rank[b]}
		}
		return string(appendBytes(nil, key))
	}, func(boxes []int) string {
		return head(l.boxes[boxes[0]].name) + " +" + strconv.Itoa(len(boxes)-1)
	})
}

// head returns the stem of the first name in the name of a box that stands for several.
func head(name string) string {
	if i := strings.LastIndex(name, " +"); i > 0 {
		name = name[:i]
	}
	first, _, _ := strings.Cut(name, "→")
	return stem(first)
}

// chains joins each box with the one that follows it, if nothing else does and that one follows nothing else.
func (f *folder) chains(l *level) []group {
	next, before := make([]int32, len(l.boxes)), make([]int32, len(l.boxes)) // -1 = none, -2 = several
	for b := range l.boxes {
		next[b], before[b] = -1, -1
	}
	only := func(at *int32, box int32) {
		if *at == -1 || *at == box {
			*at = box
		} else {
			*at = -2
		}
	}
	for _, a := range l.arcs {
		if a.back || a.when != "" { // loops and conditions stay visible
			only(&next[a.from], -2)
			only(&before[a.to], -2)
			continue
		}
		only(&next[a.from], a.to)
		only(&before[a.to], a.from)
	}
	first := func(b int32) int32 {
		for p := before[b]; p >= 0 && next[p] == b && !f.apart(l, b) && !f.apart(l, p); p = before[b] {
			b = p
		}
		return b
	}
	return f.merge(l, func(b int) string { return strconv.Itoa(int(first(int32(b)))) }, func(boxes []int) string {
		slices.SortFunc(boxes, func(a, b int) int { return int(l.rank[a] - l.rank[b]) })
		return head(l.boxes[boxes[0]].name) + "→" + head(l.boxes[boxes[len(boxes)-1]].name)
	})
}

// apart reports whether a box stays as it is.
func (f *folder) apart(l *level, b int32) bool { return f.open[l.boxes[b].members[0]] }

// merge makes a group of the boxes with the same key. Opened vertices, and boxes without a key, stay apart.
func (f *folder) merge(l *level, key func(box int) string, name func(boxes []int) string) []group {
	known := map[string]int{}
	var lists [][]int
	for b := range l.boxes {
		k := key(b)
		i, found := known[k]
		if !found || k == "" || f.apart(l, int32(b)) {
			i = len(lists)
			lists = append(lists, nil)
			if !f.apart(l, int32(b)) {
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

// levels returns the graph at each degree of folding that has fewer boxes or lines than the one before.
func levels(vertices []Vertex, edges []Edge, o *Options) func(yield func(l *level) bool) {
	return func(yield func(l *level) bool) {
		l := newLevel(vertices, edges, o)
		if !yield(l) || o.Whole {
			return
		}
		f := &folder{vertices: vertices, edges: edges, o: o}
		kin := func(k kinship) func() []group { return func() []group { return f.kin(l, k) } }
		chains := func() []group { return f.chains(l) }
		folds := []func() []group{f.stages}
		for range deepest(vertices) {
			folds = append(folds, func() []group { return f.families(l) })
		}
		folds = append(folds, func() []group { return f.alike(l) })
		again := []func() []group{kin(siblings), chains, kin(sameSources), kin(sameTargets)}
		folds = append(folds, slices.Concat(again, again, again)...)
		folds = append(folds, kin(sameSpan), kin(siblings), chains, kin(sameLayer))
		fine := 1 + deepest(vertices)
		for i, fold := range folds {
			groups := fold()
			if len(groups) >= len(l.boxes) {
				continue
			}
			l = groupedLevel(vertices, edges, o, groups)
			l.steps, l.rough = i+1, i >= fine
			r := l.reduced()
			l.dense = r != nil
			if !yield(l) || r != nil && !yield(r) {
				return
			}
		}
	}
}
