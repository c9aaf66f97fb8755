package executor_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"wf/executor"
	"wf/executor/executortest"
)

// newSpareLocal returns a Local that has a spare runner.
func newSpareLocal(t *testing.T) *executor.Local {
	t.Helper()
	x := newLocal(t).(*executor.Local)
	ctx, cancel := context.WithCancel(context.Background())
	var keeper sync.WaitGroup
	keeper.Go(func() { x.KeepSpare(ctx) })
	t.Cleanup(func() {
		cancel()
		keeper.Wait()
	})
	awaitSpare(t, x)
	return x
}

// awaitSpare waits until x has a spare runner, and returns its pid.
func awaitSpare(t *testing.T, x *executor.Local) int {
	t.Helper()
	for end := time.Now().Add(executortest.Timeout); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if pid := x.SpareRunner(); pid != 0 {
			return pid
		}
	}
	t.Fatal("no spare runner")
	return 0
}

func TestLocalWithSpareRunner(t *testing.T) {
	executortest.Test(t, func(t *testing.T) executor.Executor { return checkedExecutor{newSpareLocal(t)} }, localPromises)
}

// parentOfCommand executes a command that prints the pid of its runner and its working directory.
func parentOfCommand(t *testing.T, h *executortest.Harness) (runner int, cwd string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "parent")
	if end := h.Execute(0, "echo $PPID $PWD >"+file+"; umask >&2"); end.Exit.Code != 0 {
		t.Fatalf("%+v", end)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Sscan(string(text), &runner, &cwd)
	return runner, cwd
}

func TestSpareRunnerTakesTheRun(t *testing.T) {
	x := newSpareLocal(t)
	spare := x.SpareRunner()
	h := executortest.New(t, x)
	runner, cwd := parentOfCommand(t, h)
	if runner != spare || cwd != h.Spec.Cwd {
		t.Errorf("runner %d in %s, want %d in %s", runner, cwd, spare, h.Spec.Cwd)
	}
	if next := awaitSpare(t, x); next == spare {
		t.Error("the next spare runner is the runner of a run")
	}
	args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", runner))
	if err == nil && !strings.Contains(string(args), "runner\x00"+h.Spec.Dir+"\x00") {
		t.Errorf("command line %q", args)
	}
	h.Close()
	for end := time.Now().Add(executortest.Timeout); syscall.Kill(spare, 0) == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the runner is alive after the end of its run")
		}
	}
}

// TestRunWithoutUsableSpareRunner checks that a run starts a runner if the spare one is dead or does not answer, or is not
// what a runner would be now.
func TestRunWithoutUsableSpareRunner(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, x *executor.Local){
		"dead":    func(t *testing.T, x *executor.Local) { syscall.Kill(x.SpareRunner(), syscall.SIGKILL) },
		"stopped": func(t *testing.T, x *executor.Local) { syscall.Kill(x.SpareRunner(), syscall.SIGSTOP) },
		"other program": func(t *testing.T, x *executor.Local) {
			other := filepath.Join(t.TempDir(), "program")
			if err := os.Link(x.Program[0], other); err != nil {
				t.Skip(err)
			}
			if err := os.WriteFile(other+".new", []byte("#!/bin/sh\nexec "+x.Program[0]+" \"$@\"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			x.Program[0] = other + ".new"
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := newSpareLocal(t)
			spare := x.SpareRunner()
			spoil(t, x)
			h := executortest.New(t, x)
			if runner, _ := parentOfCommand(t, h); runner == spare {
				t.Error("the spare runner took the run")
			}
			if syscall.Kill(spare, 0) == nil {
				t.Error("the spare runner is alive")
			}
		})
	}
}

func TestSpareRunnerEndsWithItsKeeper(t *testing.T) {
	x := newLocal(t).(*executor.Local)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		x.KeepSpare(ctx)
	}()
	spare := awaitSpare(t, x)
	cancel()
	<-done
	if syscall.Kill(spare, 0) == nil {
		t.Error("the spare runner is alive")
	}
}

// TestExpectedRunsHaveSpareRunners checks that there is a spare runner for each expected run, and one when none is expected.
func TestExpectedRunsHaveSpareRunners(t *testing.T) {
	x := newSpareLocal(t)
	wait := func(n int) []int {
		t.Helper()
		for end := time.Now().Add(executortest.Timeout); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if all := x.SpareRunners(); len(all) == n {
				return all
			}
		}
		t.Fatalf("there are %d spare runners, want %d", len(x.SpareRunners()), n)
		return nil
	}
	var over []func()
	for range 3 {
		over = append(over, x.Expect())
	}
	all := wait(3)
	h := executortest.New(t, x)
	if runner, _ := parentOfCommand(t, h); runner != all[0] {
		t.Errorf("runner %d, want %d", runner, all[0])
	}
	h.Close()
	for _, f := range over {
		f()
		f() // a second call has no effect
	}
	wait(1)
	for range 40 {
		over = append(over, x.Expect())
	}
	all = wait(16)
	for _, f := range over {
		f()
	}
	wait(1)
	for _, pid := range all[1:] {
		for end := time.Now().Add(executortest.Timeout); syscall.Kill(pid, 0) == nil; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("a spare runner is alive that no run needs")
			}
		}
	}
}
