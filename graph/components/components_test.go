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

// TestConnected compares with the definition: two nodes are in one component exactly if edges join them, whatever their
// directions, and components are numbered in the order of their first nodes.
func TestConnected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "nodes")
		ends := rapid.SliceOfN(rapid.Int32Range(0, int32(n)-1), 2, 24).Draw(t, "ends")
		joined := make([][]bool, n)
		for v := range n {
			joined[v] = make([]bool, n)
			joined[v][v] = true
		}
		for i := 1; i < len(ends); i += 2 {
			a, b := ends[i-1], ends[i]
			joined[a][b], joined[b][a] = true, true
		}
		for via := range n {
			for v := range n {
				for w := range n {
					joined[v][w] = joined[v][w] || joined[v][via] && joined[via][w]
				}
			}
		}
		component, count := Connected(n, func(yield func(a, b int32) bool) {
			for i := 1; i < len(ends) && yield(ends[i-1], ends[i]); i += 2 {
			}
		})
		known := int32(0)
		for v := range n {
			if component[v] > known {
				t.Fatalf("%v: node %d is in %v, out of order", ends, v, component)
			}
			known = max(known, component[v]+1)
			for w := range n {
				if joined[v][w] != (component[v] == component[w]) {
					t.Fatalf("%v: nodes %d and %d are in %v", ends, v, w, component)
				}
			}
		}
		if int(known) != count {
			t.Fatalf("%v: %d components, counted %d", ends, known, count)
		}
	})
}
