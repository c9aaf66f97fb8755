package drawing

import "testing"

// checkWeb demands that every edge between nodes that are shown is an arc of the web, once, or a loop, and
// that arcs lead from earlier to later vertices, or say that they lead back.
func checkWeb(t fataler, g *Graph, w *web, vertex []int32) {
	t.Helper()
	arcs := map[[2]int32]*arc{}
	for i := range w.arcs {
		a := &w.arcs[i]
		if a.from == a.to || arcs[[2]int32{a.from, a.to}] != nil {
			t.Fatalf("a second arc, or one to itself: %+v", a)
		}
		arcs[[2]int32{a.from, a.to}] = a
	}
	for _, e := range g.Edges {
		from, to := vertex[e.From], vertex[e.To]
		if from < 0 || to < 0 {
			continue
		}
		a := arcs[[2]int32{from, to}]
		switch {
		case from == to && !w.loops[from]:
			t.Fatalf("the loop of node %d is not there", e.From)
		case from != to && a == nil:
			t.Fatalf("the edge from %d to %d is not there", e.From, e.To)
		case from != to && !e.NonBlocking && a.weak:
			t.Fatalf("the edge from %d to %d is blocking, its arc is not", e.From, e.To)
		}
	}
	checkOrder(t, w)
}

// checkOrder demands that the order of a web has every vertex once, and arcs lead down in it unless they
// say that they lead back.
func checkOrder(t fataler, w *web) {
	t.Helper()
	place := map[int32]int{}
	for i, v := range w.rows() {
		place[v] = i
	}
	if len(place) != w.size || len(w.rows()) != w.size {
		t.Fatalf("the order has %d of %d vertices", len(place), w.size)
	}
	for _, a := range w.arcs {
		if !a.back && place[a.from] >= place[a.to] {
			t.Fatalf("%+v leads up", a)
		}
	}
}

// TestEdgeBesideHiddenPathStays: A hidden node lies between two nodes that an edge also joins: the edge is drawn
// although there is another path.
func TestEdgeBesideHiddenPathStays(t *testing.T) {
	g := &Graph{Nodes: []Node{{ID: "a", Name: "a"}, {ID: "hidden", Name: "hidden"}, {ID: "b", Name: "b"}, {ID: "c", Name: "c"}},
		Edges: []Edge{{From: 0, To: 1}, {From: 1, To: 3}, {From: 0, To: 3, NonBlocking: true}, {From: 0, To: 2}, {From: 2, To: 3}}}
	w, _, vertex := contract(g, []bool{false, true, false, false})
	checkWeb(t, g, w, vertex)
}
