package picture

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"wf/graph/components"
	"wf/graph/layered"
)

// A level is the graph at one degree of folding: what its boxes and tracks are, and their order in layers. All forms
// share it.
type level struct {
	o        *Options
	vertices []Vertex
	folded   bool
	steps    int  // folds that were tried
	rough    bool // boxes may stand for nodes that only lie at the same place
	dense    bool // some arcs are implied by others, and a level without them follows
	boxes    []node
	arcs     []arc
	implied  []int   // edges that are not drawn, because others imply them
	rank     []int32 // layer of each box
	part     []int   // component of each box, the largest first
	inside   []int   // what contains the boxes of each component; 0 = nothing, or not all are in the same

	// What lay computes.
	nets   []net
	layers *layered.Layers
	parts  [][][]int32 // points by layer, of each component
	in     [][]int32   // back nets that end at a box
	out    [][]int32   // back nets that start at a box
}

// A node is what a box shows.
type node struct {
	members []int
	name    string
	times   string
	in      int // what contains it, as of its vertices
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
	groups, members := make([]group, len(vertices)), make([]int, len(vertices))
	for v := range vertices {
		members[v] = v
		groups[v] = group{members: members[v : v+1 : v+1]}
	}
	return groupedLevel(vertices, edges, o, groups)
}

// groupedLevel returns the graph with a box for each group; together they have each vertex once.
func groupedLevel(vertices []Vertex, edges []Edge, o *Options, groups []group) *level {
	l := &level{o: o, vertices: vertices}
	of := make([]int32, len(vertices))
	l.boxes = make([]node, 0, len(groups))
	for i, g := range groups {
		b := node{members: g.members, name: g.name, in: vertices[g.members[0]].In}
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
	l.sequence()
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
		if of[a.From] != of[b.From] {
			return int(of[a.From] - of[b.From])
		}
		if of[a.To] != of[b.To] {
			return int(of[a.To] - of[b.To])
		}
		return cmp.Or(number(a.Weak)-number(b.Weak), strings.Compare(a.When, b.When))
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(kin(i, j), i-j) })
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

// sequence finds the arcs that lead back, the layer of each box, and the components.
func (l *level) sequence() {
	size := len(l.boxes)
	between, at := make([]layered.Arc, 0, len(l.arcs)), make([]int, 0, len(l.arcs))
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
	l.components()
}

// components numbers the components by their sizes, the largest first. A component that an arc leads back in may begin
// at a later layer than the first.
func (l *level) components() {
	of, count := components.Connected(len(l.boxes), func(yield func(a, b int32) bool) {
		for i := range l.arcs {
			if !yield(l.arcs[i].from, l.arcs[i].to) {
				return
			}
		}
	})
	size, bySize, number := make([]int, count), make([]int32, count), make([]int, count)
	for _, k := range of {
		size[k]++
	}
	for k := range bySize {
		bySize[k] = int32(k)
	}
	slices.SortStableFunc(bySize, func(a, b int32) int { return size[b] - size[a] })
	for i, k := range bySize {
		number[k] = i
	}
	l.part, l.parts, l.inside = make([]int, len(l.boxes)), make([][][]int32, count), make([]int, count)
	for b, k := range of {
		l.part[b] = number[k]
	}
	for b := len(l.boxes) - 1; b >= 0; b-- {
		l.inside[l.part[b]] = l.boxes[b].in
	}
	for b, k := range l.part {
		if l.boxes[b].in != l.inside[k] {
			l.inside[k] = 0
		}
	}
}

// lay bundles the arcs into nets and orders the boxes in their layers. It does nothing the second time.
func (l *level) lay() {
	if l.layers != nil {
		return
	}
	size := len(l.boxes)
	l.bundle()
	bundles := make([]layered.Bundle, 0, len(l.nets))
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
	of := make([]int, l.layers.Parts) // component of the level, by part of the layers, which know no arcs that lead back
	for b := range l.boxes {
		of[l.layers.Points[b].Part] = l.part[b]
	}
	for layer, points := range l.layers.Order {
		for _, p := range points {
			k := of[l.layers.Points[p].Part]
			for len(l.parts[k]) <= layer {
				l.parts[k] = append(l.parts[k], nil)
			}
			l.parts[k][layer] = append(l.parts[k][layer], p)
		}
	}
	for k, part := range l.parts { // a component may begin at a later layer
		l.parts[k] = slices.DeleteFunc(part, func(points []int32) bool { return len(points) == 0 })
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
