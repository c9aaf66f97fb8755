package picture

import (
	"slices"
	"testing"
)

// TestZoomsDoNotFit draws a graph in each zoom in a small pane: the form is the one that the reader chose.
func TestZoomsDoNotFit(t *testing.T) {
	d := dice(3)
	vertices, edges := layeredGraph(60, 12, &d)
	forms := map[Zoom]Form{Cards: Card, Chips: Chip, Tags: Tag, Dots: Dot}
	for zoom, form := range forms {
		s := New(vertices, edges, Options{Width: 30, Height: 8, Zoom: zoom})
		if s.Form != form || s.Folded || len(s.Boxes) != len(vertices) {
			t.Errorf("zoom %d: %s, %d boxes of %d nodes", zoom, s.Form, len(s.Boxes), len(vertices))
		}
	}
	s := New(vertices, edges, Options{Width: 30, Height: 8, Zoom: Stages})
	if s.Form != Chip || !s.Folded || len(s.Boxes) >= len(vertices) {
		t.Errorf("stages: %s, %d boxes of %d nodes", s.Form, len(s.Boxes), len(vertices))
	}
}

// TestRowsKeepTheForm gives a box rows for the painter: the form and the other boxes' order stay, and the box has room.
func TestRowsKeepTheForm(t *testing.T) {
	d := dice(4)
	vertices, edges := layeredGraph(20, 5, &d)
	o := Options{Width: 120, Height: 35}
	before := New(vertices, edges, o)
	with := slices.Clone(vertices)
	with[7].Rows, with[7].Wide = 30, 44
	after := As(before.Choice, with, edges, o)
	if after.Form != before.Form || after.Down != before.Down || len(after.Boxes) != len(before.Boxes) {
		t.Fatalf("%s, %d boxes; before %s, %d boxes", after.Form, len(after.Boxes), before.Form, len(before.Boxes))
	}
	if b := after.Boxes[after.Box[7]]; b.Rows != 30 || b.W < 44 || b.H < 31 || after.Fits {
		t.Errorf("box %+v, fits %v", b, after.Fits)
	}
}

// TestOpenedStagesAreThoseOfTheirNodes opens one node, which sets the nodes of its stage apart, and no others.
func TestOpenedStagesAreThoseOfTheirNodes(t *testing.T) {
	d := dice(5)
	vertices, edges := layeredGraph(80, 20, &d)
	of := StagesOf(vertices, edges)
	s := New(vertices, edges, Options{Width: 60, Height: 20, Zoom: Stages, Open: []int{40}})
	for v := range vertices {
		alone := len(s.Boxes[s.Box[v]].Members) == 1
		single := slices.IndexFunc(of, func(n int) bool { return n == of[v] }) == v && !slices.Contains(of[v+1:], of[v])
		if alone != (of[v] == of[40] || single) {
			t.Errorf("node %d of stage %d is alone: %v; the opened stage is %d", v, of[v], alone, of[40])
		}
	}
}

// TestPlacesDecideTheOrder draws two vertices that edges do not order in the order of their places.
func TestPlacesDecideTheOrder(t *testing.T) {
	vertices := []Vertex{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	edges := []Edge{{From: 0, To: 1}, {From: 0, To: 2}}
	for _, across := range [][]float64{{0, 1, 2}, {0, 2, 1}} {
		s := New(vertices, edges, Options{Across: across})
		if b, c := s.Boxes[s.Box[1]], s.Boxes[s.Box[2]]; (b.Y < c.Y) != (across[1] < across[2]) {
			t.Errorf("places %v: b at %d, c at %d", across, b.Y, c.Y)
		}
	}
}

// TestCardsCanBecomeChips draws a scene of cards again, with chips.
func TestCardsCanBecomeChips(t *testing.T) {
	vertices, edges := []Vertex{{Name: "a"}, {Name: "b"}}, []Edge{{From: 0, To: 1}}
	s := New(vertices, edges, Options{})
	if again := As(s.Choice.Chips(), vertices, edges, Options{}); s.Form != Card || again.Form != Chip || again.H >= s.H {
		t.Errorf("%s of %d lines became %s of %d", s.Form, s.H, again.Form, again.H)
	}
}
