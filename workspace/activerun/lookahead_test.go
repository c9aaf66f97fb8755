package activerun

import (
	"strings"
	"testing"

	"wf/api"
	"wf/executor"
)

// endAndStart reports an end together with the start of the job that waited for it, as the executor does.
func (b *testbed) endAndStart(node, next string) {
	b.t.Helper()
	b.session.report([]executor.Report{{Kind: executor.Ended, ID: b.id(node)}, {Kind: executor.Started, ID: b.id(next), PID: 7}})
	b.do(func() {})
}

// Prefetched jobs are invisible: a chain has the same events and needs one slot, whether or not the executor has gates.
func TestPrefetchedJobsAreInvisible(t *testing.T) {
	var events [2]string
	for i, gates := range []bool{false, true} {
		test(t, func(b *testbed) {
			b.start(api.RunRequest{})
			if b.session.gates = gates; gates {
				b.check("jobs", b.handed(), "a [b] [c]")
			}
			for _, n := range []string{"a", "b", "c"} {
				if b.ran(n); b.slots.taken > 1 {
					t.Errorf("%d slots", b.slots.taken)
				}
				events[i] += n + ": " + b.seen(n) + "; "
			}
			events[i] += b.seen("")
		}, "a", "b", "c", "a>b", "b>c")
	}
	if events[0] != events[1] {
		t.Errorf("without gates\n%s\nwith gates\n%s", events[0], events[1])
	}
}

// The executor starts a prefetched job on its own. Its reports may arrive before the scheduler requests the execution.
func TestExecutorStartsPrefetchedJob(t *testing.T) {
	test(t, func(b *testbed) {
		b.start(api.RunRequest{})
		b.started("a")
		b.check("jobs", b.handed(), "a [b]")
		b.report(executor.Report{Kind: executor.Started, ID: b.id("b"), PID: 7})
		b.check("events of b before a has ended", b.seen("b"), "")
		b.ended("a", executor.Exit{})
		b.check("events of b", b.seen("b"), "node_ready node_started")
		b.ended("b", executor.Exit{})
		b.check("jobs, again", b.handed(), "")
		b.check("result", string(b.last(api.RunComplete).Result), string(api.Succeeded))
	}, "a", "b", "a>b")
}

// After a failure the prefetched jobs that depend on it, directly or indirectly, are recalled.
func TestPrefetchedJobsAreRecalledAfterAFailure(t *testing.T) {
	test(t, func(b *testbed) {
		b.start(api.RunRequest{})
		b.started("a", "x")
		b.ended("a", executor.Exit{Code: 1})
		b.check("recalled", strings.Join(b.session.stops, ", "), "1/1 after 0s, 2/1 after 0s")
		b.ended("b", executor.Exit{Stopped: true})
		b.ended("c", executor.Exit{Stopped: true})
		b.ended("x", executor.Exit{})
		b.check("events of b", b.seen("b"), "")
		if c := b.last(api.RunComplete).Counts; c.Failed != 1 || c.Blocked != 2 || c.OK != 1 {
			t.Errorf("%+v", c)
		}
	}, "a", "b", "c", "x", "a>b", "b>c")
}

// An executor without gates returns its prefetched jobs. They are handed over when their turn comes.
func TestExecutorReturnsPrefetchedJobs(t *testing.T) {
	test(t, func(b *testbed) {
		b.start(api.RunRequest{})
		b.check("jobs", b.handed(), "a [b]")
		b.session.gates = false
		b.ended("b", executor.Exit{Stopped: true})
		b.check("events of b", b.seen("b"), "")
		b.ran("a")
		b.check("jobs after a", b.handed(), "b")
		b.ran("b")
		b.check("result", string(b.last(api.RunComplete).Result), string(api.Succeeded))
	}, "a", "b", "a>b")
}

// A stop comes when the executor has started a prefetched job and its report has not arrived yet. The job counts as a
// cancelled execution, and what it waited for has succeeded.
func TestStopAfterPrefetchedJobStarted(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.started("a")
		var killed int
		b.do(func() { r.Stop(api.StopRequest{}, "", func(res api.StopResult, _ error) { killed = res.Killed }) })
		b.check("stops", strings.Join(b.session.stops, ", "), "0/1 after 10s, 1/1 after 10s, 2/1 after 10s")
		b.endAndStart("a", "b")
		b.ended("b", executor.Exit{Signal: 15, Stopped: true})
		b.ended("c", executor.Exit{Stopped: true})
		e := b.last(api.RunComplete)
		if e.Counts.OK != 1 || e.Counts.Cancelled != 1 || e.Counts.Idle != 1 || e.Result != api.Cancelled || killed != 1 {
			t.Errorf("%s, %+v, %d killed", e.Result, e.Counts, killed)
		}
	}, "a", "b", "c", "a>b", "b>c")
}

// The executor starts prefetched jobs while no daemon runs. The next daemon accepts executions that the journal does not
// contain, also if the run is stopped before they are reported.
func TestRestartAfterPrefetchedJobStarted(t *testing.T) {
	for _, stop := range []bool{false, true} {
		test(t, func(b *testbed) {
			r := b.start(api.RunRequest{})
			b.started("a")
			next := b.restart(r.Number)
			if stop {
				b.do(func() { next.Stop(api.StopRequest{}, "", nil) })
			}
			b.endAndStart("a", "b")
			b.report(executor.Report{Kind: executor.CaughtUp})
			b.ended("b", executor.Exit{Signal: 15, Stopped: stop})
			e := b.last(api.RunComplete)
			if stop && (e.Counts.OK != 1 || e.Counts.Cancelled != 1) || !stop && (e.Counts.OK != 1 || e.Counts.Failed != 1) {
				t.Errorf("stopped %v: %+v", stop, e.Counts)
			}
			if b.slots.taken != 0 {
				t.Errorf("%d slots", b.slots.taken)
			}
		}, "a", "b", "a>b")
	}
}

// After a power cut a prefetched job whose intent is in the runner log may have started. It is lost, like the job that it
// depends on.
func TestPowerCutWithPrefetchedJobs(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.started("a")
		b.restart(r.Number)
		for _, n := range []string{"c", "b", "a"} {
			b.ended(n, executor.Exit{Lost: true})
		}
		e := b.last(api.RunComplete)
		if e.Counts.Failed != 3 || e.Counts.Blocked != 1 {
			t.Errorf("%+v", e.Counts)
		}
		for _, n := range []string{"a", "b", "c"} {
			if i, _ := r.Sched.Index(n); b.host.Nodes.Latest[n].Execution.Reason != api.ReasonLost {
				t.Errorf("%s: %+v", n, r.Nodes[i].Execution)
			}
		}
	}, "a", "b", "c", "d", "a>b", "b>c", "c>d")
}
