package activerun

import (
	"errors"
	"strings"
	"testing"

	"wf/api"
	"wf/executor"
	"wf/workspace/history"
)

// jobOf returns the latest job of a node.
func (b *testbed) jobOf(node string) executor.Job {
	b.t.Helper()
	id := b.id(node)
	for _, j := range b.session.jobs {
		if j.ID == id {
			return j
		}
	}
	panic("unreachable")
}

// changed reports that the state of a job at its engine has changed.
func (b *testbed) changed(node string, j executor.EngineJob) {
	b.t.Helper()
	b.report(executor.Report{Kind: executor.Changed, ID: b.id(node), Engine: j})
}

// why returns the explanation of a node of a run.
func (b *testbed) why(r *Run, node string) string {
	b.t.Helper()
	var why api.Why
	b.do(func() {
		i, _ := r.Sched.Index(node)
		r.Explainer().Explain(&why, i)
	})
	return strings.Join(why.Text, " ")
}

// nodeStatus returns what clients get of a node.
func (b *testbed) nodeStatus(node string) (s api.NodeStatus) {
	b.t.Helper()
	b.do(func() {
		n := b.host.File.Graph().Node(node)
		s = b.host.Nodes.NodeStatus(n, false)
	})
	return s
}

// forgetRuns does what the workspace does after the end of a run.
func (b *testbed) forgetRuns() { b.do(func() { b.host.Nodes.Runs = nil }) }

// A job carries its executor and what it asks for, computed for each attempt. The journal contains both for people.
func TestJobCarriesExecutorAndResources(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		want := executor.Resources{CPUs: 4, Memory: 8 << 30, Partition: "short"}
		if j := b.jobOf("a"); j.Engine != "hpc" || j.Resources != want {
			t.Errorf("the job: %q, %+v", j.Engine, j.Resources)
		}
		if j := b.jobOf("here"); j.Engine != "" || j.Resources != (executor.Resources{}) {
			t.Errorf("the job on this machine: %q, %+v", j.Engine, j.Resources)
		}
		b.started("a")
		b.ended("a", executor.Exit{Signal: 9, Cause: executor.CauseMemory})
		want.Memory = 16 << 30
		if j := b.jobOf("a"); j.ID.Execution != 2 || j.Resources != want {
			t.Errorf("the second attempt: %+v", j)
		}
		b.ran("a", "here")
		past, err := b.host.Store.Load(r.Number)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range past.Executions {
			if text := string(x.Inputs); x.ID == "a" && x.Number == 2 && text != `{"attempt":2,"executor":"hpc","resources":{"cpus":4,"mem_bytes":17179869184,"partition":"short"}}` {
				t.Errorf("the inputs in the journal: %s", text)
			}
		}
	}, "a executor=hpc cpus=4 mem=${{8*attempt}}G partition=short retries=1 retry_on=oom", "here executor=local")
}

// After a crash the next daemon hands over the same job with the same values.
func TestRecoveredJobIsTheSame(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{Executor: "hpc"})
		b.started("a")
		b.ended("a", executor.Exit{Cause: executor.CauseNode})
		before := b.jobOf("a")
		b.changed("a", executor.EngineJob{ID: "12", State: "PENDING"})
		b.crash()
		b.session.jobs = nil
		r = b.recover(r.Number)
		r.Follow()
		b.startLoop()
		after := b.jobOf("a")
		if after.ID != before.ID || after.Engine != "hpc" || after.Resources != before.Resources || before.Resources.Memory != 2<<30 {
			t.Errorf("before %+v\nafter  %+v", before, after)
		}
		if why := b.why(r, "a"); !strings.Contains(why, "It was handed to hpc, which has not told its state yet.") {
			t.Errorf("before the executor reports again: %s", why)
		}
		b.changed("a", executor.EngineJob{ID: "12", State: "RUNNING", Host: "n1"})
		b.ran("a")
	}, "a mem=${{attempt}}G retries=1")
}

// What an engine tells is visible at once, and the journal keeps what matters after the end.
func TestStateAtTheEngine(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.check("why before an answer", b.why(r, "a"), "It was handed to hpc, which has not told its state yet. Its latest execution got cpus=2.")
		b.changed("a", executor.EngineJob{ID: "4711"})
		b.changed("a", executor.EngineJob{State: "PENDING", Why: "Priority, position 12, expected 14:05"})
		b.changed("a", executor.EngineJob{State: "PENDING", Why: "Priority, position 12, expected 14:05"})
		b.check("events", b.seen("a"), "node_ready node_engine node_engine")
		if e := b.last(api.NodeEngine); e.Execution != 1 || *e.Engine != (api.EngineJob{Executor: "hpc", ID: "4711", State: "PENDING", Why: "Priority, position 12, expected 14:05"}) {
			t.Errorf("the event: %+v", e.Engine)
		}
		if s := b.nodeStatus("a"); s.State != api.StateQueued || s.Engine == nil || s.Engine.Why != "Priority, position 12, expected 14:05" {
			t.Errorf("the status while it waits: %+v", s)
		}
		b.check("why it waits", b.why(r, "a"),
			"It waits at its executor (hpc, job 4711): PENDING: Priority, position 12, expected 14:05. Its latest execution got cpus=2.")
		b.report(executor.Report{Kind: executor.Started, ID: b.id("a"), PID: 77, Engine: executor.EngineJob{Host: "n17"}})
		if e := b.last(api.NodeStarted); *e.Engine != (api.EngineJob{Executor: "hpc", ID: "4711", Host: "n17"}) {
			t.Errorf("the start: %+v", e.Engine)
		}
		b.changed("a", executor.EngineJob{State: "SUSPENDED"})
		b.check("why it runs", b.why(r, "a"), "It is running: execution 1, at hpc, job 4711, n17 (SUSPENDED). Its latest execution got cpus=2. It waits for nothing.")
		b.report(executor.Report{Kind: executor.Ended, ID: b.id("a"), Exit: executor.Exit{PeakMemory: 3 << 29}})
		if e := b.last(api.NodeFinished); e.PeakBytes != 3<<29 || *e.Engine != (api.EngineJob{Executor: "hpc", ID: "4711", Host: "n17"}) {
			t.Errorf("the end: %d, %+v", e.PeakBytes, e.Engine)
		}
		past, err := b.host.Store.Load(r.Number)
		if err != nil {
			t.Fatal(err)
		}
		if x := past.Executions[0]; x.Engine != (history.EngineJob{Executor: "hpc", ID: "4711", Host: "n17"}) || x.PeakBytes != 3<<29 {
			t.Errorf("in the history: %+v, %d", x.Engine, x.PeakBytes)
		}
		b.changed("a", executor.EngineJob{State: "COMPLETED"})
		b.check("events", b.seen("a"), "node_ready node_engine node_engine node_started node_engine node_finished")
	}, "a executor=hpc cpus=2")
}

// Reasons of engines are reasons of their own, whatever the exit code is. What this run stopped itself is cancelled.
func TestReasonsOfEngines(t *testing.T) {
	for exit, want := range map[executor.Exit]api.Reason{
		{Cause: executor.CauseMemory, Signal: 9}:         api.ReasonMemory,
		{Cause: executor.CauseTime, Signal: 15}:          api.ReasonTimeout,
		{Cause: executor.CauseNode}:                      api.ReasonNodeFail,
		{Cause: executor.CausePreempted, Code: 1}:        api.ReasonPreempted,
		{Cause: executor.CauseCancelled}:                 api.ReasonEngineCancelled,
		{Cause: executor.CauseCancelled, Stopped: true}:  api.ReasonCancelled,
		{Cause: executor.CauseNode, Lost: true, Code: 3}: api.ReasonLost,
	} {
		test(t, func(b *testbed) {
			r := b.start(api.RunRequest{})
			b.started("a")
			b.ended("a", exit)
			b.check("reason", string(b.last(api.NodeFailed).Reason), string(want))
			b.check("result", string(b.last(api.RunComplete).Result), string(api.ResFailed))
			if code := b.last(api.NodeFailed).ExitCode; (code != nil) != (exit.Code != 0 && !exit.Lost) && want != api.ReasonCancelled {
				t.Errorf("%+v: exit code %v", exit, code)
			}
			if why := b.why(r, "a"); want == api.ReasonMemory && !strings.Contains(why, "It failed: it ran out of memory.") {
				t.Errorf("why: %s", why)
			}
		}, "a executor=hpc")
	}
}

// Nothing is prefetched for an engine, because gates connect only jobs on this machine.
func TestNothingIsPrefetchedForAnEngine(t *testing.T) {
	test(t, func(b *testbed) {
		b.start(api.RunRequest{Executor: "hpc"})
		b.check("jobs of a run at an engine", b.handed(), "a")
	}, "a", "b", "a>b")
	test(t, func(b *testbed) {
		b.start(api.RunRequest{})
		b.check("jobs with one at an engine", b.handed(), "a [b]")
		if b.jobOf("b").Foreseen {
			t.Error("the end of b is urgent: it lets c start, which the executor does not have")
		}
	}, "a", "b", "c executor=hpc", "d", "a>b", "b>c", "c>d")
	test(t, func(b *testbed) {
		b.start(api.RunRequest{})
		b.check("jobs with resources on this machine", b.handed(), "a [b]")
		b.ran("a", "b")
		b.check("b again, as it no longer waits, and the computed one", b.handed(), "b c")
	}, "a cpus=2", "b cpus=2 executor=local", "c mem=${{attempt}}G", "a>b", "b>c")
}

// The request names the executor of nodes that name none. A resume keeps it, the graph comes after it.
func TestExecutorOfARun(t *testing.T) {
	test(t, func(b *testbed) {
		b.start(api.RunRequest{})
		b.check("that of the graph", b.jobOf("a").Engine, "hpc")
		b.started("a")
		b.ended("a", executor.Exit{Code: 1})
		b.forgetRuns()
		b.start(api.RunRequest{Mode: api.ModeResume, Executor: "local"})
		b.check("that of the request", b.jobOf("a").Engine, "")
		b.started("a")
		b.ended("a", executor.Exit{Code: 1})
		b.forgetRuns()
		r := b.start(api.RunRequest{Mode: api.ModeResume})
		b.check("that of the request before", b.jobOf("a").Engine, "")
		if !r.Request.ExecutorAsked {
			t.Error("the next resume would forget it")
		}
		b.started("a")
		b.ended("a", executor.Exit{Code: 1})
		b.forgetRuns()
		b.start(api.RunRequest{Mode: api.ModeFresh})
		b.check("a fresh run starts again", b.jobOf("a").Engine, "hpc")
		b.ran("a")
	}, "=executor=hpc", "a")
}

// A run that needs an unknown executor is refused, with the way out.
func TestUnknownExecutor(t *testing.T) {
	for _, c := range []struct {
		elements []string
		req      api.RunRequest
		message  string
		fix      string
	}{
		{[]string{"a executor=hcp"}, api.RunRequest{}, "there is no executor hcp here; known: local, hpc", "describe it in [executor.hcp] of your configuration (wf help executors); or wf edit set a executor=local"},
		{[]string{"a", "=executor=hcp"}, api.RunRequest{}, "there is no executor hcp here; known: local, hpc", "describe it in [executor.hcp] of your configuration (wf help executors); or wf run --executor local"},
		{[]string{"a"}, api.RunRequest{Executor: "hcp"}, "there is no executor hcp here; known: local, hpc", "describe it in [executor.hcp] of your configuration (wf help executors); or --executor local"},
		{[]string{"a"}, api.RunRequest{Defaults: &api.RunDefaults{Executor: "hcp"}}, "there is no executor hcp here; known: local, hpc",
			"describe it in [executor.hcp] of your configuration (wf help executors); or wf run --executor local"},
		{[]string{"a", "=executor=local"}, api.RunRequest{Defaults: &api.RunDefaults{Executor: "hcp"}}, "", ""},
		{[]string{"a"}, api.RunRequest{Executor: "a b"}, `the executor "a b" is not a name; write local, slurm or the name of an executor of the configuration`, ""},
		{[]string{"a mem=16"}, api.RunRequest{Executor: "hpc"}, `node a: mem: "16" has no unit; write 16M or 16G`, "wf check shows all problems"},
		{[]string{"a mem=16"}, api.RunRequest{}, "", ""},
		{[]string{"a executor=hcp"}, api.RunRequest{Mocks: []api.Mock{{Nodes: "a"}}}, "", ""},
	} {
		test(t, func(b *testbed) {
			var err error
			b.do(func() { _, _, err = b.planner.Draft("c1", c.req) })
			var e *api.Error
			if errors.As(err, &e); (e == nil) != (c.message == "") || e != nil && (e.Message != c.message || e.Fix != c.fix) {
				t.Errorf("%v %+v: %+v", c.elements, c.req, err)
			}
		}, c.elements...)
	}
}
