package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wf/executor"
)

// The machine with the script of an allocation fails, and the allocation goes on for the batch system: what ran on that machine has
// failed, and everything else gets another allocation.
func TestAllocationWithoutItsScript(t *testing.T) {
	c, dir := pooledSlurm(t)
	c.Pool.Size = 2
	r := open(t, c)
	stay := "read -r line < " + r.fifo("stay")
	r.start(stay, stay, "echo next")
	r.await(executor.Started, 0)
	r.await(executor.Started, 1)
	setFault(t, dir, "job.1/0/host", "n[2-3]\n")
	for node := range 2 {
		if e := r.await(executor.Ended, node); e.Exit != (executor.Exit{Cause: executor.CauseNode}) || e.Engine.Host == "" {
			t.Errorf("node %d: %+v", node, e)
		}
	}
	if e := r.await(executor.Ended, 2); e.Exit != (executor.Exit{}) || r.output(e.Out) != "next\n" || !strings.HasPrefix(e.Engine.ID, "2.") {
		t.Errorf("what waited: %+v", e)
	}
	r.until(func() bool { return called(t, dir, "scancel --quiet  1") })
}

// Steps of an allocation hang before they start their tasks, which get another allocation. Each runs once.
func TestAllocationThatStartsNothing(t *testing.T) {
	c, dir := pooledSlurm(t)
	c.Timing.Stall = time.Second
	setFault(t, dir, "hang-steps", "")
	r := open(t, c)
	r.start("echo a >> runs", "echo b >> runs")
	for node := range 2 {
		if e := r.await(executor.Ended, node); e.Exit != (executor.Exit{}) || !strings.HasPrefix(e.Engine.ID, "2.") {
			t.Errorf("node %d: %+v", node, e)
		}
	}
	os.Remove(filepath.Join(dir, "hang-steps"))
	r.until(func() bool { return called(t, dir, "scancel --quiet  1") })
	if text, _ := os.ReadFile(filepath.Join(r.spec.Cwd, "runs")); len(text) != len("a\nb\n") {
		t.Errorf("they ran %q", text)
	}
}

// A place that an idle allocation holds is given to tasks that need another one.
func TestIdleAllocationMakesRoom(t *testing.T) {
	c, dir := pooledSlurm(t)
	c.Pool.Limit = 1
	r := open(t, c)
	r.start("true")
	r.await(executor.Ended, 0)
	job := executor.Job{ID: executor.ID{Node: 1, Execution: 1}, Command: "true", Resources: executor.Resources{CPUs: 2}}
	if err := r.session.Start([]executor.Job{job}); err != nil {
		t.Fatal(err)
	}
	if e := r.await(executor.Ended, 1); e.Exit != (executor.Exit{}) {
		t.Errorf("%+v", e)
	}
	if !called(t, dir, "scancel --quiet  1") {
		t.Error("the first allocation was not given back")
	}
}

// called reports whether a program of the batch system was called with these words.
func called(t *testing.T, dir, call string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.Join(strings.Fields(line), " ") == strings.Join(strings.Fields(call), " ") {
			return true
		}
	}
	return false
}

// fail starts a command, and has its machine fail, count times. All tasks of one time are lost by one failure.
func (r *run) fail(dir string, job, tasks int) {
	r.Helper()
	var jobs []executor.Job
	for i := range tasks {
		jobs = append(jobs, executor.Job{ID: executor.ID{Node: i, Execution: job}, Command: "read -r line < stay"})
	}
	if err := r.session.Start(jobs); err != nil {
		r.Fatal(err)
	}
	for i := range tasks {
		r.awaitExecution(executor.Started, i, job)
	}
	for i := range tasks {
		setFault(r.T, dir, filepath.Join("job."+string(rune('0'+job)), string(rune('0'+i)), "state"), "NODE_FAIL\n")
	}
	for i := range tasks {
		if e := r.awaitExecution(executor.Ended, i, job); e.Exit.Cause != executor.CauseNode {
			r.Errorf("task %d of job %d: %+v", i, job, e)
		}
	}
}

// awaitExecution is await for one of several executions of a node.
func (r *run) awaitExecution(kind executor.Kind, node, execution int) (found executor.Report) {
	r.Helper()
	r.until(func() bool {
		for {
			select {
			case rep := <-r.reports:
				r.seen = append(r.seen, rep)
				continue
			default:
			}
			break
		}
		for _, rep := range r.seen {
			if rep.Kind == kind && rep.ID == (executor.ID{Node: node, Execution: execution}) {
				found = rep
				return true
			}
		}
		return false
	})
	return found
}

// A machine that has failed twice gets no more tasks, also after the daemon was replaced. Several tasks that it loses at once are one
// failure. If there is no other machine, it is used nevertheless.
func TestMachineThatFails(t *testing.T) {
	c, dir := fakeSlurm(t)
	r := open(t, c)
	r.fifo("stay")
	r.fail(dir, 1, 3)
	r.fail(dir, 2, 1)
	r.session.Detach()
	r.open()
	setFault(t, dir, "only-node", "")
	if err := r.session.Start([]executor.Job{{ID: executor.ID{Node: 0, Execution: 3}, Command: "echo x >> runs"}}); err != nil {
		t.Fatal(err)
	}
	if e := r.awaitExecution(executor.Ended, 0, 3); e.Exit != (executor.Exit{}) {
		t.Errorf("%+v", e)
	}
	var submissions []string
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "sbatch ") {
			with := "all"
			if strings.Contains(line, "--exclude=n1 ") {
				with = "without n1"
			}
			submissions = append(submissions, with)
		}
	}
	if got := strings.Join(submissions, ", "); got != "all, all, without n1, all" {
		t.Errorf("submissions: %s", got)
	}
}
