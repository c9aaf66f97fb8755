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

// checkStageWeb demands that stages are joined as their nodes are, and that each node is in one stage.
func checkStageWeb(t fataler, s *stagesView, o Options) {
	t.Helper()
	in := map[int32]int32{}
	for i, stage := range s.stages {
		for _, v := range stage.nodes {
			if _, twice := in[v]; twice || s.of[v] != int32(i) {
				t.Fatalf("node %d is in stage %d and in %d", v, i, s.of[v])
			}
			in[v] = int32(i)
		}
	}
	for v := range s.graph.Nodes {
		if _, found := in[int32(v)]; found == (o.Hidden != nil && o.Hidden[v]) {
			t.Fatalf("node %d is in a stage: %v", v, found)
		}
	}
	checkWeb(t, &Graph{Edges: s.graph.Edges}, s.web, s.of)
}

// checkStageEdges follows the lanes of every edge between stages, where each stage has one row only.
func checkStageEdges(t fataler, s *stagesView, grid *Grid) {
	t.Helper()
	for r := range s.lanes.rows {
		if s.lanes.rows[r].hidden > 0 || s.lanes.rows[r].at == maxLanes {
			return // some lanes are not drawn
		}
	}
	row := make([]int, len(s.stages))
	for y, r := range s.rows {
		if r.item.Kind == ASteps || r.item.Kind == AMore {
			return // several stages have one row, or lines pass by texts
		}
		if r.count > 1 || len(s.stages[r.stage].nodes) == 1 {
			row[r.stage] = y
		}
	}
	for i := range s.stages {
		y, x := row[i], 2*int(s.lanes.rows[i].at)
		found := follow(grid, []cursor{{x + 1, y, 'E'}, {x - 1, y, 'W'}, {x, y + 1, 'S'}}, "SEW")
		for _, n := range s.web.out[i] {
			if a := &s.web.arcs[n]; !a.back && !found[s.order[row[a.to]]] {
				t.Fatalf("no lane leads from %q to %q:\n%s", s.stages[i].name, s.stages[a.to].name, grid)
			}
		}
	}
}

// checkFolded demands that a chip that stands for several nodes has the state of the most urgent one.
func checkFolded(t fataler, p *picture) {
	t.Helper()
	for v := range p.graph.Nodes {
		n := &p.graph.Nodes[v]
		chip := p.vertex(NodeItem(v))
		if chip >= 0 && n.State.needsPerson() && !p.states[chip].needsPerson() {
			t.Fatalf("node %d is %v, and its chip %v", v, n.State, p.states[chip])
		}
	}
}

// checkCellsUrgent demands that a cell that stands for several nodes shows the most urgent one, unless
// one of them is selected.
func checkCellsUrgent(t fataler, m *maps) {
	t.Helper()
	for v := range m.graph.Nodes {
		seen := m.seen(NodeItem(v))
		if seen == Nothing || seen == m.look.Selected {
			continue
		}
		if state, shown := m.graph.Nodes[v].State, m.graph.Nodes[seen.Index].State; Worst(shown, state) != shown {
			t.Fatalf("node %d is %v, and its cell %v", v, state, shown)
		}
	}
}

// TestStageKeepsTheLoopOfItsNode: A node with an edge to itself is in a stage with such an edge.
func TestStageKeepsTheLoopOfItsNode(t *testing.T) {
	g := &Graph{Nodes: []Node{{ID: "a", Name: "a", Command: "a"}}, Edges: []Edge{{NonBlocking: true}}}
	s := New(g, Options{View: Stages}).view.(*stagesView)
	checkStageWeb(t, s, Options{})
	if len(s.back[0]) != 1 {
		t.Errorf("the stage leads back to %q", s.back[0])
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

func TestBackEdgesDoNotDependOnStageNumbers(t *testing.T) {
	g := &Graph{Edges: []Edge{{From: 0, To: 1, NonBlocking: true}, {From: 2, To: 0}, {From: 0, To: 2}}}
	for _, name := range []string{"a", "b", "c"} {
		g.Nodes = append(g.Nodes, Node{ID: name, Name: name, Command: name})
	}
	l := New(g, Options{View: Stages})
	s := l.view.(*stagesView)
	for _, a := range s.web.arcs {
		if a.back != (a.from > a.to) {
			t.Errorf("%+v leads back: %v", a, a.back)
		}
	}
	look := Look{Width: 80, Height: 20}
	l.Show(look)
	grid := NewGrid(look.Width, look.Height)
	l.Draw(grid, Point{})
	checkStageEdges(t, s, grid)
}
