package layered

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

var options = Options{Length: 100, Width: 20, Gap: 50, Space: 10}

func TestDiamondHasThreeLayers(t *testing.T) {
	d := Draw(4, []Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 3}, {From: 2, To: 3}}, options)
	want := []Position{{0, 15}, {150, 0}, {150, 30}, {300, 15}}
	if !reflect.DeepEqual(d.Nodes, want) {
		t.Errorf("nodes at %v, want %v", d.Nodes, want)
	}
	if d.Size != (Position{400, 50}) {
		t.Errorf("size %v", d.Size)
	}
	if want := []Position{{100, 25}, {150, 10}}; !reflect.DeepEqual(d.Edges[0], want) {
		t.Errorf("edge 0 -> 1 passes %v, want %v", d.Edges[0], want)
	}
}

// TestWeakEdgeOfACycleIsDrawnBackwards: The edge leads from the end of the later node to the start of the earlier
// one.
func TestWeakEdgeOfACycleIsDrawnBackwards(t *testing.T) {
	d := Draw(2, []Edge{{From: 1, To: 0, Weak: true}, {From: 0, To: 1}, {From: 0, To: 0, Weak: true}}, options)
	if d.Layer[0] != 0 || d.Layer[1] != 1 {
		t.Errorf("layers %v", d.Layer)
	}
	if want := []Position{{150, 10}, {100, 10}}; !reflect.DeepEqual(d.Edges[0], want) {
		t.Errorf("the weak edge passes %v, want %v", d.Edges[0], want)
	}
	if d.Edges[2] != nil {
		t.Errorf("the loop passes %v", d.Edges[2])
	}
}

// TestChainsAreDrawnWithoutCrossing: The ends of the two chains were given crosswise.
func TestChainsAreDrawnWithoutCrossing(t *testing.T) {
	arcs := []Arc{{From: 0, To: 3}, {From: 1, To: 2}, {From: 4, To: 0}, {From: 4, To: 1}, {From: 2, To: 5}, {From: 3, To: 5}}
	var bundles []Bundle
	for _, a := range arcs {
		bundles = append(bundles, Bundle{[]int32{a.From}, []int32{a.To}})
	}
	s := &search{Layers: New(Rank(6, arcs), bundles, nil)}
	s.listSteps()
	s.note(&s.other)
	if n := s.other.costs[0]; n != 0 {
		t.Errorf("%d crossings", n)
	}
}

func TestNodesNeverOverlapAndEdgesPointForward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "nodes")
		var edges []Edge
		for range rapid.IntRange(0, 2*n).Draw(t, "edges") {
			edges = append(edges, Edge{rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to"),
				rapid.Bool().Draw(t, "weak")})
		}
		d := Draw(n, edges, options)
		checkApart(t, d)
		checkEdges(t, d, edges)
		if again := Draw(n, edges, options); !reflect.DeepEqual(d, again) {
			t.Fatal("a second drawing differs")
		}
	})
}

// checkApart checks that nodes do not overlap and are inside the size of the drawing.
func checkApart(t *rapid.T, d Drawing) {
	const slack = 1e-6 // of sums of floating-point numbers
	for i, a := range d.Nodes {
		if a.Along < -slack || a.Across < -slack || a.Along+options.Length > d.Size.Along+slack || a.Across+options.Width > d.Size.Across+slack {
			t.Fatalf("node %d at %v is outside of %v", i, a, d.Size)
		}
		for j, b := range d.Nodes[:i] {
			if max(a.Along, b.Along)-min(a.Along, b.Along) < options.Length-slack &&
				max(a.Across, b.Across)-min(a.Across, b.Across) < options.Width-slack {
				t.Fatalf("nodes %d and %d overlap: %v %v", j, i, b, a)
			}
		}
	}
}

// checkEdges checks that edges begin and end at their nodes, and that all point forward if there are no weak
// edges and cycles.
func checkEdges(t *rapid.T, d Drawing, edges []Edge) {
	for i, e := range edges {
		if e.From == e.To {
			continue
		}
		path := d.Edges[i]
		if len(path) < 2 {
			t.Fatalf("edge %d has the points %v", i, path)
		}
		forward := d.Layer[e.From] < d.Layer[e.To]
		from, to := d.Nodes[e.From], d.Nodes[e.To]
		if forward {
			from.Along += options.Length
		} else {
			to.Along += options.Length
		}
		if path[0].Along != from.Along || path[len(path)-1].Along != to.Along {
			t.Fatalf("edge %d passes %v, its nodes are at %v and %v", i, path, from, to)
		}
		if !forward && !e.Weak && acyclic(len(d.Nodes), edges) {
			t.Fatalf("strong edge %d points backwards", i)
		}
	}
}

// acyclic reports whether the strong edges have no cycle.
func acyclic(n int, edges []Edge) bool {
	left := make(map[int]bool)
	for v := range n {
		left[v] = true
	}
	for again := true; again; {
		again = false
		for v := range n {
			free := left[v]
			for _, e := range edges {
				free = free && !(e.To == v && left[e.From] && !e.Weak)
			}
			if free {
				delete(left, v)
				again = true
			}
		}
	}
	return len(left) == 0
}

// BenchmarkDraw is a wide graph of 10,000 nodes in ten layers.
// BenchmarkFan draws two nodes, a thousand after both, and two after all of these.
func BenchmarkFan(b *testing.B) {
	const n = 1000
	var edges []Edge
	for v := range n {
		edges = append(edges, Edge{From: 0, To: v + 4}, Edge{From: 1, To: v + 4}, Edge{From: v + 4, To: 2}, Edge{From: v + 4, To: 3})
	}
	for b.Loop() {
		Draw(n+4, edges, options)
	}
}

func BenchmarkDraw(b *testing.B) {
	const n = 10000
	var edges []Edge
	for v := n / 10; v < n; v++ {
		edges = append(edges, Edge{From: v - n/10, To: v}, Edge{From: (v * 7) % (v - v%(n/10)), To: v})
	}
	for b.Loop() {
		Draw(n, edges, options)
	}
}
