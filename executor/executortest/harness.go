package executortest

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"wf/executor"
)

// Timeout is how long a test waits for an event before it fails.
const Timeout = 60 * time.Second

// A Harness is a test of one run.
type Harness struct {
	*testing.T
	Spec     executor.Spec    // what the run is opened with, and opened again; Open sets its Report
	Session  executor.Session // nil after Close
	executor executor.Executor
	news     *reportLog // of the present session
	promised Options
}

// New opens a run in a new folder and closes it at the end of the test.
func New(t *testing.T, x executor.Executor) *Harness {
	t.Helper()
	h := &Harness{T: t, executor: x}
	h.Spec = executor.Spec{
		Dir: filepath.Join(t.TempDir(), "run"),
		Cwd: t.TempDir(), Width: 100,
		Env: []string{"PATH=" + os.Getenv("PATH"), "COLOUR=blue", "LC_ALL=C", "WF_RUN_ID=" + t.Name()},
	}
	if err := os.Mkdir(h.Spec.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	h.Open()
	t.Cleanup(func() { h.Close() })
	return h
}

// Open begins the run, or follows it again as a daemon does after a restart.
func (h *Harness) Open() {
	h.Helper()
	news := newReportLog()
	h.Spec.Report = news.add
	session, err := h.executor.Open(context.Background(), h.Spec)
	if err != nil {
		h.Fatalf("open: %v", err)
	}
	h.Session, h.news = session, news
}

// Close closes the run and returns the pids of the survivors.
func (h *Harness) Close() []int {
	h.Helper()
	if h.Session == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), Timeout)
	defer cancel()
	survivors, err := h.Session.Close(ctx)
	if err != nil {
		h.Errorf("close: %v", err)
	}
	h.Session = nil
	return survivors
}

// Reopen detaches and follows the run again, without giving the environment again.
func (h *Harness) Reopen() {
	h.Helper()
	h.Session.Detach()
	h.Spec.Env = nil
	h.Open()
}

// ID returns the first execution of a node.
func ID(node int) executor.ID { return executor.ID{Node: node, Execution: 1} }

// Job returns a job for the first execution of a node, with the marker variables that the daemon sets.
func (h *Harness) Job(node int, command string) executor.Job {
	return executor.Job{ID: ID(node), Command: command, Env: []string{
		"WF_NODE_ID=n" + strconv.Itoa(node), "WF_EXECUTION=1",
	}}
}

// Start hands over commands for the nodes from first on.
func (h *Harness) Start(first int, commands ...string) {
	h.Helper()
	var jobs []executor.Job
	for i, c := range commands {
		jobs = append(jobs, h.Job(first+i, c))
	}
	h.StartJobs(jobs...)
}

// StartJobs hands over jobs.
func (h *Harness) StartJobs(jobs ...executor.Job) {
	h.Helper()
	if err := h.Session.Start(jobs); err != nil {
		h.Fatalf("start: %v", err)
	}
}

// Execute executes one command to its end.
func (h *Harness) Execute(node int, command string) executor.Report {
	h.Helper()
	h.Start(node, command)
	return h.Ended(node)
}

// ExecuteMerged executes one command to its end, with both streams in one output.
func (h *Harness) ExecuteMerged(node int, command string) executor.Report {
	h.Helper()
	job := h.Job(node, command)
	job.Merge = true
	h.StartJobs(job)
	return h.Ended(node)
}

// Started waits until a node runs.
func (h *Harness) Started(node int) executor.Report {
	h.Helper()
	return h.Await(executor.Started, node)
}

// Ended waits until a node has ended.
func (h *Harness) Ended(node int) executor.Report {
	h.Helper()
	return h.Await(executor.Ended, node)
}

// Await waits for a report of that kind about a node.
func (h *Harness) Await(kind executor.Kind, node int) executor.Report {
	h.Helper()
	r, ok := h.news.await(kind, ID(node))
	if !ok {
		h.Fatalf("node %d: no report of kind %d; have %v", node, kind, h.Reports())
	}
	return r
}

// Read reads a part of an output file.
func (h *Harness) Read(r executor.Range) string {
	h.Helper()
	if r.File == "" {
		return ""
	}
	text, err := os.ReadFile(filepath.Join(h.Spec.Dir, filepath.FromSlash(r.File)))
	if err != nil {
		h.Fatal(err)
	}
	if r.Start < 0 || r.End < r.Start || r.End > int64(len(text)) {
		h.Fatalf("range %+v in a file of %d bytes", r, len(text))
	}
	return string(text[r.Start:r.End])
}

// File returns a path in the working directory of the commands.
func (h *Harness) File(name string) string { return filepath.Join(h.Spec.Cwd, name) }

// Reports returns the reports of the present session so far, without Resized, CaughtUp and Changed.
func (h *Harness) Reports() []executor.Report { return h.news.all() }

// Has reports whether such a report has arrived.
func (h *Harness) Has(kind executor.Kind, node int) bool {
	for _, r := range h.Reports() {
		if r.Kind == kind && r.ID == ID(node) {
			return true
		}
	}
	return false
}
