package activerun

import (
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
)

// checkSlots compares the slots that runs have taken.
func (b *testbed) checkSlots(when string, want int) {
	b.t.Helper()
	if b.slots.taken != want {
		b.t.Errorf("%s: %d slots, want %d", when, b.slots.taken, want)
	}
}

// Jobs at engines take no slot: with -j 1, all of them and one job on this machine run at the same time.
func TestJobsAtEnginesTakeNoSlot(t *testing.T) {
	for name, jobs := range map[string]*int{"-j 1": new(1), "a machine with one slot": nil} {
		t.Run(name, func(t *testing.T) {
			test(t, func(b *testbed) {
				b.slots.free = 1
				r := b.start(api.RunRequest{Jobs: jobs})
				b.check("jobs", b.handed(), "c d a b")
				b.started("a", "b", "c")
				b.checkSlots("while three commands run", 1)
				if b.session.width != 1 {
					t.Errorf("width %d", b.session.width)
				}
				var short *api.Shortage
				b.do(func() { short = r.Shortage() })
				if short == nil || short.Waiting != 1 || short.Running != 1 {
					t.Errorf("the shortage: %+v", short)
				}
				b.ended("a", executor.Exit{})
				b.checkSlots("after a", 1)
				b.ended("c", executor.Exit{})
				b.ran("d")
				b.checkSlots("while only b runs", 0)
				b.ended("b", executor.Exit{})
				b.check("result", string(b.last(api.RunComplete).Result), string(api.Succeeded))
				b.checkSlots("in the end", 0)
			}, "a executor=hpc", "b executor=hpc", "c", "d")
		})
	}
}

// A run whose nodes are all at engines starts them although no slot of the machine is free.
func TestEnginesNeedNoFreeSlot(t *testing.T) {
	test(t, func(b *testbed) {
		b.slots.free = 0
		r := b.start(api.RunRequest{Executor: "hpc", FailFast: true})
		b.check("jobs", b.handed(), "a b")
		b.started("a", "b")
		b.sleep(time.Minute)
		b.do(func() {})
		b.check("events", b.seen(""), "run_started")
		if s := r.Shortage(); s != nil || b.slots.taken != 0 || b.slots.declined {
			t.Errorf("shortage %+v, %d slots, declined %v", s, b.slots.taken, b.slots.declined)
		}
		b.ended("a", executor.Exit{})
		b.ended("b", executor.Exit{})
		b.check("result", string(b.last(api.RunComplete).Result), string(api.Succeeded))
	}, "a", "b")
}

// A resumed run counts the slots anew: only the jobs on this machine.
func TestSlotsOfAResumedRun(t *testing.T) {
	test(t, func(b *testbed) {
		b.slots.free = 1
		b.start(api.RunRequest{})
		b.started("a", "c")
		b.ended("a", executor.Exit{Cause: executor.CauseNode})
		b.ended("c", executor.Exit{Code: 1})
		b.checkSlots("after the first run", 0)
		b.forgetRuns()
		b.start(api.RunRequest{Mode: api.ModeResume, Jobs: new(1)})
		b.check("jobs", b.handed(), "c a")
		b.started("a", "c")
		b.checkSlots("while both run", 1)
		b.ended("c", executor.Exit{})
		b.checkSlots("while only a runs", 0)
		b.ended("a", executor.Exit{})
		b.check("result", string(b.last(api.RunComplete).Result), string(api.Succeeded))
	}, "a executor=hpc", "c")
}

// After a kill of the daemon, the next one claims slots only for the commands that run on this machine.
func TestSlotsAfterARestart(t *testing.T) {
	test(t, func(b *testbed) {
		b.slots.free = 1
		r := b.start(api.RunRequest{Jobs: new(1)})
		b.changed("b", executor.EngineJob{ID: "12", State: "PENDING"})
		b.started("a", "c")
		b.crash()
		next := b.recover(r.Number)
		b.slots.free = 1 - b.slots.taken
		b.checkSlots("for c", 1)
		next.Follow()
		b.startLoop()
		b.report(executor.Report{Kind: executor.CaughtUp})
		b.checkSlots("after the executor was found", 1)
		b.started("b")
		b.checkSlots("while a, b and c run", 1)
		b.ended("c", executor.Exit{})
		b.checkSlots("for d", 1)
		b.ran("d")
		b.checkSlots("while only a and b run", 0)
		b.ended("a", executor.Exit{})
		b.ended("b", executor.Exit{})
		b.check("result", string(b.last(api.RunComplete).Result), string(api.Succeeded))
	}, "a executor=hpc", "b executor=hpc", "c", "d")
}

// A command at an engine that waits for another run lends no slot, because it has none.
func TestCommandAtAnEngineLendsNoSlot(t *testing.T) {
	test(t, func(b *testbed) {
		b.slots.free = 1
		r := b.start(api.RunRequest{})
		b.started("b")
		waits := func(is bool) { id := b.id("a"); b.do(func() { r.CommandWaits(id, is) }) }
		waits(true) // before its start was reported
		b.started("a")
		waits(true)
		b.checkSlots("of b", 1)
		waits(false)
		waits(false)
		waits(true)
		b.ended("a", executor.Exit{})
		b.check("calls", strings.Join(b.slots.calls, ", "), "")
		b.checkSlots("of b", 1)
		b.ended("b", executor.Exit{})
		b.checkSlots("in the end", 0)
	}, "a executor=hpc", "b")
}
