package drawing

import "testing"

// TestBlockingCyclesAreMarked: Of the arcs that lead back, only those that close a cycle of blocking edges are
// marked.
func TestBlockingCyclesAreMarked(t *testing.T) {
	for _, c := range []struct {
		name  string
		arcs  []arc
		cycle int
	}{
		{"loop", []arc{{from: 0, to: 1}, {from: 1, to: 0, weak: true}}, 0},
		{"cycle", []arc{{from: 0, to: 1}, {from: 1, to: 2}, {from: 2, to: 0}}, 1},
		{"both", []arc{{from: 0, to: 1}, {from: 1, to: 0}, {from: 1, to: 2}, {from: 2, to: 1, weak: true}}, 1},
		{"none", []arc{{from: 0, to: 1}, {from: 0, to: 2}, {from: 1, to: 2}}, 0},
	} {
		got := 0
		for _, a := range newWeb(3, c.arcs).arcs {
			if a.cycle {
				got++
			}
		}
		if got != c.cycle {
			t.Errorf("%s: %d arcs close a cycle, want %d", c.name, got, c.cycle)
		}
	}
}
