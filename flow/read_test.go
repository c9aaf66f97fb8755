package flow

import (
	"fmt"
	"testing"

	"wf/graph"
)

// plainGraph is n commands in layers of a hundred, each after two of the layer before.
func plainGraph(tb testing.TB, n int) *graph.Graph {
	tb.Helper()
	var nodes []graph.NodeSpec
	var edges []graph.EdgeSpec
	for i := range n {
		nodes = append(nodes, graph.NodeSpec{ID: fmt.Sprintf("n%d", i), Name: fmt.Sprintf("node-%d", i), Label: fmt.Sprintf("make part-%d && echo done", i), Parent: -1})
		if i >= 100 {
			edges = append(edges, graph.EdgeSpec{Source: i - 100, Target: i}, graph.EdgeSpec{Source: i - i%100 - 1, Target: i})
		}
	}
	g, err := graph.Build(nodes, edges, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

func BenchmarkReadPlain(b *testing.B) {
	g := plainGraph(b, 100_000)
	for b.Loop() {
		Read(g)
	}
}

func BenchmarkCheckPlain(b *testing.B) {
	g := plainGraph(b, 100_000)
	for b.Loop() {
		graph.Check(g)
	}
}

func TestReadOfPlainGraphIsCheap(t *testing.T) {
	g := plainGraph(t, 10_000)
	f, problems := Read(g)
	if problems != nil || !f.Plain() {
		t.Fatalf("problems %v, plain %v", problems, f.Plain())
	}
	if allocations := testing.AllocsPerRun(5, func() { Read(g) }); allocations > 20 {
		t.Errorf("%v allocations for 10,000 plain nodes", allocations)
	}
}
