package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/history"
	"wf/workspace/workfile"
)

// newLeft returns a workfile with an unfinished run of an earlier daemon.
func newLeft(t *testing.T) *testbed {
	b := newTestbed(t, "a>b")
	b.open()
	_, s := b.run(api.RunRequest{})
	t.Cleanup(func() {
		if _, err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	b.close(b.w) // lets go of the run, as a death does
	return b
}

// tries returns the number of recovery attempts in the note.
func (b *testbed) tries() int {
	b.t.Helper()
	id, real, err := workfile.ID(b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	note, err := history.ReadRecovery(b.cfg.State, id, real)
	if err != nil {
		b.t.Fatal(err)
	}
	return note.Tries
}

// begin notes a recovery attempt that does not end, because its daemon has died.
func (b *testbed) begin() {
	b.t.Helper()
	id, real, err := workfile.ID(b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	note, err := history.ReadRecovery(b.cfg.State, id, real)
	if err == nil {
		err = history.BeginRecovery(history.LocalDisk{}, b.cfg.State, note, time.Now())
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// noted is an executor that looks at the note when it is asked to follow a run.
type noted struct {
	*fakeExecutor
	seen chan int
	b    *testbed
}

func (x noted) Open(ctx context.Context, spec executor.Spec) (executor.Session, error) {
	x.seen <- x.b.tries()
	return x.fakeExecutor.Open(ctx, spec)
}

// TestRecoveryAttemptIsNotedAndRemoved: the note of the recovery attempt exists during recovery and is removed afterwards.
func TestRecoveryAttemptIsNotedAndRemoved(t *testing.T) {
	b := newLeft(t)
	x := noted{b.cfg.Executor.(*fakeExecutor), make(chan int, 1), b}
	b.cfg.Executor = x
	for range 2 * history.RecoveryLimit {
		b.begin() // two may die
		b.begin()
		b.open()
		if n := <-x.seen; n != 3 {
			t.Errorf("%d tries are noted while the run is taken up, want 3", n)
		}
		within(t, "the note is taken back", func() bool { return b.tries() == 0 })
		b.close(b.w)
	}
}

// within waits for a condition that no event reports.
func within(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("in vain: " + what)
		}
	}
}

// TestQuarantinedWorkspace: after three crashes the workspace is quarantined, even if the note about its active run is lost.
// Nothing is changed, and a retry request makes one more attempt.
func TestQuarantinedWorkspace(t *testing.T) {
	for _, marked := range []bool{true, false} {
		b := newLeft(t)
		if !marked {
			if err := os.RemoveAll(filepath.Join(b.cfg.State, "active")); err != nil {
				t.Fatal(err)
			}
		}
		for range history.RecoveryLimit {
			b.begin()
		}
		w, err := Open(b.path, b.cfg)
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.StartRun(context.Background(), "c1", api.RunRequest{})
		var refused *api.Error
		if !errors.As(err, &refused) || refused.Code != api.CodeRefused || !strings.Contains(refused.Why, "3 daemons in a row crashed") ||
			!strings.HasPrefix(refused.Fix, "wf server retry") || refused.Where != b.path {
			t.Fatalf("marked %v: a run begins in a held workspace: %+v", marked, err)
		}
		if info := w.presence.Info(); info.State != "held" || len(info.Runs) != 1 || !w.presence.Busy() {
			t.Errorf("marked %v: %+v", marked, info)
		}
		if status, err := w.Status(context.Background(), true); err != nil || !strings.Contains(status.Problem, "3 daemons in a row crashed") {
			t.Errorf("marked %v: the status says %q, %v", marked, status.Problem, err)
		}
		b.close(w)
		held, err := Held(b.cfg.State)
		if err != nil || len(held) != 1 || held[0].Workfile != b.path || held[0].Tries != 3 || held[0].Why == "" {
			t.Errorf("marked %v: held %+v, %v", marked, held, err)
		}
		if n := b.tries(); n != 3 {
			t.Errorf("marked %v: a refusal counts as a trial: %d", marked, n)
		}
		w, err = Retry(b.path, b.cfg)
		if err != nil {
			t.Fatalf("marked %v: %v", marked, err)
		}
		if runs := w.presence.Info().Runs; len(runs) != 1 || runs[0] != "1" {
			t.Errorf("marked %v: runs %v", marked, runs)
		}
		within(t, "the note is taken back", func() bool { return b.tries() == 0 })
		b.close(w)
	}
}

// TestQuarantinedRunIsStopped: the run of a quarantined workspace can be stopped without recovering it. Then the workspace works
// normally.
func TestQuarantinedRunIsStopped(t *testing.T) {
	for _, all := range []bool{false, true} {
		b := newLeft(t)
		for range history.RecoveryLimit {
			b.begin()
		}
		w := b.open()
		var err error
		if all {
			_, err = w.StopAll(context.Background(), "c1", api.StopRequest{})
		} else {
			_, err = w.StopRun(context.Background(), "c1", "", api.StopRequest{})
		}
		if err != nil {
			t.Fatal(err)
		}
		detail, err := w.Run(context.Background(), "1")
		if err != nil || detail.Result != api.Cancelled || w.presence.Busy() {
			t.Errorf("run 1 is %q, busy %v, %v", detail.Result, w.presence.Busy(), err)
		}
		within(t, "the note is taken back", func() bool { return b.tries() == 0 })
		if _, err := w.StartRun(context.Background(), "c1", api.RunRequest{Nodes: []string{"nobody"}}); err == nil || strings.Contains(err.Error(), "held") {
			t.Errorf("no run can begin: %v", err)
		}
	}
}

// TestRehearsal: another process decides whether a quarantined workfile is recovered, and dies in place of the daemon.
func TestRehearsal(t *testing.T) {
	b := newLeft(t)
	for range history.RecoveryLimit {
		b.begin()
	}
	dies := errors.New("signal: killed")
	rehearsed := make(chan string, 10)
	b.cfg.Rehearse = func(path string) error {
		rehearsed <- path
		return dies
	}
	w, err := Retry(b.path, b.cfg)
	if err != nil || w.presence.Info().State != "held" || <-rehearsed != b.path {
		t.Fatalf("%v, %+v", err, w.presence.Info())
	}
	err = w.quarantine.Retry(context.Background())
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Code != api.CodeRefused || refused.Why != dies.Error() || b.tries() != 3 {
		t.Errorf("the retry says %v after %d tries", err, b.tries())
	}
	dies = nil
	if err := w.quarantine.Retry(context.Background()); err != nil {
		t.Fatal(err)
	}
	within(t, "the run is taken up", func() bool { return b.tries() == 0 && w.presence.Info().State == "running" })
	b.close(w)
}

// TestAttemptsThatDoNotCount: neither an orderly end nor a workfile that cannot be read counts as a failed attempt, and the note
// about a run that is over is removed.
func TestAttemptsThatDoNotCount(t *testing.T) {
	b := newLeft(t)
	text := b.read()
	b.write("no workfile")
	w, err := Open(b.path, b.cfg) // what the run began with stands in for it
	if err != nil {
		t.Fatal(err)
	}
	b.close(w)
	if b.tries() != 0 {
		t.Errorf("an unreadable workfile: %d tries", b.tries())
	}
	b.write(text)
	for range 2 * history.RecoveryLimit {
		b.open()
		b.close(b.w) // at once
		if n := b.tries(); n != 0 {
			t.Fatalf("an end in order left %d tries", n)
		}
	}
	over := newTestbed(t, "a>b")
	id, real, err := workfile.ID(over.path)
	if err == nil {
		err = history.MarkActive(history.LocalDisk{}, over.cfg.State, id, real)
	}
	if err != nil {
		t.Fatal(err)
	}
	over.open()
	if history.IsActive(over.cfg.State, id) {
		t.Error("the mark of nothing stays")
	}
	over.close(over.w)
}

// A daemon that is killed after it has prepared a run and before there is a runner leaves nothing behind that could be lost.
func TestRunThatNeverStarted(t *testing.T) {
	b := newTestbed(t, "a>b")
	id, real, err := workfile.ID(b.path)
	if err != nil {
		t.Fatal(err)
	}
	store, err := history.Open(history.LocalDisk{}, history.Folder(b.cfg.State, id))
	if err != nil {
		t.Fatal(err)
	}
	frozen, err := os.ReadFile(b.path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.Create(history.Request{Workspace: id, Workfile: real, Mode: api.ModeFresh, Scope: []string{"id-a", "id-b"}, Names: []string{"a", "b"}}, frozen)
	if err == nil {
		err = errors.Join(r.Close(), history.MarkActive(history.LocalDisk{}, b.cfg.State, id, real), os.Mkdir(filepath.Join(r.Dir(), "out"), 0o700),
			os.WriteFile(filepath.Join(r.Dir(), "env"), []byte("PATH=/bin\x00"), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	b.open()
	list, err := b.w.Runs(context.Background())
	if err != nil || len(list.Runs) > 0 || b.w.presence.Busy() {
		t.Errorf("runs %+v, %v", list.Runs, err)
	}
}
