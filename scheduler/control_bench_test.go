package scheduler

import (
	"fmt"
	"runtime"
	"testing"

	"wf/graph"
)

// cost runs a workflow in which everything succeeds at once, and returns how many nodes it had in the end,
// and its allocations.
func cost(tb testing.TB, text string) (nodes int, allocs, bytes float64) {
	g, err := parseGraph(text)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := readFlow(g)
	if err != nil {
		tb.Fatal(err)
	}
	scope := Scope{Mode: Fresh, Nodes: runnable(g), All: true}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := NewRun(g, scope, Options{Flow: f})
	if err != nil {
		tb.Fatal(err)
	}
	if !finishAll(r) {
		tb.Fatal("did not end")
	}
	runtime.ReadMemStats(&after)
	if r.result() != Succeeded {
		tb.Fatal(r.result())
	}
	return r.NodeCount(), float64(after.Mallocs - before.Mallocs), float64(after.TotalAlloc - before.TotalAlloc)
}

func manyItems(n int) string {
	return fmt.Sprintf("A -> [G] -> B\nG/x -> G/y -> G/z\nG/x -case:q-> G/q -> G/z\nG: times=%d\n", n)
}

func manyIterations(n int) string {
	return fmt.Sprintf("[G] -> B\nG/x -> G/y\nG: while=iteration < %d; max_iterations=%d\n", n, n+1)
}

func threeLevels(n int) string {
	return fmt.Sprintf("[G] -> B\n[G/H]\n[G/H/K]\nG/s -> G/H -> G/e\nG/H/a -> G/H/K\nG/H/K/p -> G/H/K/q\nG: times=%d\nG/H: while=iteration < 10\nG/H/K: times=10\n", n)
}

// TestCostIsLinear compares the cost of an instance with that in a workflow with a tenth as many.
func TestCostIsLinear(t *testing.T) {
	for _, test := range []struct {
		name string
		text func(n int) string
		n    int
	}{
		{"items", manyItems, 10_000},
		{"iterations", manyIterations, 1_000},
		{"levels", threeLevels, 100},
	} {
		t.Run(test.name, func(t *testing.T) {
			few, fewAllocs, fewBytes := cost(t, test.text(test.n/10))
			many, manyAllocs, manyBytes := cost(t, test.text(test.n))
			t.Logf("%d nodes: %.1f allocations and %.0f bytes each; %d nodes: %.1f and %.0f", few, fewAllocs/float64(few), fewBytes/float64(few),
				many, manyAllocs/float64(many), manyBytes/float64(many))
			if perFew, perMany := fewAllocs/float64(few), manyAllocs/float64(many); perMany > 1.3*perFew+1 {
				t.Errorf("%.1f allocations for each of %d nodes, %.1f for each of %d", perFew, few, perMany, many)
			}
			if perFew, perMany := fewBytes/float64(few), manyBytes/float64(many); perMany > 2*perFew {
				t.Errorf("%.0f bytes for each of %d nodes, %.0f for each of %d", perFew, few, perMany, many)
			}
		})
	}
}

// TestLongDeadPathEnds makes a path of 100,000 nodes dead, forwards and in a resume.
func TestLongDeadPathEnds(t *testing.T) {
	const length = 100_000
	nodes := []graph.NodeSpec{{ID: "A", Label: "true", Parent: -1}}
	edges := []graph.EdgeSpec{{Source: 0, Target: 1, Extra: map[string]string{"when": "failure"}}}
	for i := 1; i <= length; i++ {
		nodes = append(nodes, graph.NodeSpec{ID: fmt.Sprint("n", i), Label: "true", Parent: -1})
		if i > 1 {
			edges = append(edges, graph.EdgeSpec{Source: i - 1, Target: i})
		}
	}
	g, err := graph.Build(nodes, edges, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := readFlow(g)
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Flow: f}
	d := newDriver(t, g, opt, nil)
	d.end = func(*Run, int, int) Event { return Event{OK: true} }
	for _, mode := range []Mode{Fresh, Resume} {
		if err := d.begin(Scope{Mode: mode, Nodes: runnable(g), All: true}, 0); err != nil {
			t.Fatal(err)
		}
		d.untilEnd()
		if c := d.run.Counts(); c.Skipped != length || c.Ran != 1 || d.run.result() != Succeeded {
			t.Errorf("%v: %+v", mode, c)
		}
		// The next run only knows that A has executed.
		for i := 1; i <= length; i++ {
			g.SetStatus(g.Nodes()[i], graph.Idle)
		}
	}
}

func benchmarkCost(b *testing.B, text string) {
	b.ReportAllocs()
	nodes := 0
	for b.Loop() {
		nodes, _, _ = cost(b, text)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
}

func BenchmarkItems1000(b *testing.B)      { benchmarkCost(b, manyItems(1000)) }
func BenchmarkItems10000(b *testing.B)     { benchmarkCost(b, manyItems(10_000)) }
func BenchmarkIterations100(b *testing.B)  { benchmarkCost(b, manyIterations(100)) }
func BenchmarkIterations1000(b *testing.B) { benchmarkCost(b, manyIterations(1000)) }
func BenchmarkLevels10(b *testing.B)       { benchmarkCost(b, threeLevels(10)) }
func BenchmarkLevels100(b *testing.B)      { benchmarkCost(b, threeLevels(100)) }
