package activerun

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/history/historytest"
	"wf/workspace/workfile/workfiletest"
)

// stop asks to stop the run. The answer is sent when it comes.
func (b *testbed) stop(r *Run, req api.StopRequest) <-chan api.StopResult {
	answer := make(chan api.StopResult, 1)
	b.do(func() { r.Stop(req, "c2", func(res api.StopResult, _ error) { answer <- res }) })
	return answer
}

func TestStopCancelsWhatRuns(t *testing.T) {
	test(t, func(b *testbed) {
		b.slots.free = 1
		r := b.start(api.RunRequest{})
		b.started("a")
		answer := b.stop(r, api.StopRequest{Cause: "SIGINT"})
		b.check("stops", strings.Join(b.session.stops, ", "), "0/1 after 10s, 1/1 after 10s")
		b.ended("b", executor.Exit{Stopped: true}) // it has not started
		if len(answer) > 0 {
			t.Error("answered while a command runs")
		}
		b.ended("a", executor.Exit{Signal: 15, Stopped: true})
		if res := <-answer; res.Killed != 1 || res.Run != "1" || res.Problem != "" {
			t.Errorf("%+v", res)
		}
		e := b.last(api.RunComplete)
		if e.Result != api.Cancelled || *e.ExitCode != 130 || e.Counts.Cancelled != 1 || e.Counts.Idle != 2 || e.Counts.Blocked != 0 {
			t.Errorf("%s, exit %d, %+v", e.Result, *e.ExitCode, e.Counts)
		}
		b.check("reason", string(b.last(api.NodeFailed).Reason), string(api.ReasonCancelled))
		if res := <-b.stop(r, api.StopRequest{}); res.Killed != 1 {
			t.Errorf("a stop of a run that is over: %+v", res)
		}
	}, "a", "b", "c", "a>c")
}

func TestSecondStopShortensTheGrace(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.started("a")
		first := b.stop(r, api.StopRequest{})
		second := b.stop(r, api.StopRequest{GraceMS: new(int64(0))})
		b.check("stops", strings.Join(b.session.stops, ", "), "0/1 after 10s, 0/1 after 0s")
		b.ended("a", executor.Exit{Signal: 9, Stopped: true})
		<-first
		<-second
	}, "a")
}

func TestStopOfANodeLetsTheRunContinue(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.started("a", "b")
		var answers []string
		stop := func(node string) {
			b.do(func() {
				r.StopNode(api.StopRequest{Node: node, GraceMS: new(int64(500))}, func(res api.StopResult, err error) {
					if err != nil {
						answers = append(answers, err.Error())
					} else {
						answers = append(answers, strings.Repeat("killed", res.Killed))
					}
				})
			})
		}
		stop("a")
		b.check("stops", strings.Join(b.session.stops, ", "), "0/1 after 500ms")
		b.ended("a", executor.Exit{Signal: 15, Stopped: true})
		stop("a")
		stop("nothing")
		b.ended("b", executor.Exit{})
		b.check("answers", strings.Join(answers, "; "), `killed; node a is not running: its state is cancelled; no node "nothing" in Workfile (2 nodes)`)
		if c := b.last(api.RunComplete).Counts; c.Cancelled != 1 || c.OK != 1 {
			t.Errorf("%+v", c)
		}
	}, "a", "b")
}

// The stop of a sub-flow stops the executions of its instances, and is answered when all have ended.
func TestStopOfASubFlow(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		first, second := b.session.jobs[0].ID, b.session.jobs[1].ID
		for _, id := range []executor.ID{first, second} {
			b.report(executor.Report{Kind: executor.Started, ID: id, PID: 7})
		}
		killed := -1
		b.do(func() {
			r.StopNode(api.StopRequest{Node: "f"}, func(res api.StopResult, _ error) { killed = res.Killed })
		})
		b.report(executor.Report{Kind: executor.Ended, ID: first, Exit: executor.Exit{Signal: 15, Stopped: true}})
		if killed >= 0 {
			t.Error("answered while an instance runs")
		}
		b.report(executor.Report{Kind: executor.Ended, ID: second, Exit: executor.Exit{Signal: 15, Stopped: true}})
		if killed != 2 {
			t.Errorf("%d killed", killed)
		}
	}, `<node id="f"><data key="node-foreach">[1, 2]</data><graph>`+workfiletest.Element("x")+`</graph></node>`)
}

// The executor is lost: what runs is lost, and the run has failed, unless it was being stopped.
func TestLostExecutor(t *testing.T) {
	for stopped, want := range map[bool]api.Result{false: api.ResFailed, true: api.Cancelled} {
		test(t, func(b *testbed) {
			r := b.start(api.RunRequest{})
			b.started("a")
			if stopped {
				b.stop(r, api.StopRequest{})
			}
			b.report(executor.Report{Kind: executor.Broken, Message: "its runner died"})
			e := b.last(api.RunComplete)
			if e.Result != want || !stopped && !strings.Contains(e.Message, "its runner died") {
				t.Errorf("stopped %v: %s, %q", stopped, e.Result, e.Message)
			}
			if reason := b.last(api.NodeFailed).Reason; !stopped && reason != api.ReasonLost || stopped && reason != api.ReasonCancelled {
				t.Errorf("stopped %v: %s", stopped, reason)
			}
		}, "a", "b", "a>b")
	}
}

// The commands have ended, but the disk is full, so the end of the run cannot be recorded. The stop is answered with that.
func TestStopIsAnsweredWhileTheDiskIsFull(t *testing.T) {
	test(t, func(b *testbed) {
		disk := &historytest.Faults{Disk: b.disk, Plan: historytest.Plan{Err: syscall.ENOSPC, Stay: true}}
		b.disk = disk
		b.close()
		b.open()
		b.host.StopPatience = time.Second
		r := b.start(api.RunRequest{})
		b.started("a")
		disk.FailFromNowOn()
		answer := b.stop(r, api.StopRequest{})
		b.ended("a", executor.Exit{Signal: 15, Stopped: true})
		if len(answer) > 0 {
			t.Errorf("answered at once: %+v", <-answer)
		}
		if res := <-answer; !strings.Contains(res.Problem, syscall.ENOSPC.Error()) || res.Killed != 1 || !res.Going {
			t.Errorf("%+v", res)
		}
		disk.Heal()
		b.sleep(2 * b.host.HoldPause)
		b.do(func() {})
		b.check("result", string(b.last(api.RunComplete).Result), string(api.Cancelled))
	}, "a")
}
