package scheduler

import (
	"fmt"
	"slices"
	"testing"
)

// announced are the executions that Lookahead has yielded in a run, and their ends.
type announced struct {
	after map[Source][]Source
	ended map[Source]bool // whether it has succeeded
	asked map[Source]bool // by an Execute effect
}

func newPromises() announced {
	return announced{map[Source][]Source{}, map[Source]bool{}, map[Source]bool{}}
}

// noteLookahead notes what Lookahead yields now. Two calls must yield the same, each execution after its sources.
func (tr *randomRuns) noteLookahead() {
	p := &tr.promises
	inFlight := func(s Source) bool {
		return (slices.Contains(tr.handed, s.Node) || slices.Contains(tr.running, s.Node)) && tr.run.Executions(s.Node) == s.Execution
	}
	seen := map[Source]bool{}
	twin := upcoming(tr.twin)
	for at, f := range upcoming(tr.run) {
		if at >= len(twin) || twin[at].Node != f.Node || !slices.Equal(twin[at].After, f.After) {
			tr.failf("the same events announce %v and %v", upcoming(tr.run), twin)
		}
		id := Source{f.Node, f.Execution}
		if len(f.After) == 0 || seen[id] || p.asked[id] {
			tr.failf("%v is upcoming: before %v, asked for %v", f, seen[id], p.asked[id])
		}
		for _, s := range f.After {
			if !inFlight(s) && !seen[s] {
				tr.failf("%v is upcoming after %v, which is neither in flight nor upcoming", f, s)
			}
		}
		seen[id] = true
		p.after[id] = f.After
	}
}

// upcoming lists what Lookahead yields.
func upcoming(r *Run) (list []Upcoming) {
	for f := range r.Lookahead() {
		f.After = slices.Clone(f.After)
		list = append(list, f)
	}
	return list
}

// hold compares the effects of an event with what was yielded: an Execute comes with the event with
// which its last source has succeeded, and never if a source has not. Whatever a Foreseen success leads to was yielded before.
func (tr *randomRuns) hold(ev Event, effects []Effect) {
	p := &tr.promises
	asked := map[Source]bool{}
	for _, e := range effects {
		if e.Kind == Execute {
			id := Source{e.Node, e.Execution}
			asked[id], p.asked[id] = true, true
		}
	}
	for id := range asked {
		if ev.Kind == Finished && ev.OK && tr.run.Foreseen(ev.Node) && p.after[id] == nil {
			tr.failf("%v was asked for after the success of node %d, but not yielded before", id, ev.Node)
		}
	}
	if ev.Kind == Finished || ev.Kind == Withdrawn {
		p.ended[Source{ev.Node, ev.Execution}] = ev.OK
	}
	for id, after := range p.after {
		due := tr.promises.state(after)
		now := ev.Kind == Finished && slices.Contains(after, Source{ev.Node, ev.Execution})
		switch {
		case asked[id] && (due != kept || !now):
			tr.failf("%v was asked for, but waits for %v", id, after)
		case due == kept && now && !asked[id] && !tr.run.halted:
			tr.failf("%v is not asked for, though %v have succeeded", id, after)
		case asked[id]:
			tr.kept++
		case due == broken && now:
			tr.broken++
		}
	}
}

const (
	open = iota
	kept
	broken
)

func (p *announced) state(after []Source) int {
	state := kept
	for _, s := range after {
		switch ok, over := p.ended[s]; {
		case over && !ok:
			return broken
		case !over:
			state = open
		}
	}
	return state
}

// TestLookahead lists what Lookahead yields in graphs where everything that can start is in flight.
func TestLookahead(t *testing.T) {
	for _, test := range []struct {
		name, graph string
		opt         Options
		done        []string // succeeded before
		want        string
	}{
		{name: "a chain", graph: "A -> B -> C -> D", want: "B#1 after A#1, C#1 after B#1, D#1 after C#1"},
		{name: "a join", graph: "A -> C -> D\nB -> C", want: "C#1 after A#1 B#1, D#1 after C#1"},
		{name: "a join with a token", graph: "A -> C\nB -> C", done: []string{"A"}, want: "C#1 after B#1"},
		{name: "fan", graph: "A -> B\nA -> C\nA -> D", want: "B#1 after A#1, C#1 after A#1, D#1 after A#1"},
		{name: "parallel edges", graph: "A -> B\nA -> B", want: "B#1 after A#1 A#1"},
		{name: "a trigger", graph: "A ~> B -> C\nA -> D", want: "D#1 after A#1"},
		{name: "behind a loop", graph: "S -> A -> B ~> A\nB -> C", want: ""},
		{name: "fail fast", graph: "A -> B", opt: Options{FailFast: true}, want: ""},
		{name: "a resume", graph: "A=fail -> B -> C", want: "B#1 after A#1, C#1 after B#1"},
		{name: "a resume that may repeat", graph: "A=fail -> B=ran -> C=fail -> D", want: "B#1 after A#1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, err := parseGraph(test.graph)
			if err != nil {
				t.Fatal(err)
			}
			scope, err := Choose(g, Request{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := NewRun(g, scope, test.opt)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range slices.Clone(r.Step(Event{Kind: Start})) {
				if e.Kind == Execute {
					r.Step(Event{Kind: Dispatched, Node: e.Node})
				}
			}
			for _, id := range test.done {
				i, _ := r.Index(id)
				r.Step(Event{Kind: Finished, Node: i, Execution: 1, OK: true})
			}
			got := ""
			for _, f := range upcoming(r) {
				got += fmt.Sprintf(", %s#%d after", r.Path(f.Node), f.Execution)
				for _, s := range f.After {
					got += fmt.Sprintf(" %s#%d", r.Path(s.Node), s.Execution)
				}
			}
			if got = got[min(2, len(got)):]; got != test.want {
				t.Errorf("upcoming: %s\nwant: %s", got, test.want)
			}
		})
	}
}
