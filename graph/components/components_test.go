package components

import (
	"testing"

	"pgregory.net/rapid"
)

// TestOf compares with the definition: two nodes are in one component exactly if each reaches the
// other, and a component has a higher number than those it leads to.
func TestOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "nodes")
		next := make([][]int, n)
		reach := make([][]bool, n)
		first, targets := []int32{0}, []int32{}
		for v := range n {
			reach[v] = make([]bool, n)
			reach[v][v] = true
			next[v] = rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 3).Draw(t, "targets")
			for _, w := range next[v] {
				reach[v][w] = true
				targets = append(targets, int32(w))
			}
			first = append(first, int32(len(targets)))
		}
		for via := range n {
			for v := range n {
				for w := range n {
					reach[v][w] = reach[v][w] || reach[v][via] && reach[via][w]
				}
			}
		}
		component, count := Of(first, targets)
		used := map[int32]bool{}
		for v := range n {
			used[component[v]] = true
			for w := range n {
				together := reach[v][w] && reach[w][v]
				if together != (component[v] == component[w]) || reach[v][w] && component[v] < component[w] {
					t.Fatalf("%v: nodes %d and %d are in %v", next, v, w, component)
				}
			}
		}
		if len(used) != count {
			t.Fatalf("%v: %d components, counted %d", next, len(used), count)
		}
	})
}
