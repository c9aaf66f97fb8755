package drawing

import (
	"cmp"
	"slices"

	"wf/graph/layered"
)

// An arc represents all edges between two vertices of a web in one direction.
type arc struct {
	from, to int32
	edge     int32 // number of the edge in the graph; -1 = a path through hidden nodes, or edges of several nodes
	weak     bool  // all its edges are non-blocking
	via      bool  // a path through hidden nodes
	edged    bool  // via, and there is also an edge
	back     bool  // leads back in the order: part of a loop
	cycle    bool  // back, and part of a cycle of blocking edges
}

// A web is the graph of a drawing. Its vertices are nodes or stages.
type web struct {
	size    int
	arcs    []arc // at most one between two vertices in each direction, and none from a vertex to itself
	loops   []bool
	out, in [][]int32 // numbers of arcs by vertex, including those that lead back
}

// newWeb merges the arcs between the same vertices, decides which of them lead back, and lists them by vertex.
func newWeb(size int, arcs []arc) *web {
	w := &web{size: size, loops: make([]bool, size)}
	slices.SortStableFunc(arcs, func(a, b arc) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	for _, a := range arcs {
		if a.from == a.to {
			w.loops[a.from] = true
			continue
		}
		if n := len(w.arcs); n > 0 && w.arcs[n-1].from == a.from && w.arcs[n-1].to == a.to {
			w.arcs[n-1].merge(a)
			continue
		}
		w.arcs = append(w.arcs, a)
	}
	w.out, w.in = make([][]int32, size), make([][]int32, size)
	for i, a := range w.arcs {
		w.out[a.from] = append(w.out[a.from], int32(i))
		w.in[a.to] = append(w.in[a.to], int32(i))
	}
	plain := w.plainArcs()
	layered.MarkBack(size, plain)
	for i := range plain {
		w.arcs[i].back = plain[i].Back
	}
	w.findCycles()
	return w
}

// merge adds another arc between the same vertices to a. The merged arc has the stronger type.
func (a *arc) merge(b arc) {
	edged := a.edged || b.edged || a.via != b.via
	if a.weak && !b.weak || a.weak == b.weak && a.via && !b.via {
		*a = b
	}
	a.edged = edged
}

// plainArcs returns the arcs in the form of package layered.
func (w *web) plainArcs() []layered.Arc {
	arcs := make([]layered.Arc, len(w.arcs))
	for i, a := range w.arcs {
		arcs[i] = layered.Arc{From: a.from, To: a.to, Weak: a.weak, Back: a.back}
	}
	return arcs
}

// rows returns an order of the vertices in which every arc leads down, except those that lead back.
func (w *web) rows() []int32 { return layered.Rows(w.size, w.plainArcs()) }

// near lists the neighbours of v by their places: the targets of its arcs if forward is set, otherwise the sources.
// Loops are included.
func (w *web) near(v int32, forward bool, place func(int32) int32) []int32 {
	arcs := w.in[v]
	if forward {
		arcs = w.out[v]
	}
	others := make([]int32, 0, len(arcs))
	for _, i := range arcs {
		others = append(others, w.arcs[i].from+w.arcs[i].to-v)
	}
	slices.SortFunc(others, func(a, b int32) int { return cmp.Compare(place(a), place(b)) })
	return others
}

// A loopTarget is the target of an arc that leads back.
type loopTarget struct {
	to    int32
	cycle bool // the loop is a cycle of blocking edges
}

// text names the target.
func (t loopTarget) text(name string) string {
	if t.cycle {
		return "cycle " + name
	}
	return name
}

// loopTargets lists, by vertex, the targets of its arcs that lead back: earlier vertices, and the vertex itself.
func (w *web) loopTargets() [][]loopTarget {
	targets := make([][]loopTarget, w.size)
	for _, a := range w.arcs {
		if a.back {
			targets[a.from] = append(targets[a.from], loopTarget{a.to, a.cycle})
		}
	}
	for v, loop := range w.loops {
		if loop {
			targets[v] = append(targets[v], loopTarget{to: int32(v)})
		}
	}
	return targets
}
