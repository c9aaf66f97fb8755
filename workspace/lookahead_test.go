package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
)

// shutIn waits until the executor has n prefetched jobs.
func shutIn(t *testing.T, s *fakeSession, n int) {
	t.Helper()
	waitFor(t, fmt.Sprint(n, " jobs behind gates"), func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.gates.shut) == n
	})
}

// beginAhead starts a run of a chain a, b, c. a is running, and the executor has the prefetched jobs of b and c.
func beginAhead(t *testing.T) (b *testbed, v *viewer, acc api.RunAccepted, s *fakeSession, a executor.Job) {
	t.Helper()
	b = newTestbed(t, "a>b", "b>c")
	b.open()
	v = b.watch()
	acc, s = b.run(api.RunRequest{})
	a = b.next(s)
	shutIn(t, s, 2)
	waitFor(t, "the start of a", func() bool { return slices.Contains(v.lines(), "node_started id-a 1 ") })
	return b, v, acc, s, a
}

// lines returns the events that a watcher got, without times and pids.
func (v *viewer) lines() (lines []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, e := range v.events {
		lines = append(lines, fmt.Sprint(e.Type, " ", e.Node, " ", e.Execution, " ", e.Reason))
	}
	return lines
}

// A stop comes when the executor has started a prefetched job and the report has not arrived yet. The job counts as a
// cancelled execution.
func TestStopAfterPrefetchedJobStarted(t *testing.T) {
	b, v, _, s, a := beginAhead(t)
	s.mute(true)
	s.end(a.ID, executor.Exit{})
	b.next(s)
	done := make(chan error, 1)
	var res api.StopResult
	go func() {
		var err error
		res, err = b.w.StopRun(context.Background(), "c2", "", api.StopRequest{})
		done <- err
	}()
	waitFor(t, "the stop", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.stops) > 0 })
	s.mute(false)
	if err := <-done; err != nil || res.Killed != 1 {
		t.Errorf("stop %+v, %v", res, err)
	}
	<-v.over
	d, err := b.w.Run(context.Background(), "")
	if err != nil || d.Result != api.Cancelled || d.Counts.OK != 1 || d.Counts.Cancelled != 1 || d.Counts.Idle != 1 || len(d.Execs) != 2 {
		t.Errorf("counts %+v, executions %+v, %v", d.Counts, d.Execs, err)
	}
	if got := b.read(); strings.Count(got, ">ran<") != 1 || strings.Count(got, ">fail<") != 1 {
		t.Errorf("file:\n%s", got)
	}
}

// The executor starts prefetched jobs while no daemon runs. The next daemon accepts executions that its journal does not
// contain.
func TestRestartAfterPrefetchedJobStarted(t *testing.T) {
	b := newTestbed(t, "a>b", "b>c", "c>d")
	b.open()
	acc, s := b.run(api.RunRequest{})
	a := b.next(s)
	shutIn(t, s, 2)
	b.close(b.w)
	s.end(a.ID, executor.Exit{})
	s.end(b.next(s).ID, executor.Exit{})
	c := b.next(s)
	b.open()
	<-b.fake.opened
	v := b.watch()
	s.end(c.ID, executor.Exit{Code: 3})
	<-v.over
	d, err := b.w.Run(context.Background(), acc.Run)
	if err != nil || d.Counts.OK != 2 || d.Counts.Failed != 1 || d.Counts.Blocked != 1 || len(d.Execs) != 3 {
		t.Errorf("counts %+v, executions %+v, %v", d.Counts, d.Execs, err)
	}
	if used := b.slots.inUse(); used != 0 {
		t.Errorf("%d slots in use", used)
	}
}

// The machine crashes in the middle of a chain. A prefetched job whose intent is in the runner log may have started, so it
// is lost and reported as lost, like the job that it depends on.
func TestPowerCutWithPrefetchedJobs(t *testing.T) {
	b := newTestbed(t, "a>b", "b>c", "c>d")
	b.open()
	acc, s := b.run(api.RunRequest{})
	a := b.next(s)
	shutIn(t, s, 2)
	b.close(b.w)
	if _, err := s.Close(context.Background()); err != nil { // the runner is gone, too
		t.Fatal(err)
	}
	lost := func(node int) executor.Report {
		return executor.Report{Kind: executor.Ended, ID: executor.ID{Node: node, Execution: 1}, Time: time.Now(), Exit: executor.Exit{Lost: true}}
	}
	x := newRecorder([]executor.Report{lost(2), lost(1),
		{Kind: executor.Started, ID: a.ID, Time: time.Now(), PID: 77}, lost(0)})
	b.cfg.Executor = x
	for range 2 { // the second time, all of it is in the journal
		b.open()
		waitFor(t, "the end", func() bool { return !b.w.presence.Busy() })
		d, err := b.w.Run(context.Background(), acc.Run)
		if err != nil || d.Counts.Failed != 3 || d.Counts.Blocked != 1 || len(d.Execs) != 3 {
			t.Errorf("counts %+v, executions %+v, %v", d.Counts, d.Execs, err)
		}
		for _, e := range d.Execs {
			if e.Reason != api.ReasonLost {
				t.Errorf("%+v", e)
			}
		}
		b.close(b.w)
	}
	x.Detach()
	x.reports.Wait()
}
