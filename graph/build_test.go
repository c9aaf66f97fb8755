package graph

import (
	"strconv"
	"testing"
)

// large makes the specs of a layered graph with five edges for every two nodes.
func large(nodes int) ([]NodeSpec, []EdgeSpec) {
	ns := make([]NodeSpec, nodes)
	for i := range ns {
		ns[i] = NodeSpec{ID: "node-" + strconv.Itoa(i), Key: i, Parent: -1, Label: "python3 scripts/step_" + strconv.Itoa(i%997) + ".py x", Status: "ran"}
	}
	es := make([]EdgeSpec, 0, nodes*5/2)
	for i := range nodes * 5 / 2 {
		target := 1 + i*2/5%(nodes-1)
		es = append(es, EdgeSpec{Key: i, Source: (i * 7919) % target, Target: target, Type: "blocking"})
	}
	return ns, es
}

func BenchmarkBuild(b *testing.B) {
	nodes, edges := large(100_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Build(nodes, edges, nil); err != nil {
			b.Fatal(err)
		}
	}
}
