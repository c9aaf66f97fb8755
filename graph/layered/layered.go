// Package layered draws directed graphs in layers, so that arcs point from one layer to a later one, with few
// crossings (the method of Sugiyama). MarkBack, Rank and New are the steps that all drawings need: which arcs lead
// back, the layer of each vertex, and the order in each layer. Draw adds coordinates for boxes of any size. The
// package only computes with numbers, without workfiles, texts and formats. The same graph always gives the same
// drawing.
package layered

import "slices"

// An Edge leads from one node to another; both are numbers of nodes.
type Edge struct {
	From, To int
	Weak     bool // drawn against the direction where a cycle must be broken
}

// Options are distances and sizes, all in the same unit.
type Options struct {
	Length float64 // of a node along the direction of the edges
	Width  float64 // of a node across it
	Gap    float64 // between layers
	Space  float64 // between the nodes of a layer
}

// A Position is a place in a drawing: Along grows in the direction of the arcs, Across to the side.
type Position struct{ Along, Across float64 }

// A Drawing contains the positions of vertices and arcs. No coordinate is negative.
type Drawing struct {
	Nodes []Position   // the corner of each node nearest to the origin
	Layer []int        // of each node, from 0 in its component
	Edges [][]Position // for each edge the positions it passes from end to end, or nil for a loop of one node
	Size  Position     // the corner farthest from the origin
}

// Draw lays out a graph of n nodes. Components are drawn separately and put next to each other. The time is nearly
// linear, where an edge counts once for each layer that it crosses.
func Draw(n int, edges []Edge, o Options) Drawing {
	d := Drawing{Nodes: make([]Position, n), Layer: make([]int, n), Edges: make([][]Position, len(edges))}
	var arcs []Arc
	var number []int // of the edge, by arc: loops of one node have no arc
	for i, e := range edges {
		if e.From != e.To {
			arcs, number = append(arcs, Arc{From: int32(e.From), To: int32(e.To), Weak: e.Weak}), append(number, i)
		}
	}
	MarkBack(n, arcs)
	turned, bundles := make([]bool, len(arcs)), make([]Bundle, len(arcs))
	for i := range arcs {
		a := &arcs[i]
		if turned[i] = a.Back; a.Back {
			a.From, a.To, a.Back = a.To, a.From, false
		}
		bundles[i] = Bundle{[]int32{a.From}, []int32{a.To}}
	}
	l := New(Rank(n, arcs), bundles, nil)
	across, sizes := l.place(o)
	corners, size := pack(sizes, o)
	d.Size = size
	at := func(p int32) Position {
		x := &l.Points[p]
		corner := corners[x.Part]
		return Position{corner.Along + float64(x.Layer)*(o.Length+o.Gap), corner.Across + across[p]}
	}
	for v := range n {
		d.Nodes[v], d.Layer[v] = at(int32(v)), int(l.Points[v].Layer)
	}
	for _, a := range l.Links { // in the order of the bundles, and of each from left to right
		from, to := at(a.Left[0]), at(a.Right[0])
		path := &d.Edges[number[a.Bundle]]
		*path = append(*path, Position{from.Along + o.Length, from.Across + o.Width/2}, Position{to.Along, to.Across + o.Width/2})
	}
	for i, n := range number {
		if turned[i] {
			slices.Reverse(d.Edges[n])
		}
	}
	return d
}
