package template_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wf/executor"
	"wf/executor/cluster"
	"wf/executor/cluster/clustertest"
	"wf/executor/cluster/template"
	"wf/executor/executortest"
)

func TestMain(m *testing.M) { clustertest.Main(m) }

// promises are what executors of this package promise. MaxJobs keeps the time of tests low.
var promises = executortest.Options{Width: true, SharedFiles: true, MaxJobs: 12}

// fakeGridEngine makes a Grid Engine out of shell scripts and returns an executor for it, and the folder of its state. At the end
// of the test its jobs are killed.
func fakeGridEngine(t *testing.T) (*cluster.Cluster, string) {
	t.Helper()
	shell, dir := clustertest.Fake(t, "testdata/gridengine", "FAKE_GRIDENGINE")
	engine, err := template.New("gridengine", template.Profile{}, false)
	if err != nil {
		t.Fatal(err)
	}
	return &cluster.Cluster{Name: "sge", Engine: engine, Shell: shell, Timing: clustertest.Timing}, dir
}

var setFault, calls = clustertest.SetFault, clustertest.Calls

func TestContract(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	executortest.Test(t, func(t *testing.T) executor.Executor {
		c, _ := fakeGridEngine(t)
		return c
	}, promises)
}

// Tasks that are submitted together are told apart by the index of the batch system, which begins with 1.
func TestArray(t *testing.T) {
	c, dir := fakeGridEngine(t)
	h := executortest.New(t, c)
	h.Start(0, "exit 10", "exit 11", "exit 12")
	for node := range 3 {
		if r := h.Ended(node); r.Exit.Code != 10+node {
			t.Errorf("node %d: %+v", node, r)
		}
	}
	if n := calls(t, dir, "qsub"); n != 1 {
		t.Errorf("qsub was called %d times", n)
	}
}

// A submission whose answer was lost is looked for by its name, so its command runs once.
func TestLostAnswerOfASubmission(t *testing.T) {
	c, dir := fakeGridEngine(t)
	setFault(t, dir, "lose-answer", "")
	h := executortest.New(t, c)
	if r := h.Execute(0, "echo x >> runs"); r.Exit != (executor.Exit{}) {
		t.Errorf("%+v", r)
	}
	if text, _ := os.ReadFile(h.File("runs")); string(text) != "x\n" || calls(t, dir, "qsub") != 1 {
		t.Errorf("it ran %q", text)
	}
}

func TestRefusedSubmission(t *testing.T) {
	c, dir := fakeGridEngine(t)
	setFault(t, dir, "refuse", "Unable to run job: Job was rejected because job requests unknown queue \"nosuch\"\nExiting.\n")
	if r := executortest.New(t, c).Execute(0, "true"); !r.Exit.Failed || !strings.Contains(r.Message, "unknown queue") {
		t.Errorf("%+v", r)
	}
}

// While the answers of the batch system are not complete, have words that wf does not know, or do not come, nothing ends. After
// that, a task that is not listed and has left nothing is lost.
func TestAnswersThatDecideNothing(t *testing.T) {
	c, dir := fakeGridEngine(t)
	setFault(t, dir, "hold", "")
	h := executortest.New(t, c)
	h.Start(0, "true", "true")
	await := func(what string, holds func() bool) {
		for limit := time.Now().Add(executortest.Timeout); !holds(); time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatalf("waited for %s", what)
			}
		}
	}
	more := func(n int) {
		before := calls(t, dir, "qstat")
		await("answers", func() bool { return calls(t, dir, "qstat") >= before+n })
	}
	await("the jobs", func() bool { _, err := os.Stat(filepath.Join(dir, "job.1", "2")); return err == nil })
	setFault(t, dir, "job.1/2/state", "slumbering\n")
	more(5)
	setFault(t, dir, "half", "")
	more(15)
	setFault(t, dir, "no-answer", "")
	more(5)
	if h.Has(executor.Ended, 0) || h.Has(executor.Ended, 1) {
		t.Errorf("a task has ended: %+v", h.Reports())
	}
	for _, name := range []string{"half", "no-answer"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	setFault(t, dir, "job.1/1/vanished", "")
	if r := h.Ended(0); !r.Exit.Lost {
		t.Errorf("%+v", r)
	}
	if h.Has(executor.Ended, 1) {
		t.Errorf("the task that slumbers has ended: %+v", h.Reports())
	}
	h.Session.Stop([]executor.ID{executortest.ID(1)}, 0)
	setFault(t, dir, "job.1/2/vanished", "")
	if r := h.Ended(1); !r.Exit.Stopped {
		t.Errorf("%+v", r)
	}
}
