package drawing

import (
	"cmp"
	"slices"
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
	w.direct()
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

// direct puts the vertices into a sequence and finds the arcs that lead back in it. A vertex comes
// when the sources of its strong arcs have come, and if possible those of its weak ones; where
// nothing fits, as in a loop of strong arcs, which cannot run, the first one that is left comes.
func (w *web) direct() {
	strong, weak := make([]int32, w.size), make([]int32, w.size)
	for _, a := range w.arcs {
		if a.weak {
			weak[a.to]++
		} else {
			strong[a.to]++
		}
	}
	place := make([]int32, w.size)
	for v := range place {
		place[v] = -1
	}
	var free, almost []int32
	sort := func(v int32) {
		if strong[v] == 0 && weak[v] == 0 {
			free = append(free, v)
		} else if strong[v] == 0 {
			almost = append(almost, v)
		}
	}
	for v := range int32(w.size) {
		sort(v)
	}
	count, first := int32(0), int32(0)
	for int(count) < w.size {
		var v int32
		switch {
		case len(free) > 0:
			v, free = free[0], free[1:]
		case len(almost) > 0:
			v, almost = almost[0], almost[1:]
		default:
			for place[first] >= 0 {
				first++
			}
			v = first
		}
		if place[v] >= 0 {
			continue
		}
		place[v] = count
		count++
		for _, i := range w.out[v] {
			a := &w.arcs[i]
			if a.weak {
				weak[a.to]--
			} else {
				strong[a.to]--
			}
			sort(a.to)
		}
	}
	for i := range w.arcs {
		a := &w.arcs[i]
		a.back = place[a.from] > place[a.to]
	}
}

// rows puts the vertices into an order in which every arc that does not lead back leads down, and
// what follows something comes right after it where that is possible: chains stay together.
func (w *web) rows() []int32 {
	missing := make([]int32, w.size)
	for _, a := range w.arcs {
		if !a.back {
			missing[a.to]++
		}
	}
	stack := make([]int32, 0, w.size)
	for v := int32(w.size) - 1; v >= 0; v-- {
		if missing[v] == 0 {
			stack = append(stack, v)
		}
	}
	order := make([]int32, 0, w.size)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		order = append(order, v)
		for _, i := range slices.Backward(w.out[v]) {
			a := &w.arcs[i]
			if a.back {
				continue
			}
			if missing[a.to]--; missing[a.to] == 0 {
				stack = append(stack, a.to)
			}
		}
	}
	return order
}

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
