package executor_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"wf/executor"
	"wf/executor/wire"
)

// testTimeout is how long a test waits for an event before it fails.
const testTimeout = 60 * time.Second

// A harness is a test of one run.
type harness struct {
	*testing.T
	x       executor.Executor
	spec    executor.Spec
	session executor.Session
	news    *reportLog
}

// newHarness opens a run in a new folder and closes it at the end of the test.
func newHarness(t *testing.T, x executor.Executor) *harness {
	t.Helper()
	h := &harness{T: t, x: x}
	h.spec = executor.Spec{
		Dir: filepath.Join(t.TempDir(), "run"),
		Cwd: t.TempDir(), Width: 100,
		Env: []string{"PATH=" + os.Getenv("PATH"), "COLOUR=blue", "LC_ALL=C", "WF_RUN_ID=" + t.Name()},
	}
	if err := os.Mkdir(h.spec.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	h.open()
	t.Cleanup(func() { h.close() })
	return h
}

// open begins the run, or follows it again as a daemon does after a restart.
func (h *harness) open() {
	h.Helper()
	news := newReportLog()
	h.spec.Report = news.add
	session, err := h.x.Open(context.Background(), h.spec)
	if err != nil {
		h.Fatalf("open: %v", err)
	}
	h.session, h.news = session, news
}

// close closes the run and returns the pids of the survivors.
func (h *harness) close() []int {
	h.Helper()
	if h.session == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	survivors, err := h.session.Close(ctx)
	if err != nil {
		h.Errorf("close: %v", err)
	}
	h.session = nil
	return survivors
}

// reopen detaches and follows the run again, without giving the environment again.
func (h *harness) reopen() {
	h.Helper()
	h.session.Detach()
	h.spec.Env = nil
	h.open()
}

// id returns the first execution of a node.
func id(node int) wire.ID { return wire.ID{Node: node, Execution: 1} }

// job returns a job for the first execution of a node, with the marker variables that the daemon sets.
func (h *harness) job(node int, command string) wire.Job {
	return wire.Job{ID: id(node), Command: command, Env: []string{
		"WF_NODE_ID=n" + strconv.Itoa(node), "WF_EXECUTION=1",
	}}
}

// start hands over commands for the nodes from first on.
func (h *harness) start(first int, commands ...string) {
	h.Helper()
	var jobs []wire.Job
	for i, c := range commands {
		jobs = append(jobs, h.job(first+i, c))
	}
	if err := h.session.Start(jobs); err != nil {
		h.Fatalf("start: %v", err)
	}
}

// run executes one command to its end.
func (h *harness) run(node int, command string) executor.Report {
	h.Helper()
	h.start(node, command)
	return h.ended(node)
}

// runMerged executes one command to its end, with both streams in one output.
func (h *harness) runMerged(node int, command string) executor.Report {
	h.Helper()
	job := h.job(node, command)
	job.Merge = true
	if err := h.session.Start([]wire.Job{job}); err != nil {
		h.Fatalf("start: %v", err)
	}
	return h.ended(node)
}

// started waits until a node runs.
func (h *harness) started(node int) executor.Report {
	h.Helper()
	return h.await(executor.Started, node)
}

// ended waits until a node has ended.
func (h *harness) ended(node int) executor.Report {
	h.Helper()
	return h.await(executor.Ended, node)
}

func (h *harness) await(kind executor.Kind, node int) executor.Report {
	h.Helper()
	r, ok := h.news.await(kind, id(node))
	if !ok {
		h.Fatalf("node %d: no report of kind %d; have %v", node, kind, h.news.all())
	}
	return r
}

// output reads a part of an output file.
func (h *harness) output(r executor.Range) string {
	h.Helper()
	if r.File == "" {
		return ""
	}
	text, err := os.ReadFile(filepath.Join(h.spec.Dir, filepath.FromSlash(r.File)))
	if err != nil {
		h.Fatal(err)
	}
	if r.Start < 0 || r.End < r.Start || r.End > int64(len(text)) {
		h.Fatalf("range %+v in a file of %d bytes", r, len(text))
	}
	return string(text[r.Start:r.End])
}

// file returns a path in the working directory of the commands.
func (h *harness) file(name string) string { return filepath.Join(h.spec.Cwd, name) }

// A pipe is a named pipe through which commands and test send each other lines. The test has both ends open, so that
// opening it never blocks.
type pipe struct {
	path string
	file *os.File
	in   *bufio.Reader
}

func (p *pipe) String() string { return p.path }

// pipe creates a named pipe in the working directory of the commands.
func (h *harness) pipe(name string) *pipe {
	h.Helper()
	path := h.file(name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		h.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { file.Close() })
	return &pipe{path: path, file: file, in: bufio.NewReader(file)}
}

// awaitLine waits for a line that a command writes into the pipe.
func (h *harness) awaitLine(p *pipe) string {
	h.Helper()
	if err := p.file.SetReadDeadline(time.Now().Add(testTimeout)); err != nil {
		h.Fatal(err)
	}
	line, err := p.in.ReadString('\n')
	if err != nil {
		h.Fatalf("nothing came through %s: %v", p, err)
	}
	return strings.TrimSpace(line)
}

// awaitPID waits for a line with a pid.
func (h *harness) awaitPID(p *pipe) int {
	h.Helper()
	text := h.awaitLine(p)
	pid, err := strconv.Atoi(text)
	if err != nil {
		h.Fatalf("%q is no pid", text)
	}
	return pid
}

// release writes a line into the pipe, so that a command that reads it goes on.
func (h *harness) release(p *pipe) {
	h.Helper()
	if _, err := p.file.WriteString("go\n"); err != nil {
		h.Fatal(err)
	}
}

// A reportLog collects reports and lets tests wait for them.
type reportLog struct {
	mu      sync.Mutex        // guards what follows
	reports []executor.Report // all but Resized and CaughtUp, whose place among the others varies
	width   int               // of the last Resized
	marks   []int             // for each CaughtUp: how many reports came before it
	grown   chan struct{}     // closed and replaced by add
}

func newReportLog() *reportLog { return &reportLog{grown: make(chan struct{})} }

func (l *reportLog) add(reports []executor.Report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range reports {
		switch r.Kind {
		case executor.Resized:
			l.width = r.Width
			continue
		case executor.CaughtUp:
			l.marks = append(l.marks, len(l.reports))
			continue
		}
		l.reports = append(l.reports, r)
	}
	close(l.grown)
	l.grown = make(chan struct{})
}

func (l *reportLog) all() []executor.Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]executor.Report(nil), l.reports...)
}

// resized waits until the executor reports a width.
func (l *reportLog) resized(n int) bool {
	timeout := time.After(testTimeout)
	for {
		l.mu.Lock()
		width, grown := l.width, l.grown
		l.mu.Unlock()
		if width == n {
			return true
		}
		select {
		case <-grown:
		case <-timeout:
			return false
		}
	}
}

// caughtUp waits for the report CaughtUp, and returns how many reports came before it. It may come only once.
func (l *reportLog) caughtUp(t *testing.T) int {
	t.Helper()
	timeout := time.After(testTimeout)
	for {
		l.mu.Lock()
		marks, grown := l.marks, l.grown
		l.mu.Unlock()
		switch len(marks) {
		case 0:
		case 1:
			return marks[0]
		default:
			t.Fatalf("caught up %d times", len(marks))
		}
		select {
		case <-grown:
		case <-timeout:
			t.Fatal("no report CaughtUp")
		}
	}
}

// await returns the report of that kind, or false if it does not arrive in time.
func (l *reportLog) await(kind executor.Kind, id wire.ID) (executor.Report, bool) {
	timeout := time.After(testTimeout)
	for checked := 0; ; {
		l.mu.Lock()
		reports, grown := l.reports, l.grown
		l.mu.Unlock()
		for _, r := range reports[checked:] {
			if r.Kind == kind && r.ID == id {
				return r, true
			}
		}
		checked = len(reports)
		select {
		case <-grown:
		case <-timeout:
			return executor.Report{}, false
		}
	}
}
