package scheduler

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"unsafe"

	"wf/graph"
)

// layered makes a graph whose nodes follow a few of the thousand nodes before them.
func layered(tb testing.TB, nodes, edges int) *graph.Graph {
	r := rand.New(rand.NewPCG(1, 2))
	ns := make([]graph.NodeSpec, nodes)
	for i := range ns {
		ns[i] = graph.NodeSpec{ID: "node-" + strconv.Itoa(i), Key: i, Parent: -1, Label: "true"}
	}
	es := make([]graph.EdgeSpec, edges)
	for i := range es {
		target := 1 + r.IntN(nodes-1)
		es[i] = graph.EdgeSpec{Key: i, Source: max(0, target-1-r.IntN(1000)), Target: target}
	}
	g, err := graph.Build(ns, es, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// finishAll executes everything at once, in the order of the Execute effects.
func finishAll(r *Run) (ended bool) {
	type execution struct{ node, number int32 }
	queue := make([]execution, 0, r.NodeCount())
	take := func(effects []Effect) {
		for _, e := range effects {
			switch e.Kind {
			case Execute:
				queue = append(queue, execution{int32(e.Node), int32(e.Execution)})
			case Ended:
				ended = true
			}
		}
	}
	take(r.Step(Event{Kind: Start}))
	for i := 0; i < len(queue); i++ {
		node, number := int(queue[i].node), int(queue[i].number)
		take(r.Step(Event{Kind: Dispatched, Node: node}))
		take(r.Step(Event{Kind: Finished, Node: node, Execution: number, OK: true}))
	}
	return ended
}

const benchNodes, benchEdges = 100_000, 250_000

func BenchmarkNewRun(b *testing.B) {
	g := layered(b, benchNodes, benchEdges)
	scope, _ := Choose(g, Request{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewRun(g, scope, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchEdges, "ns/edge")
}

func BenchmarkRun(b *testing.B) {
	g := layered(b, benchNodes, benchEdges)
	scope, _ := Choose(g, Request{})
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		r, err := NewRun(g, scope, Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if !finishAll(r) {
			b.Fatal("did not end")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchEdges, "ns/edge")
}

// TestStepAllocatesNothing checks that a long run makes no garbage: a loop needs no more memory
// after its first round.
func TestStepAllocatesNothing(t *testing.T) {
	g, err := parseGraph("S -> A -> B ~> A\nB -> C\nS -> C")
	if err != nil {
		t.Fatal(err)
	}
	scope, _ := Choose(g, Request{})
	r, err := NewRun(g, scope, Options{MaxActivations: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	serve := func(id string) {
		i, _ := r.Index(id)
		r.Step(Event{Kind: Dispatched, Node: i})
		r.Step(Event{Kind: Finished, Node: i, Execution: r.Executions(i), OK: true})
	}
	r.Step(Event{Kind: Start})
	serve("S")
	serve("A")
	serve("B")
	if allocs := testing.AllocsPerRun(100, func() { serve("A"); serve("B") }); allocs > 0 {
		t.Errorf("%v allocations for each round of the loop", allocs)
	}
}

// TestNodeIsSmall checks the size of a node: a plain run visits 100,000 of them at random, two in a cache line.
func TestNodeIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(node{}); size > 32 {
		t.Errorf("a node has %d bytes", size)
	}
}
