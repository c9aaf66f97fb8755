package activerun

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/runstate"
	"wf/workspace/workfile/workfiletest"
)

// A run that is recovered from its journal is in the state that the live run had, after each of these steps.
// Lines for slots and pools are not in the journal: the run joins them again.
func TestRecoveredRunIsInTheSameState(t *testing.T) {
	failed := executor.Exit{Code: 3}
	type step func(b *testbed, r *Run)
	ran := func(node string) step { return func(b *testbed, _ *Run) { b.ran(node) } }
	begin := func(node string) step { return func(b *testbed, _ *Run) { b.started(node) } }
	end := func(node string, exit executor.Exit) step {
		return func(b *testbed, _ *Run) { b.ended(node, exit) }
	}
	stop := func(b *testbed, r *Run) { b.stop(r, api.StopRequest{Cause: "SIGINT"}) }
	decide := func(node string) step { return func(b *testbed, r *Run) { b.decide(r, node) } }
	subFlow := `<node id="f"><data key="node-foreach">["one", "two"]</data><graph>` + workfiletest.Element("x") + workfiletest.Element("y") + workfiletest.Element("x>y") + `</graph></node>`
	for name, c := range map[string]struct {
		elements []string
		steps    []step
	}{
		"chain":    {[]string{"a", "b", "c", "x", "a>b", "b>c"}, []step{begin("a"), end("a", executor.Exit{}), begin("b"), end("b", failed)}},
		"outputs":  {[]string{"a", "b", "a>b"}, []step{begin("a"), writeOutput, end("a", executor.Exit{})}},
		"retry":    {[]string{"a retries=2 retry_delay=1h"}, []step{begin("a"), end("a", failed)}},
		"handled":  {[]string{"a", "b", "a>b when=failure"}, []step{begin("a"), end("a", failed), begin("b")}},
		"skipped":  {[]string{"a", "b", "c", "a>b when=failure", "a>c"}, []step{ran("a"), begin("c")}},
		"approval": {[]string{"a approve=sure?", "b"}, []step{ran("b"), decide("a"), begin("a")}},
		"timeout of an approval": {[]string{"a approve=sure? approve_timeout=1m", "b"},
			[]step{func(b *testbed, _ *Run) { b.sleep(2 * time.Minute); b.do(func() {}) }}},
		"instances":   {[]string{subFlow, "z", "f>z"}, []step{begin("x"), end("x", executor.Exit{}), begin("y"), end("y", failed)}},
		"stop":        {[]string{"a", "b"}, []step{begin("a"), stop, end("b", executor.Exit{Stopped: true})}},
		"stop a node": {[]string{"a", "b"}, []step{begin("a"), func(b *testbed, r *Run) { b.stopNode(r, "a") }}},
		"clock": {[]string{"a", "b"}, []step{begin("a"), func(b *testbed, r *Run) {
			b.do(func() { r.SetClock(time.Now().Add(time.Hour), time.Hour) })
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			for n := range len(c.steps) + 1 {
				test(t, func(b *testbed) {
					r := b.start(api.RunRequest{})
					for _, s := range c.steps[:n] {
						s(b, r)
					}
					want := stateOf(r)
					b.close()
					if r.Phase == runstate.Complete {
						b.t.Fatalf("the run is over after %d steps", n)
					}
					if got := stateOf(b.recover(r.Number)); got != want {
						b.t.Errorf("after %d steps, live:\n%s\nrecovered:\n%s", n, want, got)
					}
					b.startLoop()
				}, c.elements...)
			}
		})
	}
}

// writeOutput writes an output of a.
func writeOutput(b *testbed, r *Run) {
	if err := os.WriteFile(runstate.OutputFile(r.Dir, b.id("a")), []byte("n=5\n"), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// After a restart the executor has the jobs that run. Those that were dispatched and have not started are handed over again,
// because the daemon may have died before it handed them over.
func TestRestart(t *testing.T) {
	test(t, func(b *testbed) {
		b.slots.free = 1
		r := b.start(api.RunRequest{})
		b.started("a")
		b.check("jobs", b.handed(), "a x")
		next := b.restart(r.Number)
		if !next.Recovering() || b.slots.taken == 0 {
			t.Errorf("recovering %v, %d slots", next.Recovering(), b.slots.taken)
		}
		b.check("jobs, again", b.handed(), "x [b]")
		b.started("a") // the executor repeats its reports
		if next.Recovering() {
			t.Error("the executor has been found")
		}
		b.ended("a", executor.Exit{})
		b.ran("x", "b")
		if e := b.last(api.RunComplete); e.Result != api.Succeeded || e.Counts.OK != 3 {
			t.Errorf("%s, %+v", e.Result, e.Counts)
		}
		if past, err := b.host.Store.Load(r.Number); err != nil || len(past.Executions) != 3 {
			t.Errorf("%d executions, %v", len(past.Executions), err)
		}
	}, "a", "x", "b", "a>b")
}

// A recovered run executes the commands that it started with, whatever the workfile contains now.
func TestRestartKeepsTheCommands(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.session.gates = false
		b.started("a")
		later := strings.Replace(workfiletest.Text("a", "b", "a>b"), "echo b", "echo later", 1)
		if err := os.WriteFile(b.path, []byte(later), 0o600); err != nil {
			b.t.Fatal(err)
		}
		b.restart(r.Number)
		b.ended("a", executor.Exit{})
		b.check("the job of b", b.session.jobs[len(b.session.jobs)-1].Command, "echo b")
	}, "a", "b", "a>b")
}

// While the executor of a recovered run cannot be found for a reason that may pass, the run is held. Requests to stop it
// reach the executor when it is found.
func TestRecoveredRunWaitsForItsExecutor(t *testing.T) {
	for _, why := range []error{syscall.ENOSPC, &executor.UnavailableError{Err: errors.New("there is no executor hpc here")}} {
		testRecoveredRunWaits(t, why)
	}
}

func testRecoveredRunWaits(t *testing.T, why error) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.started("a")
		b.refuse = why
		next := b.restart(r.Number)
		if !strings.Contains(next.HeldBy(), why.Error()) || !next.Recovering() {
			t.Errorf("held by %q, recovering %v", next.HeldBy(), next.Recovering())
		}
		if _, live := next.FindExecution(api.Caller{Node: "a", Execution: 1}); !live {
			t.Error("its execution is not known")
		}
		answer := b.stop(next, api.StopRequest{})
		b.do(func() { b.refuse = nil })
		b.sleep(2 * b.host.HoldPause)
		b.do(func() {})
		b.check("held by", next.HeldBy(), "")
		if len(b.session.stops) == 0 {
			t.Error("the executor was not told of the stop")
		}
		b.report(executor.Report{Kind: executor.CaughtUp})
		b.ended("a", executor.Exit{Signal: 15, Stopped: true})
		<-answer
		b.check("result", string(b.last(api.RunComplete).Result), string(api.Cancelled))
	}, "a")
}

// An executor that is found only after the workspace has been closed is left alone again.
func TestExecutorFoundAfterTheEnd(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.close()
		next := b.recover(r.Number)
		b.opening = make(chan struct{})
		next.Follow()
		b.startLoop()
		b.do(func() { next.Detach(); b.host.Loop.End() })
		close(b.opening)
		b.host.Loop.Wait()
		if !b.session.detached {
			t.Error("the session stays open")
		}
	}, "a")
}

// If the executor is gone for good, what ran is lost and the run fails.
func TestRecoveredRunWithoutExecutor(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.started("a")
		b.refuse = errors.New("no runner")
		b.restart(r.Number)
		if e := b.last(api.RunComplete); e.Result != api.ResFailed || e.Message != "no runner" {
			t.Errorf("%s, %q", e.Result, e.Message)
		}
		b.check("reason", string(b.last(api.NodeFailed).Reason), string(api.ReasonLost))
	}, "a")
}

// A run that has neither a record nor a runner log was never started, and is not recovered.
func TestRunThatNeverStarted(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.crash()
		if err := os.WriteFile(filepath.Join(r.Dir, "journal"), nil, 0o600); err != nil {
			b.t.Fatal(err)
		}
		b.prepare()
		if _, err := Recover(b.host, r.Number); !errors.Is(err, ErrNotStarted) {
			t.Errorf("%v", err)
		}
		b.startLoop()
	}, "a")
}

// The time limit of an execution counts from its start, also while no daemon runs.
func TestTimeoutPassesWithoutDaemon(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.started("a")
		b.close()
		time.Sleep(time.Minute)
		b.recover(r.Number).Follow()
		b.startLoop()
		b.check("stops", strings.Join(b.session.stops, ", "), "0/1 after 10s")
		b.ended("a", executor.Exit{Signal: 15, Stopped: true})
		b.check("reason", string(b.last(api.NodeFailed).Reason), string(api.ReasonTimeout))
	}, "a timeout=5s")
}
