package scheduler

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"wf/graph"
)

// newRun prepares a fresh run of everything in a graph as parseGraph reads it.
func newRun(t *testing.T, text string, opt Options) (*Run, error) {
	t.Helper()
	g, err := parseGraph(text)
	if err != nil {
		t.Fatal(err)
	}
	scope, err := Choose(g, Request{Mode: Fresh})
	if err != nil {
		t.Fatal(err)
	}
	return NewRun(g, scope, opt)
}

func mustRun(t *testing.T, text string) *Run {
	t.Helper()
	r, err := newRun(t, text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestNewRunErrors(t *testing.T) {
	for _, test := range []struct {
		graph string
		want  error
		text  string
	}{
		{"A -> B -> C -> A", &CycleError{[]string{"A", "B", "C"}, []int{0, 1, 2}}, "blocking cycle: A -> B -> C -> A"},
		{"A\nB -> B", &CycleError{[]string{"B"}, []int{0}}, "blocking cycle: B -> B"},
		{"A!\nB", &NoCommandError{[]string{"A"}}, "node A has no command"},
		{"A! -> B!\nC!", &NoCommandError{[]string{"A", "B", "C"}}, "node A and 2 others have no command"},
	} {
		_, err := newRun(t, test.graph, Options{})
		if !reflect.DeepEqual(err, test.want) || err.Error() != test.text {
			t.Errorf("%q: %#v %v, want %s", test.graph, err, err, test.text)
		}
	}
	var none *CycleError
	if _, err := newRun(t, "A -> B ~> A", Options{}); errors.As(err, &none) || err != nil {
		t.Errorf("a loop: %v", err)
	}
}

// TestImpossibleEventsPanic: impossible events are bugs of the caller, and the message says so.
func TestImpossibleEventsPanic(t *testing.T) {
	begun := []Event{{Kind: Start}}
	started := append(slices.Clone(begun), Event{Kind: Dispatched})
	finished := append(slices.Clone(started), Event{Kind: Finished, Execution: 1, OK: true})
	for name, events := range map[string][]Event{
		"before Begin":        {{Kind: Stop}},
		"second Begin":        append(slices.Clone(begun), Event{Kind: Start}),
		"unknown kind":        append(slices.Clone(begun), Event{}),
		"dispatched twice":    append(slices.Clone(started), Event{Kind: Dispatched}),
		"started, not handed": append(slices.Clone(begun), Event{Kind: Started}),
		"started twice":       append(slices.Clone(started), Event{Kind: Started}, Event{Kind: Started}),
		"withdrawn, running":  append(slices.Clone(started), Event{Kind: Started}, Event{Kind: Withdrawn, Execution: 1}),
		"withdrawn, queued":   append(slices.Clone(begun), Event{Kind: Withdrawn}),
		"dispatched idle":     append(slices.Clone(begun), Event{Kind: Dispatched, Node: 1}),
		"finished, not begun": append(slices.Clone(begun), Event{Kind: Finished, Execution: 1}),
		"finished twice":      append(slices.Clone(finished), Event{Kind: Finished, Execution: 1}),
		"wrong execution":     append(slices.Clone(started), Event{Kind: Finished, Execution: 2}),
	} {
		t.Run(name, func(t *testing.T) {
			r := mustRun(t, "A -> B")
			for _, ev := range events[:len(events)-1] {
				r.Step(ev)
			}
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "internal error: scheduler: ") {
					t.Errorf("panic %q", text)
				}
			}()
			r.Step(events[len(events)-1])
			t.Error("it was taken")
		})
	}
}

// TestRunIgnoresLaterEdits: edits of the graph after NewRun do not change the run.
func TestRunIgnoresLaterEdits(t *testing.T) {
	g, err := parseGraph("A -> B -> C")
	if err != nil {
		t.Fatal(err)
	}
	scope, _ := Choose(g, Request{})
	r, err := NewRun(g, scope, Options{})
	if err != nil {
		t.Fatal(err)
	}
	g.SetStatus(g.Node("C"), graph.Failed)
	for _, id := range []string{"A", "B"} {
		if _, _, err := g.Apply(graph.RemoveNode{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	if !finishAll(r) || r.Counts() != (Counts{Ran: 3}) {
		t.Errorf("counts %+v", r.Counts())
	}
}

func TestQueries(t *testing.T) {
	r := mustRun(t, "A -> B -> C ~> B\nX ~> A")
	if r.Mode() != Fresh || r.NodeCount() != 4 || r.EdgeCount() != 4 {
		t.Errorf("%v run of %d nodes and %d edges", r.Mode(), r.NodeCount(), r.EdgeCount())
	}
	for i, id := range []string{"A", "B", "C", "X"} {
		if at, ok := r.Index(id); at != i || !ok || r.Path(i) != id {
			t.Errorf("node %s has index %d %v, and %d is %s", id, at, ok, i, r.Path(i))
		}
	}
	if _, ok := r.Index("nobody"); ok {
		t.Error("nobody is in scope")
	}
	if source, target := r.EdgeEnds(2); source != 2 || target != 1 || r.EdgeKey(2) != 2 {
		t.Errorf("edge 2 has key %d and leads from %d to %d", r.EdgeKey(2), source, target)
	}
	if b, x := r.LoopOf(1), r.LoopOf(3); !slices.Equal(b, []int{1, 2}) || !slices.Equal(x, []int{3}) {
		t.Errorf("loops %v and %v", b, x)
	}
}

// TestWithdrawnExecuteIsNotWanted: after a withdrawal only the next Execute is wanted.
func TestWithdrawnExecuteIsNotWanted(t *testing.T) {
	r := mustRun(t, "A ~> C\nB ~> C")
	serve := func(node int) {
		r.Step(Event{Kind: Dispatched, Node: node})
		r.Step(Event{Kind: Finished, Node: node, Execution: r.Executions(node), OK: true})
	}
	const a, c, b = 0, 1, 2
	r.Step(Event{Kind: Start})
	if !r.Wants(a, 1) || r.Wants(a, 2) || r.Wants(c, 1) {
		t.Errorf("at first A #1 %v, A #2 %v, C #1 %v", r.Wants(a, 1), r.Wants(a, 2), r.Wants(c, 1))
	}
	serve(a)
	r.Step(Event{Kind: CancelNode, Node: c})
	if r.Wants(a, 1) || r.Wants(c, 1) || r.Reason(c) != ReasonCancelled {
		t.Errorf("then A #1 %v, C #1 %v, reason %q", r.Wants(a, 1), r.Wants(c, 1), r.Reason(c))
	}
	serve(b)
	if !r.Wants(c, 1) || r.Reason(c) != "" {
		t.Errorf("at last C #1 %v, reason %q", r.Wants(c, 1), r.Reason(c))
	}
}
