package activerun

import (
	"errors"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/nodestate"
)

func TestRunOfAChain(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.check("first jobs", b.handed(), "a [b]")
		b.ran("a")
		b.check("jobs after a", b.handed(), "b")
		b.ran("b")
		b.check("events of a", b.seen("a"), "node_ready node_started node_finished")
		b.check("events of the run", b.seen(""), "run_started run_complete")
		if e := b.last(api.RunComplete); e.Result != api.Succeeded || e.Counts.OK != 2 {
			t.Errorf("%s, %+v", e.Result, e.Counts)
		}
		if past, err := b.host.Store.Load(r.Number); err != nil || past.Result.Counts.OK != 2 || len(past.Executions) != 2 {
			t.Errorf("history: %+v, %v", past, err)
		}
	}, "a", "b", "a>b")
}

func TestJobThatTheExecutorRefusesHasFailed(t *testing.T) {
	test(t, func(b *testbed) {
		b.slots.free = 0
		b.start(api.RunRequest{})
		b.do(func() { b.session.refuse, b.slots.free = errors.New("no more processes"), 1 })
		if e := b.last(api.NodeFailed); e.Node != "a" || e.Message != "no more processes" {
			t.Errorf("%+v", e)
		}
		b.check("result", string(b.last(api.RunComplete).Result), string(api.ResFailed))
	}, "a")
}

// Some jobs wait in the executor, so that the next one starts without delay. The others are handed over when half of these
// have started.
func TestJobsWaitInTheExecutor(t *testing.T) {
	test(t, func(b *testbed) {
		b.slots.free = 1
		b.start(api.RunRequest{})
		b.check("first jobs", b.handed(), "a b c")
		b.ran("a")
		b.check("after a", b.handed(), "")
		b.ran("b")
		b.check("after b", b.handed(), "d e")
		if b.session.width != 1 {
			t.Errorf("width %d", b.session.width)
		}
	}, "a", "b", "c", "d", "e", "f")
}

func TestFailFastHandsOverNothingAheadOfItsSlot(t *testing.T) {
	test(t, func(b *testbed) {
		b.slots.free = 1
		b.start(api.RunRequest{FailFast: true})
		b.check("first jobs", b.handed(), "a")
		b.started("a")
		b.ended("a", executor.Exit{Code: 1})
		b.check("after the failure", b.handed(), "")
		if e := b.last(api.RunComplete); e.Result != api.ResFailed || e.Counts.Failed != 1 || e.Counts.Idle != 2 {
			t.Errorf("%s, %+v", e.Result, *e.Counts)
		}
	}, "a", "b", "c")
}

// Jobs carry the variables that a command needs, and the command line of the start of the run.
func TestJob(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		env := strings.Join(b.session.jobs[0].Env, " ")
		for _, want := range []string{"WF_NODE_ID=a", "WF_NODE_NAME=a", "WF_EXECUTION=1", "WF_OUTPUT=" + r.Dir} {
			if !strings.Contains(env, want) {
				t.Errorf("no %s in %s", want, env)
			}
		}
	}, "a")
}

// The executor reports a start and an end at most once to a run, even if it repeats its reports.
func TestRepeatedReportsAreIgnored(t *testing.T) {
	test(t, func(b *testbed) {
		b.start(api.RunRequest{})
		b.started("a", "a")
		b.ended("a", executor.Exit{})
		b.ended("a", executor.Exit{Code: 1})
		b.started("a")
		b.report(executor.Report{Kind: executor.Ended, ID: executor.ID{Node: 17, Execution: 1}})
		b.check("events of a", b.seen("a"), "node_ready node_started node_finished")
		b.ran("b")
		b.check("result", string(b.last(api.RunComplete).Result), string(api.Succeeded))
	}, "a", "b")
}

func TestRetryWaitsForItsDelay(t *testing.T) {
	test(t, func(b *testbed) {
		b.start(api.RunRequest{})
		b.started("a")
		b.ended("a", executor.Exit{Code: 3})
		if e := b.last(api.NodeFailed); e.Retry == nil || e.Retry.Attempt != 1 || e.Retry.Of != 2 {
			t.Errorf("the failed attempt: %+v", e.Retry)
		}
		b.check("jobs", b.handed(), "a")
		b.sleep(59 * time.Second)
		b.check("jobs before the delay is over", b.handed(), "")
		b.sleep(2 * time.Second)
		b.check("jobs after the delay", b.handed(), "a")
		b.ran("a")
		b.check("result", string(b.last(api.RunComplete).Result), string(api.Succeeded))
	}, "a retries=1 retry_delay=1m")
}

func TestTimeoutOfARunStopsIt(t *testing.T) {
	test(t, func(b *testbed) {
		b.start(api.RunRequest{TimeoutMS: 60_000})
		b.started("a")
		b.sleep(61 * time.Second)
		b.check("stops", strings.Join(b.session.stops, ", "), "0/1 after 10s")
		b.ended("a", executor.Exit{Signal: 15, Stopped: true})
		e := b.last(api.RunComplete)
		b.check("cause", b.last(api.RunStopping).Message, "timeout")
		if e.Result != api.Cancelled && e.Result != api.ResFailed {
			t.Errorf("result %s", e.Result)
		}
	}, "a")
}

func TestTimeoutOfANodeStopsItsExecution(t *testing.T) {
	test(t, func(b *testbed) {
		b.start(api.RunRequest{})
		b.started("a")
		b.sleep(6 * time.Second)
		b.check("stops", strings.Join(b.session.stops, ", "), "0/1 after 10s")
		b.ended("a", executor.Exit{Signal: 15, Stopped: true})
		if e := b.last(api.NodeFailed); e.Reason != api.ReasonTimeout {
			t.Errorf("reason %s", e.Reason)
		}
	}, "a timeout=5s")
}

func TestPausedRun(t *testing.T) {
	for name, c := range map[string]struct {
		want     api.Paused
		elements []string
	}{
		"a command runs":        {"", []string{"a", "x", "ask approve=sure?"}},
		"waits for a person":    {api.PausedApproval, []string{"a", "ask approve=sure?"}},
		"waits for a retry":     {api.PausedTime, []string{"a retries=1 retry_delay=1h"}},
		"also waits for a time": {api.PausedTime, []string{"a retries=1 retry_delay=1h", "ask approve=sure?"}},
	} {
		t.Run(name, func(t *testing.T) {
			test(t, func(b *testbed) {
				r := b.start(api.RunRequest{})
				if b.started("a"); len(c.elements) == 3 {
					b.started("x")
				}
				b.ended("a", executor.Exit{Code: 1})
				if s := r.Summary(); s.Paused != c.want || s.Result != "" {
					t.Errorf("paused %q, want %q", s.Paused, c.want)
				}
			}, c.elements...)
		})
	}
}

// All requests for a run get the same answer.
func TestRefusedRun(t *testing.T) {
	test(t, func(b *testbed) {
		var answers []error
		note := func(err error) { answers = append(answers, err) }
		r := New(b.host, &nodestate.Run{}, note)
		r.AlsoAccept(note)
		refused := errors.New("no space")
		r.Refuse(refused)
		if len(answers) != 2 || answers[0] != refused || answers[1] != refused {
			t.Errorf("answers %v", answers)
		}
	}, "a")
}
