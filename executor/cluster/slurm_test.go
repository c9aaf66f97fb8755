package cluster_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"wf/executor"
	"wf/executor/cluster"
	"wf/executor/cluster/clustertest"
	"wf/executor/cluster/slurm"
)

// fakeSlurm makes a batch system out of shell scripts and returns an executor for it, and the folder of its state. At the end
// of the test its jobs are killed.
func fakeSlurm(t *testing.T) (*cluster.Cluster, string) {
	t.Helper()
	shell, dir := clustertest.Fake(t, "testdata/slurm", "FAKE_SLURM")
	return &cluster.Cluster{Name: "hpc", Engine: slurm.Slurm{}, Shell: shell, Timing: clustertest.Timing}, dir
}

var setFault, calls = clustertest.SetFault, clustertest.Calls

// A run is an open session whose reports are collected.
type run struct {
	*testing.T
	c       *cluster.Cluster
	spec    executor.Spec
	session executor.Session
	reports chan executor.Report
	seen    []executor.Report // those that await has taken
}

func open(t *testing.T, c *cluster.Cluster) *run {
	t.Helper()
	r := openOnly(t, c)
	t.Cleanup(func() {
		if _, err := r.session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

// openOnly opens a session that the test closes.
func openOnly(t *testing.T, c *cluster.Cluster) *run {
	t.Helper()
	r := &run{T: t, c: c}
	r.spec = executor.Spec{Dir: t.TempDir(), Cwd: t.TempDir(), Width: 1000, Env: os.Environ()}
	r.open()
	return r
}

func (r *run) open() {
	r.Helper()
	r.reports, r.seen = make(chan executor.Report, 10000), nil
	reports := r.reports
	r.spec.Report = func(all []executor.Report) {
		for _, rep := range all {
			reports <- rep
		}
	}
	var err error
	if r.session, err = r.c.Open(context.Background(), r.spec); err != nil {
		r.Fatal(err)
	}
}

func (r *run) start(commands ...string) {
	r.Helper()
	var jobs []executor.Job
	for i, c := range commands {
		jobs = append(jobs, executor.Job{ID: executor.ID{Node: i, Execution: 1}, Command: c})
	}
	if err := r.session.Start(jobs); err != nil {
		r.Fatal(err)
	}
}

// await returns the report of this kind about a node.
func (r *run) await(kind executor.Kind, node int) executor.Report {
	r.Helper()
	limit := time.After(30 * time.Second)
	for at := 0; ; {
		for ; at < len(r.seen); at++ {
			if rep := r.seen[at]; rep.Kind == kind && rep.ID.Node == node {
				return rep
			}
		}
		select {
		case rep := <-r.reports:
			r.seen = append(r.seen, rep)
		case <-limit:
			r.Fatalf("no report %d of node %d; there are %+v", kind, node, r.seen)
		}
	}
}

// output returns a part of an output.
func (r *run) output(p executor.Range) string {
	r.Helper()
	data, err := os.ReadFile(filepath.Join(r.spec.Dir, p.File))
	if err != nil {
		r.Fatal(err)
	}
	return string(data[p.Start:p.End])
}

func TestCommandsOfABatch(t *testing.T) {
	c, dir := fakeSlurm(t)
	r := open(t, c)
	r.start("echo one; echo oops >&2", "exit 7", `printf '%s\n' "it's $HOME"`, "kill -9 $$")
	first := r.await(executor.Ended, 0)
	if got := r.output(first.Out) + r.output(first.Err); got != "one\noops\n" {
		t.Errorf("the output is %q", got)
	}
	for node, code := range []int{0, 7, 0, 0} {
		exit := executor.Exit{Code: code}
		if node == 3 {
			exit.Signal = 9
		}
		if e := r.await(executor.Ended, node); e.Exit != exit {
			t.Errorf("node %d: %+v", node, e)
		}
	}
	if n := calls(t, dir, "sbatch"); n != 1 {
		t.Errorf("sbatch was called %d times", n)
	}
}

// A submission whose answer was lost is looked for by its name, so its commands run once.
func TestLostAnswerOfASubmission(t *testing.T) {
	c, dir := fakeSlurm(t)
	setFault(t, dir, "lose-answer", "")
	r := open(t, c)
	r.start("echo x >> runs")
	if e := r.await(executor.Ended, 0); e.Exit != (executor.Exit{}) {
		t.Errorf("%+v", e)
	}
	if text, _ := os.ReadFile(filepath.Join(r.spec.Cwd, "runs")); string(text) != "x\n" {
		t.Errorf("it ran %q", text)
	}
	if n := calls(t, dir, "sbatch"); n != 1 {
		t.Errorf("sbatch was called %d times", n)
	}
}

// A refusal by the batch system is a failure to start, with the words of the batch system.
func TestRefusedSubmission(t *testing.T) {
	c, dir := fakeSlurm(t)
	setFault(t, dir, "refuse", "sbatch: error: Batch job submission failed: Invalid partition name specified\n")
	r := open(t, c)
	r.start("true", "true")
	e := r.await(executor.Ended, 1)
	if !e.Exit.Failed || !strings.Contains(e.Message, "Invalid partition name") {
		t.Errorf("%+v", e)
	}
}

// A limit on the number of jobs passes: the session tries again.
func TestSubmissionWhileTheQueueIsFull(t *testing.T) {
	c, dir := fakeSlurm(t)
	setFault(t, dir, "refuse", "sbatch: error: AssocMaxSubmitJobLimit\nsbatch: error: Batch job submission failed: Job violates accounting/QOS policy\n")
	r := open(t, c)
	r.start("true")
	for calls(t, dir, "squeue") < 3 || calls(t, dir, "sbatch") < 1 {
		time.Sleep(time.Millisecond)
	}
	if err := os.Remove(filepath.Join(dir, "refuse")); err != nil {
		t.Fatal(err)
	}
	r.session.Retry()
	if e := r.await(executor.Ended, 0); e.Exit != (executor.Exit{}) {
		t.Errorf("%+v", e)
	}
}

// What the batch system forgets without a result is lost, and never a success.
func TestVanishedTask(t *testing.T) {
	c, dir := fakeSlurm(t)
	setFault(t, dir, "hold", "")
	r := open(t, c)
	r.start("true")
	for {
		if _, err := os.Stat(filepath.Join(dir, "job.1", "0", "state")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	setFault(t, dir, "job.1/0/vanished", "")
	if e := r.await(executor.Ended, 0); !e.Exit.Lost || e.Message == "" {
		t.Errorf("%+v", e)
	}
}

// A failed node ends a task with the reason of the batch system.
func TestFailedNode(t *testing.T) {
	c, dir := fakeSlurm(t)
	r := open(t, c)
	r.start("read -r line < " + r.fifo("stay"))
	r.await(executor.Started, 0)
	setFault(t, dir, "job.1/0/state", "NODE_FAIL\n")
	if e := r.await(executor.Ended, 0); e.Exit != (executor.Exit{Cause: executor.CauseNode}) {
		t.Errorf("%+v", e)
	}
}

// What the batch system says about the end counts more than the exit code.
func TestOutOfMemory(t *testing.T) {
	c, dir := fakeSlurm(t)
	r := open(t, c)
	fifo := r.fifo("go")
	r.start("read -r line < " + fifo + "; exit 2")
	r.await(executor.Started, 0)
	setFault(t, dir, "job.1/0/state", "OUT_OF_MEMORY\n")
	if err := os.WriteFile(fifo, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	if e := r.await(executor.Ended, 0); e.Exit.Cause != executor.CauseMemory {
		t.Errorf("%+v", e)
	}
}

// fifo makes a named pipe that nobody writes to.
func (r *run) fifo(name string) string {
	r.Helper()
	path := filepath.Join(r.spec.Cwd, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		r.Fatal(err)
	}
	return path
}

// Stop ends what waits and what runs. A command gets TERM first.
func TestStop(t *testing.T) {
	c, dir := fakeSlurm(t)
	r := open(t, c)
	fifo := r.fifo("stay")
	r.start("trap 'echo bye; exit 3' TERM; echo ready; while :; do read -r line < " + fifo + "; done")
	started := r.await(executor.Started, 0)
	for r.size(started.Out) == 0 {
		time.Sleep(time.Millisecond)
	}
	setFault(t, dir, "hold", "")
	if err := r.session.Start([]executor.Job{{ID: executor.ID{Node: 1, Execution: 1}, Command: "true"}}); err != nil {
		t.Fatal(err)
	}
	r.session.Stop([]executor.ID{{Node: 0, Execution: 1}, {Node: 1, Execution: 1}}, time.Minute)
	if e := r.await(executor.Ended, 0); !e.Exit.Stopped || e.Exit.Code != 3 || r.output(e.Out) != "ready\nbye\n" {
		t.Errorf("running: %+v, output %q", e, r.output(e.Out))
	}
	if e := r.await(executor.Ended, 1); !e.Exit.Stopped {
		t.Errorf("waiting: %+v", e)
	}
}

// size returns how much of an output is here.
func (r *run) size(p executor.Range) int64 {
	info, err := os.Stat(filepath.Join(r.spec.Dir, p.File))
	if err != nil {
		return 0
	}
	return info.Size() - p.Start
}

// A later session finds what earlier ones have submitted, and reports it again.
func TestLaterSession(t *testing.T) {
	c, _ := fakeSlurm(t)
	r := open(t, c)
	fifo := r.fifo("go")
	r.start("echo first", "echo before; read -r line < "+fifo+"; echo $line")
	r.await(executor.Ended, 0)
	r.await(executor.Started, 1)
	r.session.Detach()
	if err := os.WriteFile(fifo, []byte("after\n"), 0); err != nil { // the job ends while there is no session
		t.Fatal(err)
	}
	r.open()
	if e := r.await(executor.Ended, 0); r.output(e.Out) != "first\n" {
		t.Errorf("%+v", e)
	}
	if e := r.await(executor.Ended, 1); r.output(e.Out) != "before\nafter\n" {
		t.Errorf("%+v: %q", e, r.output(e.Out))
	}
}

// entries returns how many entries of a kind the journal has.
func (r *run) entries(kind string) int {
	r.Helper()
	text, err := os.ReadFile(filepath.Join(r.spec.Dir, "cluster.hpc"))
	if err != nil {
		r.Fatal(err)
	}
	return strings.Count(string(text), `{"k":"`+kind+`"`)
}

// Slurm may start an idempotent task again by itself; the session sees one execution.
func TestRequeue(t *testing.T) {
	for _, idempotent := range []bool{true, false} {
		t.Run(fmt.Sprint("idempotent ", idempotent), func(t *testing.T) {
			c, dir := fakeSlurm(t)
			c.Timing.Missing = 200 * time.Millisecond
			setFault(t, dir, "requeue", "")
			r := open(t, c)
			job := executor.Job{ID: executor.ID{Execution: 1}, Idempotent: idempotent, Command: "echo x >> runs; [ -e once ] || { : > once; kill -9 0; }; echo second"}
			if err := r.session.Start([]executor.Job{job}); err != nil {
				t.Fatal(err)
			}
			e := r.await(executor.Ended, 0)
			text, _ := os.ReadFile(filepath.Join(r.spec.Cwd, "runs"))
			switch {
			case !idempotent && (!e.Exit.Lost || string(text) != "x\n"):
				t.Errorf("%+v after %q", e, text)
			case idempotent && (e.Exit != (executor.Exit{}) || string(text) != "x\nx\n" || r.output(e.Out) != "second\n"):
				t.Errorf("%+v after %q", e, text)
			}
		})
	}
}

// until waits until something is the case that produces no report.
func (r *run) until(holds func() bool) {
	r.Helper()
	for limit := time.Now().Add(30 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			r.Fatal("it does not happen")
		}
	}
}

// A batch system that hangs keeps the results of tasks from nobody: they are files.
func TestResultsWhileTheBatchSystemHangs(t *testing.T) {
	c, dir := fakeSlurm(t)
	c.Timing.Call = 200 * time.Millisecond
	r := open(t, c)
	fifo := r.fifo("go")
	r.start("read -r line < " + fifo + "; echo $line")
	r.await(executor.Started, 0)
	setFault(t, dir, "hang", "")
	defer os.Remove(filepath.Join(dir, "hang"))
	if err := os.WriteFile(fifo, []byte("now\n"), 0); err != nil {
		t.Fatal(err)
	}
	if e := r.await(executor.Ended, 0); e.Exit != (executor.Exit{}) || r.output(e.Out) != "now\n" {
		t.Errorf("%+v", e)
	}
}

// killGroup kills the processes of a group.
func killGroup(t *testing.T, group string) {
	t.Helper()
	pid, err := strconv.Atoi(group)
	if err == nil && pid > 1 {
		err = syscall.Kill(-pid, syscall.SIGKILL)
	}
	if err != nil {
		t.Fatal(err)
	}
}
