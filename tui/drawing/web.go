package drawing

import (
	"cmp"
	"slices"

	"wf/graph/stages"
)

// An arc joins two vertices of a web: what is left of the edges between them.
type arc struct {
	from, to int32
	edge     int32 // of the graph, or -1: a path through hidden nodes, or edges of several nodes
	weak     bool  // only non-blocking edges
	via      bool  // through hidden nodes
	edged    bool  // via, and beside that there is an edge
	back     bool  // against the order: part of a loop
	cycle    bool  // back, and part of a cycle of blocking edges
}

// A web is a graph to be drawn: its vertices are nodes or stages.
type web struct {
	size    int
	arcs    []arc // at most one between two vertices in each direction, none from a vertex to itself
	loops   []bool
	out, in [][]int32 // numbers of arcs, by vertex; those that lead back are in them, too
}

// newWeb joins the arcs between the same vertices, finds out which of them lead back, and lists
// them by vertex. prior decides what comes first where there is a choice.
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
	for i, back := range stages.Back(size, w.plainArcs()) {
		w.arcs[i].back = back
	}
	w.findCycles()
	return w
}

// merge takes another arc between the same vertices into a: the stronger one is shown.
func (a *arc) merge(b arc) {
	edged := a.edged || b.edged || a.via != b.via
	if a.weak && !b.weak || a.weak == b.weak && a.via && !b.via {
		*a = b
	}
	a.edged = edged
}

// plainArcs returns the arcs as package stages has them.
func (w *web) plainArcs() []stages.Arc {
	arcs := make([]stages.Arc, len(w.arcs))
	for i, a := range w.arcs {
		arcs[i] = stages.Arc{From: a.from, To: a.to, Weak: a.weak}
	}
	return arcs
}

// backs returns which arcs lead back.
func (w *web) backs() []bool {
	back := make([]bool, len(w.arcs))
	for i, a := range w.arcs {
		back[i] = a.back
	}
	return back
}

// rows puts the vertices into an order in which every arc that does not lead back leads down. See stages.Rows.
func (w *web) rows() []int32 { return stages.Rows(w.size, w.plainArcs(), w.backs()) }

// near lists the vertices that arcs lead to from v, or from which they lead to v, loops included, by
// their places.
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

// A loopTarget is where an arc leads back to.
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

// loopTargets lists, by vertex, where arcs lead back to: earlier vertices, and itself.
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
