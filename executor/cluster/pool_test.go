package cluster_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wf/executor"
	"wf/executor/cluster"
	"wf/executor/executortest"
)

// pooledSlurm is fakeSlurm with pools for all tasks.
func pooledSlurm(t *testing.T) (*cluster.Cluster, string) {
	t.Helper()
	c, dir := fakeSlurm(t)
	c.Resources.Mode = cluster.ModePool
	c.Pool = cluster.Pool{Size: 4, Idle: time.Minute}
	return c, dir
}

// TestContractOfPools checks what executors promise, for tasks that are executed in allocations.
func TestContractOfPools(t *testing.T) {
	t.Parallel()
	executortest.Test(t, func(t *testing.T) executor.Executor {
		c, _ := pooledSlurm(t)
		c.Pool.Size = 24
		return c
	}, poolPromises)
}

// poolPromises are those of a cluster but for the width: an allocation has a size of its own.
var poolPromises = executortest.Options{SharedFiles: true, MaxJobs: 24}

func TestPoolExecutesManyTasks(t *testing.T) {
	c, dir := pooledSlurm(t)
	r := open(t, c)
	commands := make([]string, 60)
	for i := range commands {
		commands[i] = fmt.Sprintf("echo %d; exit %d", i, i%2)
	}
	r.start(commands...)
	for i := range commands {
		e := r.await(executor.Ended, i)
		if e.Exit != (executor.Exit{Code: i % 2}) || r.output(e.Out) != fmt.Sprintln(i) {
			t.Errorf("task %d: %+v, %q", i, e, r.output(e.Out))
		}
	}
	if n := calls(t, dir, "sbatch"); n > 4 {
		t.Errorf("sbatch was called %d times", n)
	}
}

// In mode auto, tasks are executed in a pool if they are short and many.
func TestModeAuto(t *testing.T) {
	for _, c := range []struct {
		name  string
		tasks int
		time  time.Duration
		steps bool
	}{{"short and many", 30, time.Minute, true}, {"few", 5, time.Minute, false}, {"long", 30, time.Hour, false}, {"of unknown length", 30, 0, false}} {
		t.Run(c.name, func(t *testing.T) {
			cl, dir := pooledSlurm(t)
			cl.Resources = executor.Resources{Time: c.time}
			r := open(t, cl)
			r.start(repeated(c.tasks, "true")...)
			for i := range c.tasks {
				r.await(executor.Ended, i)
			}
			steps, _ := filepath.Glob(filepath.Join(dir, "job.*", "step.*"))
			if (len(steps) > 0) != c.steps {
				t.Errorf("%d steps", len(steps))
			}
		})
	}
}

func repeated(n int, command string) []string {
	commands := make([]string, n)
	for i := range commands {
		commands[i] = command
	}
	return commands
}

// A machine that fails ends the tasks that run there; those that wait in the allocation get another one.
func TestLostAllocation(t *testing.T) {
	c, dir := pooledSlurm(t)
	c.Pool.Size = 1
	r := open(t, c)
	fifo := r.fifo("stay")
	r.start("read -r line < "+fifo, "echo next")
	r.await(executor.Started, 0)
	setFault(t, dir, "job.1/0/state", "NODE_FAIL\n")
	if e := r.await(executor.Ended, 0); e.Exit != (executor.Exit{Cause: executor.CauseNode}) {
		t.Errorf("running: %+v", e)
	}
	if e := r.await(executor.Ended, 1); e.Exit != (executor.Exit{}) || r.output(e.Out) != "next\n" {
		t.Errorf("waiting: %+v", e)
	}
}

// What the command of a step prints explains a failure.
func TestStepOutOfMemory(t *testing.T) {
	c, dir := pooledSlurm(t)
	r := open(t, c)
	fifo := r.fifo("go")
	r.start("read -r line < " + fifo + "; kill -9 $$")
	r.await(executor.Started, 0)
	setFault(t, dir, "job.1/step.0/message", "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0. Some of the step tasks have been OOM Killed.\n")
	if err := os.WriteFile(fifo, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	if e := r.await(executor.Ended, 0); e.Exit.Cause != executor.CauseMemory || e.Exit.Signal != 9 {
		t.Errorf("%+v", e)
	}
}

// A step executes several tasks. What ends one of them says nothing about the others.
func TestTasksThatShareAStep(t *testing.T) {
	c, dir := pooledSlurm(t)
	c.Pool.Size = 1
	r := open(t, c)
	first := r.fifo("first")
	r.start("read -r line < "+first, "read -r line < "+r.fifo("stay"), "echo third", "read -r line < "+r.fifo("killed"), "echo fifth")
	r.await(executor.Started, 0)
	if err := os.WriteFile(first, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	if e := r.await(executor.Ended, 0); e.Exit != (executor.Exit{}) {
		t.Errorf("the first: %+v", e)
	}
	r.await(executor.Started, 1)
	r.session.Stop([]executor.ID{{Node: 0, Execution: 1}, {Node: 1, Execution: 1}}, time.Minute)
	if e := r.await(executor.Ended, 1); !e.Exit.Stopped || e.Exit.Signal != 15 {
		t.Errorf("the stopped one: %+v", e)
	}
	if e := r.await(executor.Ended, 2); e.Exit != (executor.Exit{}) || r.output(e.Out) != "third\n" {
		t.Errorf("the third: %+v", e)
	}
	step := strings.Replace(r.await(executor.Started, 3).Engine.ID, ".", "/step.", 1)
	setFault(t, dir, "job."+step+"/message", "slurmstepd: error: Detected 1 oom_kill event in StepId=1.1. Some of the step tasks have been OOM Killed.\n")
	killGroup(t, strings.TrimSpace(r.file(filepath.Join(dir, "job."+step, "pid"))))
	if e := r.await(executor.Ended, 3); e.Exit.Cause != executor.CauseMemory {
		t.Errorf("the killed one: %+v", e)
	}
	if e := r.await(executor.Ended, 4); e.Exit != (executor.Exit{}) || r.output(e.Out) != "fifth\n" {
		t.Errorf("the fifth: %+v", e)
	}
}

// Short tasks that wait at the same time are executed by few steps.
func TestFewStepsForManyTasks(t *testing.T) {
	c, dir := pooledSlurm(t)
	c.Pool.Size = 2
	r := open(t, c)
	r.start(repeated(40, "true")...)
	for i := range 40 {
		r.await(executor.Ended, i)
	}
	if steps, _ := filepath.Glob(filepath.Join(dir, "job.*", "step.*")); len(steps) > 20 {
		t.Errorf("%d steps", len(steps))
	}
}

// A step that is killed with its job script leaves no result: the task is lost, at once.
func TestKilledStep(t *testing.T) {
	c, dir := pooledSlurm(t)
	c.Timing.Missing = 200 * time.Millisecond
	r := open(t, c)
	r.start("read -r line < " + r.fifo("stay"))
	r.await(executor.Started, 0)
	killGroup(t, strings.TrimSpace(r.file(filepath.Join(dir, "job.1/step.0/pid"))))
	if e := r.await(executor.Ended, 0); !e.Exit.Lost {
		t.Errorf("%+v", e)
	}
}

// A task that no step can start in several allocations fails with the words of the batch system, and can start no more.
func TestStepsThatCannotStart(t *testing.T) {
	c, dir := pooledSlurm(t)
	setFault(t, dir, "fail-steps", "srun: error: Unable to create step for job 1: More processors requested than permitted\n")
	r := open(t, c)
	r.start("true")
	if e := r.await(executor.Ended, 0); !e.Exit.Failed || !strings.Contains(e.Message, "More processors requested") || !strings.Contains(e.Message, "has not started") {
		t.Errorf("%+v", e)
	}
}

// An allocation that the batch system does not know any more starts nothing. Its tasks get another one.
func TestAllocationWhoseStepsFail(t *testing.T) {
	c, dir := pooledSlurm(t)
	setFault(t, dir, "fail-steps.1", "srun: error: Unable to confirm allocation for job 1: Invalid job id specified\n")
	r := open(t, c)
	r.start(repeated(6, "echo x >> runs")...)
	for node := range 6 {
		if e := r.await(executor.Ended, node); e.Exit != (executor.Exit{}) || strings.HasPrefix(e.Engine.ID, "1.") {
			t.Errorf("node %d: %+v", node, e)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(r.spec.Cwd, "runs")); strings.Count(string(text), "x") != 6 {
		t.Errorf("they ran %q", text)
	}
}

// Allocations that end at once, again and again, fail the tasks that wait for them.
func TestAllocationsThatEndAtOnce(t *testing.T) {
	c, dir := pooledSlurm(t)
	setFault(t, dir, "hold", "")
	r := open(t, c)
	r.start("true")
	for job := 1; job <= 3; job++ {
		name := fmt.Sprintf("job.%d/0/state", job)
		r.until(func() bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil })
		setFault(t, dir, name, "CANCELLED\n")
	}
	if e := r.await(executor.Ended, 0); !e.Exit.Failed || !strings.Contains(e.Message, "CANCELLED") {
		t.Errorf("%+v", e)
	}
}

// An allocation without tasks is given back; the next tasks get another one.
func TestIdleAllocation(t *testing.T) {
	c, dir := pooledSlurm(t)
	c.Pool.Idle = time.Second
	r := open(t, c)
	r.start("true")
	r.await(executor.Ended, 0)
	r.until(func() bool { _, err := os.Stat(filepath.Join(dir, "job.1/0/exit")); return err == nil })
	if err := r.session.Start([]executor.Job{{ID: executor.ID{Node: 1, Execution: 1}, Command: "true"}}); err != nil {
		t.Fatal(err)
	}
	if e := r.await(executor.Ended, 1); e.Exit != (executor.Exit{}) {
		t.Errorf("%+v", e)
	}
}

// A later session goes on with the allocations of an earlier one.
func TestPoolOfAnEarlierSession(t *testing.T) {
	c, dir := pooledSlurm(t)
	c.Pool.Size, c.Pool.Limit = 1, 1
	r := open(t, c)
	fifo := r.fifo("go")
	r.start("read -r line < "+fifo+"; echo $line", "echo second")
	r.await(executor.Started, 0)
	r.session.Detach()
	if err := os.WriteFile(fifo, []byte("after\n"), 0); err != nil {
		t.Fatal(err)
	}
	r.open()
	r.start("read -r line < "+fifo+"; echo $line", "echo second")
	for node, want := range []string{"after\n", "second\n"} {
		if e := r.await(executor.Ended, node); e.Exit != (executor.Exit{}) || r.output(e.Out) != want {
			t.Errorf("task %d: %+v, %q", node, e, r.output(e.Out))
		}
	}
	if n := calls(t, dir, "sbatch"); n != 1 {
		t.Errorf("sbatch was called %d times", n)
	}
}

// An allocation that waits for its start gets no tasks that another one executes, and is removed when nothing is left for it.
func TestAllocationThatIsNotNeededAnyMore(t *testing.T) {
	c, dir := pooledSlurm(t)
	c.Pool.Size = 1
	r := open(t, c)
	fifo := r.fifo("go")
	r.start("read -r line < " + fifo)
	r.await(executor.Started, 0)
	setFault(t, dir, "hold", "")
	if err := r.session.Start([]executor.Job{{ID: executor.ID{Node: 1, Execution: 1}, Command: "true"}}); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(dir, "job.2/0/state")
	r.until(func() bool { _, err := os.Stat(state); return err == nil })
	if err := os.WriteFile(fifo, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	if e := r.await(executor.Ended, 1); e.Exit != (executor.Exit{}) {
		t.Errorf("%+v", e)
	}
	r.until(func() bool { text, _ := os.ReadFile(state); return string(text) == "CANCELLED\n" })
}

// file returns the content of a file.
func (r *run) file(path string) string {
	r.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		r.Fatal(err)
	}
	return string(text)
}
