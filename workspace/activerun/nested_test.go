package activerun

import (
	"fmt"
	"strings"
	"testing"

	"wf/api"
	"wf/executor"
)

// A command that waits for another run lends its slot, and gets it back before it continues, even beyond the limit.
func TestWaitingCommandLendsItsSlot(t *testing.T) {
	test(t, func(b *testbed) {
		b.slots.free = 1
		r := b.start(api.RunRequest{})
		b.started("a")
		id := b.id("a")
		waits := func(is bool) { b.do(func() { r.CommandWaits(id, is) }) }
		waits(true)
		waits(true) // a second connection of the same command
		if b.session.width != 2 {
			t.Errorf("width %d while a waits", b.session.width)
		}
		b.started("b") // in the slot of a
		waits(false)
		b.check("calls", strings.Join(b.slots.calls, ", "), "lend")
		waits(false)
		b.check("calls", strings.Join(b.slots.calls, ", "), "lend, take back")
		if b.slots.taken != 2 {
			t.Errorf("%d slots", b.slots.taken)
		}
		b.ended("a", executor.Exit{})
		b.ended("b", executor.Exit{})
		if b.slots.taken != 0 || b.slots.free != 1 {
			t.Errorf("%d slots in the end, %d are free", b.slots.taken, b.slots.free)
		}
	}, "a", "b")
}

// The runs that a command has started end with it: at once if it was stopped, otherwise with their own grace time.
func TestChildrenEndWithTheirCommand(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(b *testbed, r *Run)
		want string
	}{
		"ended":       {func(b *testbed, r *Run) { b.ended("a", executor.Exit{}) }, "stop 9 of other"},
		"killed":      {func(b *testbed, r *Run) { b.ended("a", executor.Exit{Signal: 9, Stopped: true}) }, "stop 9 of other in 0 ms"},
		"run stopped": {func(b *testbed, r *Run) { b.do(func() { r.Stop(api.StopRequest{}, "", nil) }) }, "stop 9 of other in 10000 ms"},
		"node stopped": {func(b *testbed, r *Run) {
			b.do(func() { r.StopNode(api.StopRequest{Node: "a", GraceMS: new(int64(5))}, func(api.StopResult, error) {}) })
		}, "stop 9 of other in 5 ms"},
		"another node ended": {func(b *testbed, r *Run) { b.ran("b") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			test(t, func(b *testbed) {
				r := b.start(api.RunRequest{})
				b.started("a")
				b.do(func() { r.Adopt(b.id("a"), Child{"other", "9"}) })
				c.do(b, r)
				b.check("calls", strings.Join(b.nested.calls, ", "), c.want)
			}, "a", "b")
		})
	}
}

// A run that a command started reports itself, keeps its slot to the end, and returns it to the command.
func TestRunOfACommand(t *testing.T) {
	test(t, func(b *testbed) {
		caller := &api.Caller{Workfile: "/w", Run: "3", Node: "n", Execution: 1, Held: map[string]int{"db": 1, "gpu": 2}}
		r := b.start(api.RunRequest{Caller: caller})
		b.check("calls", strings.Join(b.nested.calls, ", "), "began 1 by n")
		b.check("units of it and its caller", fmt.Sprint(r.UnitsOf(b.id("a"))), "map[db:2 gpu:2]")
		b.session.closed = make(chan struct{})
		b.ran("a")
		if b.slots.taken != 1 {
			t.Errorf("%d slots before its end is recorded", b.slots.taken)
		}
		b.session.closed <- struct{}{}
		b.do(func() {})
		b.check("calls", strings.Join(b.nested.calls, ", "), "began 1 by n, over n")
		if b.slots.taken != 0 {
			t.Errorf("%d slots in the end", b.slots.taken)
		}
	}, "a pool=db")
}

func TestOnlyLiveExecutionsAreCallers(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		live := func(node string, execution int) bool {
			_, is := r.FindExecution(api.Caller{Node: node, Execution: execution})
			return is
		}
		b.started("a")
		if !live("a", 1) || live("a", 2) || live("b", 1) || live("c", 1) {
			t.Error("only the first execution of a is live")
		}
		b.ended("a", executor.Exit{Code: 1})
		if live("a", 1) {
			t.Error("a has ended")
		}
	}, "a", "b", "a>b when=failure")
}
