package cluster_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wf/executor"
)

// A task that was stopped never starts, even if the batch system has a batch that had been given up.
func TestStopOfATaskOfALostBatch(t *testing.T) {
	c, dir := fakeSlurm(t)
	r := open(t, c)
	setFault(t, dir, "late", "")
	r.start("echo x >> runs")
	r.until(func() bool { return r.entries("unknown") > 0 })
	setFault(t, dir, "hold", "") // the next one may have started already
	r.session.Stop([]executor.ID{{Node: 0, Execution: 1}}, time.Minute)
	if e := r.await(executor.Ended, 0); !e.Exit.Stopped {
		t.Errorf("%+v", e)
	}
	before, _ := os.ReadFile(filepath.Join(r.spec.Cwd, "runs"))
	os.Remove(filepath.Join(dir, "hold"))
	if _, err := c.Shell.Run(t.Context(), `IFS="$(printf '\n.')"; IFS=${IFS%.}; exec sbatch $(cat "$FAKE_SLURM/late.args")`, nil); err != nil {
		t.Fatal(err)
	}
	r.until(func() bool {
		ended, _ := filepath.Glob(filepath.Join(dir, "job.*", "0", "exit"))
		return slices.ContainsFunc(ended, func(path string) bool {
			code, _ := os.ReadFile(path)
			return string(code) == "98\n"
		})
	})
	if after, _ := os.ReadFile(filepath.Join(r.spec.Cwd, "runs")); string(after) != string(before) {
		t.Errorf("it ran %q, then %q", before, after)
	}
}

// A cluster that does not answer cannot keep a run from ending. The messages name its jobs.
func TestEndWithoutTheCluster(t *testing.T) {
	c, dir := fakeSlurm(t)
	c.Timing.Trouble, c.Timing.Abandon = 100*time.Millisecond, 300*time.Millisecond
	r := openOnly(t, c)
	r.start("read -r line < " + r.fifo("stay"))
	r.await(executor.Started, 0)
	setFault(t, dir, "no-controller", "")
	r.session.Stop([]executor.ID{{Node: 0, Execution: 1}}, 0)
	if e := r.await(executor.Ended, 0); e.Exit != (executor.Exit{Stopped: true, Lost: true}) || !strings.Contains(e.Message, "job 1 may still be there") {
		t.Errorf("%+v", e)
	}
	if _, err := r.session.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "does not answer") || !strings.Contains(err.Error(), "jobs may still be there: 1;") {
		t.Errorf("error %v", err)
	}
}

// Close ends with its context, and a later session closes the run.
func TestCloseEndsWithItsContext(t *testing.T) {
	c, dir := fakeSlurm(t)
	r := openOnly(t, c)
	r.start("read -r line < " + r.fifo("stay"))
	r.await(executor.Started, 0)
	setFault(t, dir, "no-controller", "")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := r.session.Close(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "jobs may still be there: 1;") {
		t.Errorf("error %v", err)
	}
	os.Remove(filepath.Join(dir, "no-controller"))
	r.open()
	if _, err := r.session.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if e := r.await(executor.Ended, 0); !e.Exit.Stopped || e.Exit.Lost {
		t.Errorf("%+v", e)
	}
}
