// Package layered computes the positions of the nodes of a directed graph in a drawing: in layers, so that
// edges point from one layer to a later one, with few crossings and straight lines (the method of
// Sugiyama). It only computes with numbers, without workfiles, texts and formats. The same graph always
// gives the same drawing.
package layered

import "cmp"

// An Edge leads from one node to another; both are numbers of nodes.
type Edge struct {
	From, To int
	// Weak edges are drawn against the direction where a cycle must be broken.
	Weak bool
}

// Options are distances and sizes, all in the same unit.
type Options struct {
	Length float64 // of a node along the direction of the edges
	Width  float64 // of a node across it
	Gap    float64 // between layers
	Space  float64 // between the nodes of a layer
}

// A Point is a position: Along grows in the direction of the edges, Across to the side.
type Point struct{ Along, Across float64 }

// A Drawing contains the positions of nodes and edges. No coordinate is negative.
type Drawing struct {
	Nodes []Point   // the corner of each node nearest to the origin
	Layer []int     // of each node, from 0 in its component
	Edges [][]Point // for each edge the points it passes from end to end, or nil for a loop of one node
	Size  Point     // the corner farthest from the origin
}

// Draw lays out a graph of n nodes. Components are drawn separately and put next to each other. The time
// is nearly linear, where an edge counts once for each layer that it crosses.
func Draw(n int, edges []Edge, o Options) Drawing {
	d := Drawing{Nodes: make([]Point, n), Layer: make([]int, n), Edges: make([][]Point, len(edges))}
	g := newGraph(n, edges)
	g.direct()
	g.rank()
	var shelf packer
	for _, nodes := range g.components() {
		c := g.component(nodes)
		c.order()
		c.place(o)
		c.copyTo(&d, o)
		shelf.add(nodes, c.edges, c.size(o))
	}
	d.Size = shelf.pack(&d, o)
	return d
}

// A link is an edge in the direction in which it is drawn.
type link struct {
	from, to int
	edge     int  // its number
	turned   bool // drawn against the given direction
}

// graph is the working state of Draw.
type graph struct {
	n     int
	edges []Edge
	links []link // without loops of one node
	out   [][]int
	in    [][]int // numbers of links by node
	seq   []int   // the nodes in an order in which all links point forward
	layer []int
}

func newGraph(n int, edges []Edge) *graph {
	g := &graph{n: n, edges: edges, out: make([][]int, n), in: make([][]int, n), layer: make([]int, n)}
	for i, e := range edges {
		if e.From != e.To {
			g.out[e.From] = append(g.out[e.From], len(g.links))
			g.in[e.To] = append(g.in[e.To], len(g.links))
			g.links = append(g.links, link{from: e.From, to: e.To, edge: i})
		}
	}
	return g
}

// direct puts the nodes into a sequence and turns the links that point backwards in it. A node follows the
// sources of its strong edges, and if possible those of its weak ones. If no node qualifies, as in a cycle
// of strong edges, the first remaining node is next.
func (g *graph) direct() {
	strong, weak := make([]int, g.n), make([]int, g.n)
	for _, l := range g.links {
		if g.edges[l.edge].Weak {
			weak[l.to]++
		} else {
			strong[l.to]++
		}
	}
	done := make([]bool, g.n)
	var free, almost []int // all sources are in the sequence; all except those of weak edges
	for v := range g.n {
		if strong[v] == 0 && weak[v] == 0 {
			free = append(free, v)
		} else if strong[v] == 0 {
			almost = append(almost, v)
		}
	}
	for first := 0; len(g.seq) < g.n; {
		v := 0
		switch {
		case len(free) > 0:
			v, free = free[0], free[1:]
		case len(almost) > 0:
			v, almost = almost[0], almost[1:]
		default:
			for done[first] {
				first++
			}
			v = first
		}
		if done[v] {
			continue
		}
		done[v] = true
		g.seq = append(g.seq, v)
		for _, i := range g.out[v] {
			to := g.links[i].to
			if g.edges[g.links[i].edge].Weak {
				weak[to]--
			} else {
				strong[to]--
			}
			if strong[to] == 0 && weak[to] == 0 {
				free = append(free, to)
			} else if strong[to] == 0 {
				almost = append(almost, to)
			}
		}
	}
	g.turn()
}

// turn makes all links point forward in the sequence.
func (g *graph) turn() {
	at := make([]int, g.n)
	for i, v := range g.seq {
		at[v] = i
	}
	for v := range g.n {
		g.out[v], g.in[v] = g.out[v][:0], g.in[v][:0]
	}
	for i := range g.links {
		l := &g.links[i]
		if at[l.from] > at[l.to] {
			l.from, l.to, l.turned = l.to, l.from, true
		}
		g.out[l.from] = append(g.out[l.from], i)
		g.in[l.to] = append(g.in[l.to], i)
	}
}

// rank puts each node into the layer after its last source, and nodes without sources into the layer before
// their first target, which keeps edges short.
func (g *graph) rank() {
	for _, v := range g.seq {
		for _, i := range g.in[v] {
			g.layer[v] = max(g.layer[v], g.layer[g.links[i].from]+1)
		}
	}
	for _, v := range g.seq {
		if len(g.in[v]) > 0 || len(g.out[v]) == 0 {
			continue
		}
		nearest := g.n
		for _, i := range g.out[v] {
			nearest = min(nearest, g.layer[g.links[i].to])
		}
		g.layer[v] = nearest - 1
	}
}

// components returns the nodes of each connected part, by the number of its first node.
func (g *graph) components() [][]int {
	seen := make([]bool, g.n)
	var parts [][]int
	for v := range g.n {
		if seen[v] {
			continue
		}
		seen[v] = true
		part := []int{v}
		for k := 0; k < len(part); k++ {
			for _, lists := range [][]int{g.out[part[k]], g.in[part[k]]} {
				for _, i := range lists {
					other := g.links[i].from + g.links[i].to - part[k]
					if !seen[other] {
						seen[other] = true
						part = append(part, other)
					}
				}
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// byLayer orders nodes by layer, then by number.
func (g *graph) byLayer(a, b int) int {
	return cmp.Or(cmp.Compare(g.layer[a], g.layer[b]), cmp.Compare(a, b))
}
