package drawing

import (
	"fmt"
	"strings"
	"testing"
)

// crowded returns n sources, n targets, each of which needs three of the sources, and nodes that need one target each.
func crowded(n int) *Graph {
	s := newSample()
	for i := range n {
		s.node(fmt.Sprintf("source%02d", i), "")
	}
	for i := range n {
		s.node(fmt.Sprintf("target%02d", i), "", fmt.Sprintf("source%02d", i), fmt.Sprintf("source%02d", (i+1)%n), fmt.Sprintf("source%02d", (i+3)%n))
	}
	for i := range n {
		s.node(fmt.Sprintf("result%02d", i), "", fmt.Sprintf("target%02d", i))
	}
	return &s.g
}

// TestCrowdedListShowsTheLanesOfItsSelection: Of a list that needs more than maxLanes lanes, only the lanes of the
// selected row are shown, and names and glyphs stay where they are whatever is selected.
func TestCrowdedListShowsTheLanesOfItsSelection(t *testing.T) {
	g := crowded(10)
	l := New(g, Options{})
	view := l.view.(*list)
	if view.lanes.star == nil {
		t.Fatal("the list is not crowded")
	}
	plain := fullGrid(l, Look{Width: 60})
	checkStar(t, view, plain)
	if text := plain.String(); strings.ContainsAny(text, "│├─") {
		t.Errorf("there are lanes without a selection:\n%s", text)
	}
	for i := range g.Nodes {
		grid := fullGrid(l, Look{Width: 60, Selected: NodeItem(i)})
		checkStar(t, view, grid)
		for r, item := range l.Items() {
			if grid.At(2, r).Item != item || grid.At(7, r).Item != item || grid.At(7, r).Text != plain.At(7, r).Text {
				t.Fatalf("glyph and name of row %d have moved:\n%s", r, grid)
			}
		}
	}
}

// TestSixLanesAreAllShown: A list is crowded if it needs more than six lanes, and not before.
func TestSixLanesAreAllShown(t *testing.T) {
	for _, lanes := range []int{maxLanes, maxLanes + 1} {
		s := newSample()
		for i := range lanes {
			s.node(fmt.Sprintf("source%d", i), "")
		}
		for i := range lanes {
			s.node(fmt.Sprintf("target%d", i), "", fmt.Sprintf("source%d", i))
			s.node(fmt.Sprintf("late%d", i), "", fmt.Sprintf("source%d", i))
		}
		l := newLanes(newWebOf(s), identity(3*lanes))
		if crowded := l.star != nil; crowded != (lanes > maxLanes) {
			t.Errorf("%d lanes: crowded %v", lanes, crowded)
		}
	}
}

// newWebOf returns the web of a sample.
func newWebOf(s *sample) *web {
	w, _, _ := contract(&s.g, nil)
	return w
}

// identity returns the numbers from 0 to n-1.
func identity(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}
