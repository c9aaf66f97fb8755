package workspace

import (
	"context"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"wf/api"
	"wf/workspace/activerun"
)

// otherRuns are the runs that commands have started elsewhere.
type otherRuns struct {
	mu      sync.Mutex // guards what follows
	stopped []activerun.Child
}

func (o *otherRuns) Began(api.Caller, activerun.Child) {}
func (o *otherRuns) Over(api.Caller)                   {}
func (o *otherRuns) Stop(child activerun.Child, _ *int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stopped = append(o.stopped, child)
}

// A recovered run is active before its executor is found: its commands are known, so the runs that they have started
// continue, and it can be stopped.
func TestRecoveredRunIsActiveBeforeItsExecutorIsFound(t *testing.T) {
	b := newTestbed(t, "a>b")
	others := &otherRuns{}
	b.cfg.Nested, b.cfg.holdPause = others, time.Millisecond
	b.open()
	acc, s := b.run(api.RunRequest{})
	a := b.next(s)
	b.close(b.w)
	b.fake.refuse(syscall.ENOSPC)
	b.open()
	v := b.watch()
	ctx := context.Background()
	caller := api.Caller{Workfile: b.path, Run: acc.Run, Node: "id-a", Execution: a.ID.Execution}
	if _, live, err := b.w.nestedRuns.CallerUnits(ctx, caller); err != nil || !live {
		t.Errorf("the command is not known: %v, %v", live, err)
	}
	if live, err := b.w.nestedRuns.Adopt(ctx, caller, activerun.Child{Workspace: "other", Run: "1"}); err != nil || !live {
		t.Errorf("the command is over: %v, %v", live, err)
	}
	if d, err := b.w.Run(ctx, acc.Run); err != nil || d.Result != "" || d.Counts.Running+d.Counts.Queued != 1 {
		t.Errorf("result %q, counts %+v, %v", d.Result, d.Counts, err)
	}
	stopped := make(chan error, 1)
	go func() {
		_, err := b.w.StopRun(ctx, "c2", acc.Run, api.StopRequest{})
		stopped <- err
	}()
	waitFor(t, "the stop", func() bool { st, err := b.w.Status(ctx, false); return err == nil && st.Runs[0].Stopping })
	b.fake.refuse(nil)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	<-v.over
	if !slices.Contains(others.stopped, activerun.Child{Workspace: "other", Run: "1"}) {
		t.Errorf("stopped elsewhere: %v", others.stopped)
	}
	if d, err := b.w.Run(ctx, acc.Run); err != nil || d.Result != api.Cancelled || d.Counts.Cancelled != 1 {
		t.Errorf("result %q, counts %+v, %v", d.Result, d.Counts, err)
	}
}
