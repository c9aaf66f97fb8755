package picture

import (
	"cmp"
	"slices"
	"strconv"

	"wf/graph/layered"
)

// A level is the graph at one degree of folding: what its boxes and tracks are, and their order in layers. All forms
// share it.
type level struct {
	o      *Options
	folded bool
	steps  int // folds that were tried
	boxes  []node
	arcs   []arc
	nets   []net
	layers *layered.Layers
	parts  [][][]int32 // points by layer, of each component
	part   []int       // of boxes
	rank   []int32     // layer of each box
	in     [][]int32   // back nets that end at a box
	out    [][]int32   // back nets that start at a box
}

// A node is what a box shows.
type node struct {
	members []int
	name    string
	times   string
	width   int // of the name
	after   int // width of times

	note, rows, wide int // as in Vertex
}

// An arc joins two boxes; several edges of the same kind are one.
type arc struct {
	from, to   int32
	weak, back bool
	when       string
	edges      []int
}

// A net is what becomes a track: each of its sources leads to each of its targets.
type net struct {
	sources, targets []int32
	weak, back       bool
	when             string
	label            int // width of the condition
	arcs             []int32
}

// newLevel returns the graph with a box for each vertex.
func newLevel(vertices []Vertex, edges []Edge, o *Options) *level {
	groups := make([]group, len(vertices))
	for v := range vertices {
		groups[v] = group{members: []int{v}}
	}
	return groupedLevel(vertices, edges, o, groups)
}

// groupedLevel returns the graph with a box for each group; together they have each vertex once.
func groupedLevel(vertices []Vertex, edges []Edge, o *Options, groups []group) *level {
	l := &level{o: o}
	of := make([]int32, len(vertices))
	for i, g := range groups {
		b := node{members: g.members, name: g.name}
		if len(g.members) == 1 {
			v := &vertices[g.members[0]]
			b.name, b.times = v.Name, v.Signs
			b.note, b.rows, b.wide = v.Note, v.Rows, v.Wide
		} else {
			l.folded = true
			b.times = "×" + strconv.Itoa(len(g.members))
		}
		for _, v := range g.members {
			of[v] = int32(i)
		}
		b.width, b.after = o.Measure(b.name), o.Measure(b.times)
		l.boxes = append(l.boxes, b)
	}
	l.join(edges, of)
	l.layer()
	return l
}

// join makes the arcs between boxes. What joins different vertices of a box is not drawn.
func (l *level) join(edges []Edge, of []int32) {
	order := make([]int, 0, len(edges))
	for i, e := range edges {
		if of[e.From] != of[e.To] || e.From == e.To {
			order = append(order, i)
		}
	}
	kin := func(i, j int) int {
		a, b := &edges[i], &edges[j]
		return cmp.Or(cmp.Compare(of[a.From], of[b.From]), cmp.Compare(of[a.To], of[b.To]), cmp.Compare(number(a.Weak), number(b.Weak)), cmp.Compare(a.When, b.When))
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(kin(i, j), cmp.Compare(i, j)) })
	l.arcs = make([]arc, 0, len(order))
	for len(order) > 0 {
		n := 1
		for n < len(order) && kin(order[0], order[n]) == 0 {
			n++
		}
		e := &edges[order[0]]
		l.arcs = append(l.arcs, arc{from: of[e.From], to: of[e.To], weak: e.Weak, when: e.When, edges: order[:n:n]})
		order = order[n:]
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// layer puts the boxes into layers and bundles the arcs into nets.
func (l *level) layer() {
	size := len(l.boxes)
	var between []layered.Arc
	var at []int
	for i := range l.arcs {
		if a := &l.arcs[i]; a.from != a.to {
			between, at = append(between, layered.Arc{From: a.from, To: a.to, Weak: a.weak}), append(at, i)
		} else {
			a.back = true
		}
	}
	layered.MarkBack(size, between)
	for k, i := range at {
		l.arcs[i].back = between[k].Back
	}
	l.rank = layered.Rank(size, between)
	l.bundle()
	var bundles []layered.Bundle
	for i := range l.nets {
		if n := &l.nets[i]; !n.back { // these come first
			bundles = append(bundles, layered.Bundle{Sources: n.sources, Targets: n.targets})
		}
	}
	l.layers = layered.New(l.rank, bundles, l.across())
	l.in, l.out = make([][]int32, size), make([][]int32, size)
	for i := range l.nets {
		if n := &l.nets[i]; n.back {
			l.out[n.sources[0]] = append(l.out[n.sources[0]], int32(i))
			for _, t := range n.targets {
				l.in[t] = append(l.in[t], int32(i))
			}
		}
	}
	l.components()
}

// components lists the points of each component by layer. Boxes that only back arcs join belong together too.
func (l *level) components() {
	of := make([]int, l.layers.Parts)
	for i := range of {
		of[i] = i
	}
	root := func(p int) int {
		for of[p] != p {
			p = of[p]
		}
		return p
	}
	for i := range l.nets {
		if n := &l.nets[i]; n.back {
			for _, t := range n.targets {
				a, b := root(int(l.layers.Points[n.sources[0]].Part)), root(int(l.layers.Points[t].Part))
				of[max(a, b)] = min(a, b)
			}
		}
	}
	index := map[int]int{}
	for p := range of {
		if root(p) == p {
			index[p] = len(index)
		}
	}
	l.parts = make([][][]int32, len(index))
	for layer, points := range l.layers.Order {
		for _, p := range points {
			k := index[root(int(l.layers.Points[p].Part))]
			for len(l.parts[k]) <= layer {
				l.parts[k] = append(l.parts[k], nil)
			}
			l.parts[k][layer] = append(l.parts[k][layer], p)
		}
	}
	l.part = make([]int, len(l.boxes))
	for b := range l.boxes {
		l.part[b] = index[root(int(l.layers.Points[b].Part))]
	}
	for k, part := range l.parts { // a component may begin at a later layer if back arcs alone joined its parts
		l.parts[k] = slices.DeleteFunc(part, func(points []int32) bool { return len(points) == 0 })
	}
}
