package text_test

import (
	"fmt"
	"testing"

	"wf/graph"
	"wf/graph/text"
)

// large returns a workflow of n nodes, with commands of one and several lines, three edges for each, and attributes.
func large(b *testing.B, n int) *graph.Graph {
	nodes := make([]graph.NodeSpec, n)
	var edges []graph.EdgeSpec
	for i := range nodes {
		nodes[i] = graph.NodeSpec{ID: fmt.Sprintf("n%d", i), Key: graph.NewKey, Parent: -1, Name: fmt.Sprintf("align_S%04d", i), HasLabel: true,
			Label: fmt.Sprintf("bwa mem ref.fa S%04d.fq > S%04d.sam", i, i), X: fmt.Sprint(i), Y: "0"}
		if i%3 == 0 {
			nodes[i].Label = "set -e\nfor lane in 1 2 3; do\n  cat lane$lane.fq\ndone > all.fq"
			nodes[i].Extra = map[string]string{"retries": "2", "env": "THREADS=4\nTMPDIR=/tmp/x"}
		}
		for k := 1; k <= 3 && i-k*7 >= 0; k++ {
			edges = append(edges, graph.EdgeSpec{Key: graph.NewKey, Source: i - k*7, Target: i})
		}
	}
	g, err := graph.Build(nodes, edges, map[string]string{"jobs": "8"})
	if err != nil {
		b.Fatal(err)
	}
	return g
}

func BenchmarkWrite(b *testing.B) {
	g := large(b, 5000)
	for b.Loop() {
		data, err := text.Write(g)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(data)))
	}
}

// BenchmarkRead makes a workflow of a text, as wf new --from yaml does.
func BenchmarkRead(b *testing.B) {
	data := write(b, large(b, 5000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		read(b, data).Graph()
	}
}

// BenchmarkOver lays a text over its workflow, as wf edit text does after reading it.
func BenchmarkOver(b *testing.B) {
	g := large(b, 5000)
	wf := read(b, write(b, g))
	for b.Loop() {
		if _, err := wf.Over(g, func(*text.Node) string { return graph.NewID() }); err != nil {
			b.Fatal(err)
		}
	}
}
