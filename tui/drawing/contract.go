package drawing

import (
	"cmp"
	"slices"
)

// contract makes a web of the visible nodes. It returns the node of each vertex, and the vertex of each node, -1 for
// hidden ones.
func contract(g *Graph, hidden []bool) (w *web, nodes, vertex []int32) {
	vertex = make([]int32, len(g.Nodes))
	for v := range g.Nodes {
		vertex[v] = -1
		if (hidden == nil || !hidden[v]) && !g.Nodes[v].Inside {
			nodes = append(nodes, int32(v))
		}
	}
	for i, v := range nodes {
		vertex[v] = int32(i)
	}
	w = newWeb(len(nodes), contractArcs(g, nodes, vertex))
	if slices.ContainsFunc(w.arcs, func(a arc) bool { return a.via }) {
		w = w.reduce()
	}
	return w, nodes, vertex
}

// mostReduced is the maximum number of vertices of a web that reduce accepts, because its time is quadratic.
const mostReduced = 4096

// reduce removes paths through hidden nodes if other arcs lead to the same vertex. Connected vertices stay connected,
// with fewer lines.
func (w *web) reduce() *web {
	if w.size > mostReduced {
		return w
	}
	order := w.rows()
	place := make([]int32, w.size)
	for i, v := range order {
		place[v] = int32(i)
	}
	words := (w.size + 63) / 64
	reach := make([]uint64, words*w.size) // by vertex: the vertices that it leads to, one bit each
	kept := make([]arc, 0, len(w.arcs))
	for _, v := range slices.Backward(order) {
		mine := reach[int(v)*words : int(v+1)*words]
		out := slices.Clone(w.out[v])
		slices.SortFunc(out, func(i, j int32) int { return cmp.Compare(place[w.arcs[i].to], place[w.arcs[j].to]) })
		for _, i := range out {
			a := w.arcs[i]
			known := mine[a.to/64]&(1<<(a.to%64)) != 0
			if !a.via || a.edged || a.back || !known {
				kept = append(kept, a)
			}
			if a.back || known {
				continue
			}
			for k, word := range reach[int(a.to)*words : int(a.to+1)*words] {
				mine[k] |= word
			}
			mine[a.to/64] |= 1 << (a.to % 64)
		}
	}
	for v, loop := range w.loops {
		if loop {
			kept = append(kept, arc{from: int32(v), to: int32(v), edge: -1})
		}
	}
	return newWeb(w.size, kept)
}

// contractArcs lists the edges between visible nodes, and the paths between them through hidden nodes. A path is
// non-blocking if it contains a non-blocking edge and no other path is blocking.
func contractArcs(g *Graph, nodes, vertex []int32) []arc {
	arcs := make([]arc, 0, len(g.Edges))
	through := make([][]int32, len(g.Nodes)) // edges of a node to or from hidden nodes
	for i, e := range g.Edges {
		from, to := vertex[e.From], vertex[e.To]
		if from >= 0 && to >= 0 {
			arcs = append(arcs, arc{from: from, to: to, edge: int32(i), weak: e.NonBlocking})
		} else {
			through[e.From] = append(through[e.From], int32(i))
		}
	}
	seen := make([]int32, len(g.Nodes)) // number of the walk that visited a node, from 1
	var weak []int32
	for i, v := range nodes {
		walk := func(edges []int32, isWeak bool) {
			for len(edges) > 0 {
				n := edges[len(edges)-1]
				edges = edges[:len(edges)-1]
				e := &g.Edges[n]
				if e.NonBlocking && !isWeak {
					weak = append(weak, n)
					continue
				}
				if seen[e.To] == int32(i)+1 {
					continue
				}
				seen[e.To] = int32(i) + 1
				if to := vertex[e.To]; to < 0 {
					edges = append(edges, through[e.To]...)
				} else if to != vertex[v] {
					arcs = append(arcs, arc{from: vertex[v], to: to, edge: -1, via: true, weak: isWeak})
				}
			}
		}
		weak = weak[:0]
		walk(slices.Clone(through[v]), false)
		walk(weak, true) // reach the remaining nodes by paths with a non-blocking edge
	}
	return arcs
}
