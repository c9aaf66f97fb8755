package cluster_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/executor"
	"wf/executor/cluster"
)

// The folder of a run on the shared file system has a name that follows from the run. So a task that was started does not start
// again, although the journal of the cluster was removed and the task is submitted again.
func TestRemovedJournal(t *testing.T) {
	c, dir := fakeSlurm(t)
	c.Dir = t.TempDir()
	r := openRun(t, c, "a/1")
	fifo := r.fifo("go")
	command := "echo x >> runs; read -r line < " + fifo + "; exit 3"
	r.start(command)
	r.await(executor.Started, 0)
	r.session.Detach()
	if err := os.Remove(filepath.Join(r.spec.Dir, "cluster.hpc")); err != nil {
		t.Fatal(err)
	}
	r.open()
	r.start(command)
	r.until(func() bool { return calls(t, dir, "sbatch") == 2 })
	if err := os.WriteFile(fifo, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	if e := r.await(executor.Ended, 0); e.Exit != (executor.Exit{Code: 3}) {
		t.Errorf("%+v", e)
	}
	if text, _ := os.ReadFile(filepath.Join(r.spec.Cwd, "runs")); string(text) != "x\n" {
		t.Errorf("it ran %q", text)
	}
}

// Two runs on the same cluster have different folders, and so have two clusters of a run.
func TestFoldersOfRuns(t *testing.T) {
	c, _ := fakeSlurm(t)
	c.Dir = t.TempDir()
	other, _ := fakeSlurm(t)
	other.Name, other.Dir = "other", c.Dir
	for _, r := range []*run{openRun(t, c, "a/1"), openRun(t, c, "a/2"), openRun(t, other, "a/1"), openRun(t, c, ""), openRun(t, c, "")} {
		r.start("true")
		r.await(executor.Ended, 0)
	}
	if folders, _ := os.ReadDir(c.Dir); len(folders) != 5 {
		t.Errorf("%v", folders)
	}
}

// A task that the batch system has cancelled before it started never starts, even if the controller forgets the cancellation.
func TestCancelledBeforeItsStart(t *testing.T) {
	c, dir := fakeSlurm(t)
	setFault(t, dir, "hold", "")
	r := open(t, c)
	r.start("echo x >> runs")
	r.until(func() bool { _, err := os.Stat(filepath.Join(dir, "job.1/0/state")); return err == nil })
	setFault(t, dir, "job.1/0/state", "CANCELLED\n")
	e := r.await(executor.Ended, 0)
	if e.Exit != (executor.Exit{Cause: executor.CauseCancelled}) || !strings.Contains(e.Message, "its command has not started") {
		t.Errorf("%+v", e)
	}
	if text, err := os.ReadFile(filepath.Join(r.spec.Dir, "cluster-hpc/starts/0.1")); string(text) != "stopped\n" {
		t.Errorf("starts/0.1 is %q, %v", text, err)
	}
}

// A job may be cancelled between the file that its start is and the news of it. It is cancelled, and may have done something.
func TestCancelledAtItsStart(t *testing.T) {
	c, dir := fakeSlurm(t)
	setFault(t, dir, "hold", "")
	r := open(t, c)
	r.start("echo x >> runs")
	r.until(func() bool { _, err := os.Stat(filepath.Join(dir, "job.1/0/state")); return err == nil })
	if err := os.WriteFile(filepath.Join(r.spec.Dir, "cluster-hpc/starts/0.1"), []byte("n1 77\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	setFault(t, dir, "job.1/0/state", "CANCELLED\n")
	e := r.await(executor.Ended, 0)
	if e.Exit != (executor.Exit{Cause: executor.CauseCancelled}) || strings.Contains(e.Message, "has not started") {
		t.Errorf("%+v", e)
	}
}

// A command that exits by itself keeps its exit code, whatever becomes of its job or machine afterwards.
func TestFailuresAfterTheEnd(t *testing.T) {
	for _, state := range []string{"NODE_FAIL", "CANCELLED", "PREEMPTED"} {
		t.Run(state, func(t *testing.T) {
			c, dir := fakeSlurm(t)
			r := open(t, c)
			fifo := r.fifo("go")
			r.start("read -r line < " + fifo + "; exit 2")
			r.await(executor.Started, 0)
			setFault(t, dir, "job.1/0/state", state+"\n")
			if err := os.WriteFile(fifo, []byte("go\n"), 0); err != nil {
				t.Fatal(err)
			}
			if e := r.await(executor.Ended, 0); e.Exit != (executor.Exit{Code: 2}) {
				t.Errorf("%+v", e)
			}
		})
	}
}

// openRun opens a session of a run.
func openRun(t *testing.T, c *cluster.Cluster, id string) *run {
	t.Helper()
	r := &run{T: t, c: c, spec: executor.Spec{Dir: t.TempDir(), Run: id, Cwd: t.TempDir(), Width: 1000, Env: os.Environ()}}
	r.open()
	t.Cleanup(func() {
		if _, err := r.session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}
