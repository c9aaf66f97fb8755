package executor_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"wf/executor"
	"wf/executor/proc"
)

// TestEnvironmentGone removes the environment file of an active run: commands still get their environment, and the file is
// written again for the next runner, even if no runner was alive.
func TestEnvironmentGone(t *testing.T) {
	if err := proc.BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	r := openRun(t, newLocal(t), t.TempDir())
	path := filepath.Join(r.dir, "env")
	node := 0
	there := func() bool {
		t.Helper()
		r.start(node, `test "$WF_RUN_ID" = `+t.Name())
		if end := r.await(executor.Ended, node); end.Exit.Code != 0 || end.Exit.Failed {
			t.Errorf("node %d: %+v", node, end)
		}
		node++
		_, err := os.Stat(path)
		return err == nil
	}
	for turn := range 3 {
		there()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if turn == 2 {
			r.killRunner()
		}
		for end := node + 1000; !there(); { // checks are guardPause apart
			if node == end {
				t.Fatal("the environment file is not written again")
			}
		}
	}
	r.close()
	if _, err := os.Stat(path); err == nil {
		t.Error("the environment outlives the run")
	}
}

// TestEnvironmentAfterDetach closes a run that was detached before and whose runner is dead, as a daemon does that ends
// while a run ends. The environment stays, because the run is not closed: a later session may have to start commands.
func TestEnvironmentAfterDetach(t *testing.T) {
	if err := proc.BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	r := openRun(t, newLocal(t), t.TempDir())
	r.start(0, "")
	r.await(executor.Ended, 0)
	r.session.Detach()
	r.killRunner()
	lock, err := os.Open(filepath.Join(r.dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil { // waits for the death of the runner
		t.Fatal(err)
	}
	lock.Close()
	if _, err := r.session.Close(context.Background()); err == nil {
		t.Error("close of a detached run returns no error")
	}
	if _, err := os.Stat(filepath.Join(r.dir, "env")); err != nil {
		t.Error(err)
	}
}

// TestEnvironmentLost removes the environment file, the runner and the daemon that had the environment. No command starts
// and none fails until the file is back.
func TestEnvironmentLost(t *testing.T) {
	if err := proc.BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	x := newLocal(t)
	r := openRun(t, x, dir)
	path := filepath.Join(dir, "env")
	r.start(1, "")
	r.await(executor.Ended, 1)
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	r.session.Detach()
	r.killRunner()
	next := &run{T: t, dir: dir, reports: make(chan executor.Report, 100)}
	session, err := x.Open(context.Background(), executor.Spec{Dir: dir, Cwd: t.TempDir(), Width: 8, Report: func(reports []executor.Report) {
		for _, report := range reports {
			next.reports <- report
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	next.session = session
	next.start(0, `test "$WF_RUN_ID" = `+t.Name())
	if held := next.await(executor.Held, 0); !strings.Contains(held.Message, path) {
		t.Errorf("held: %+v", held)
	}
	if err := os.Rename(path+".old", path); err != nil {
		t.Fatal(err)
	}
	if end := next.await(executor.Ended, 0); end.Exit.Code != 0 || end.Exit.Failed {
		t.Errorf("%+v", end)
	}
	next.close()
}
