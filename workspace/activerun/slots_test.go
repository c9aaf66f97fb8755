package activerun

import (
	"testing"
	"time"

	"wf/api"
	"wf/executor"
)

func TestWidthFollowsTheSlots(t *testing.T) {
	test(t, func(b *testbed) {
		b.slots.free = 2
		b.start(api.RunRequest{})
		if b.slots.taken != 2 || b.session.width != 2 {
			t.Errorf("%d slots, width %d; want 2", b.slots.taken, b.session.width)
		}
		b.do(func() { b.slots.free++ })
		if b.slots.taken != 3 || b.session.width != 3 {
			t.Errorf("%d slots, width %d; want 3", b.slots.taken, b.session.width)
		}
	}, "a", "b", "c", "d")
}

func TestRunTakesNoMoreSlotsThanItUses(t *testing.T) {
	for name, c := range map[string]struct {
		req  api.RunRequest
		want int
	}{
		"as many as nodes":       {api.RunRequest{}, 3},
		"as many as asked for":   {api.RunRequest{Jobs: new(2)}, 2},
		"no limit of this run":   {api.RunRequest{Jobs: new(0)}, 3},
		"a part of the workfile": {api.RunRequest{Nodes: []string{"b"}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			test(t, func(b *testbed) {
				b.start(c.req)
				if b.slots.taken != c.want {
					t.Errorf("%d slots, want %d", b.slots.taken, c.want)
				}
			}, "a", "b", "c")
		})
	}
}

// A run keeps its slots while jobs wait. When other runs need slots, it returns one as soon as an execution has ended and
// the executor works with the smaller width.
func TestSlotsAreKeptAndReturned(t *testing.T) {
	test(t, func(b *testbed) {
		b.slots.free = 2
		b.start(api.RunRequest{})
		resized := func() { b.report(executor.Report{Kind: executor.Resized, Width: b.session.width}) }
		resized()
		b.started("a", "b")
		b.ended("a", executor.Exit{})
		b.started("c")
		if b.slots.taken != 2 {
			t.Errorf("%d slots after a", b.slots.taken)
		}
		b.do(func() { b.slots.over = 1 })
		if b.session.width != 1 || b.slots.taken != 2 {
			t.Errorf("width %d, %d slots while two commands run", b.session.width, b.slots.taken)
		}
		resized()
		b.ended("b", executor.Exit{})
		if b.slots.taken != 1 {
			t.Errorf("%d slots after b", b.slots.taken)
		}
		b.ended("c", executor.Exit{})
		b.ran("d", "e")
		if b.last(api.RunComplete); b.slots.taken != 0 {
			t.Errorf("%d slots after the run", b.slots.taken)
		}
	}, "a", "b", "c", "d", "e")
}

// A run that was refused a slot and needs none any more says so, so that the slot goes to another run.
func TestRefusedRunDeclines(t *testing.T) {
	test(t, func(b *testbed) {
		b.slots.free = 1
		r := b.start(api.RunRequest{})
		b.started("a")
		b.do(func() { r.StopNode(api.StopRequest{Node: "b"}, func(api.StopResult, error) {}) })
		b.report(executor.Report{Kind: executor.Ended, ID: b.id("b"), Exit: executor.Exit{Stopped: true}})
		if !b.slots.declined {
			t.Error("the run still waits for a slot")
		}
	}, "a", "b")
}

// Only a shortage that lasts is published, and once for each kind.
func TestShortageIsPublishedIfItLasts(t *testing.T) {
	test(t, func(b *testbed) {
		b.slots.free = 1
		r := b.start(api.RunRequest{})
		b.started("a")
		b.check("events at once", b.seen(""), "run_started")
		b.sleep(shortPause)
		b.do(func() {})
		b.check("events after a while", b.seen(""), "run_started run_short")
		if short := b.last(api.RunShort).Short; short.Waiting != 1 || short.Running != 1 {
			t.Errorf("%+v", short)
		}
		b.sleep(time.Minute)
		b.do(func() {})
		b.check("events much later", b.seen(""), "run_started run_short")
		b.ran("b")
		if s := r.Shortage(); s != nil {
			t.Errorf("short in the end: %+v", s)
		}
	}, "a", "b")
}

func TestShortageTellsWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		jobs *int
		why  string
	}{
		"of the run":     {new(1), "the run was asked for at most 1 at once"},
		"of the machine": {nil, "this machine has 1 slot for runs that do not say how many"},
		"other runs":     {new(0), "other runs use 0 of 1 slot of this machine"},
	} {
		t.Run(name, func(t *testing.T) {
			test(t, func(b *testbed) {
				b.slots.free = 1
				r := b.start(api.RunRequest{Jobs: c.jobs})
				var short *api.Shortage
				b.do(func() { short = r.Shortage() })
				if short == nil || short.Why != c.why || short.Waiting != 1 || short.Fix == "" {
					t.Errorf("%+v", short)
				}
			}, "a", "b")
		})
	}
}
