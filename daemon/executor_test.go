package daemon

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"wf/executor"
)

// manualExecutor starts every command at once and ends it when a test calls endAll, or when it is stopped. Its runs
// survive a detach, as runner processes do.
type manualExecutor struct {
	mu   sync.Mutex
	runs map[string]*manualRun // by Spec.Dir
}

func newManualExecutor() *manualExecutor { return &manualExecutor{runs: map[string]*manualRun{}} }

type manualRun struct {
	dir     string
	mu      sync.Mutex // guards the fields below
	history []executor.Report
	going   map[executor.ID]bool
	report  chan executor.Report // nil while no session is open
}

func (x *manualExecutor) Open(_ context.Context, spec executor.Spec) (executor.Session, error) {
	x.mu.Lock()
	r := x.runs[spec.Dir]
	if r == nil {
		r = &manualRun{dir: spec.Dir, going: map[executor.ID]bool{}}
		x.runs[spec.Dir] = r
	}
	x.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	reports := make(chan executor.Report, 1000)
	for _, earlier := range r.history {
		reports <- earlier
	}
	reports <- executor.Report{Kind: executor.CaughtUp}
	r.report = reports
	go func() {
		for one := range reports {
			spec.Report([]executor.Report{one})
		}
	}()
	return r, nil
}

// endAll ends the commands of all runs, with success.
func (x *manualExecutor) endAll() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, r := range x.runs {
		r.mu.Lock()
		for id := range r.going {
			r.end(id, executor.Exit{})
		}
		r.mu.Unlock()
	}
}

// send records a report and sends it to the session. The caller holds mu.
func (r *manualRun) send(report executor.Report) {
	report.Time = time.Now()
	r.history = append(r.history, report)
	if r.report != nil {
		r.report <- report
	}
}

// end ends a command. The caller holds mu.
func (r *manualRun) end(id executor.ID, exit executor.Exit) {
	delete(r.going, id)
	r.send(executor.Report{Kind: executor.Ended, ID: id, Exit: exit, Out: executor.Range{File: "out/1"}})
}

func (r *manualRun) Start(jobs []executor.Job) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range jobs {
		r.going[j.ID] = true
		r.send(executor.Report{Kind: executor.Started, ID: j.ID, PID: 1, Out: executor.Range{File: "out/1", End: -1}})
	}
	return os.MkdirAll(filepath.Join(r.dir, "out"), 0o700)
}

func (r *manualRun) SetWidth(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.report != nil {
		r.report <- executor.Report{Kind: executor.Resized, Width: n}
	}
}

func (r *manualRun) Stop(ids []executor.ID, _ time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id := range r.going {
		if ids == nil {
			r.end(id, executor.Exit{Signal: int(syscall.SIGTERM), Stopped: true})
		}
		for _, stopped := range ids {
			if id == stopped {
				r.end(id, executor.Exit{Signal: int(syscall.SIGTERM), Stopped: true})
			}
		}
	}
}

func (r *manualRun) Detach() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.report != nil {
		close(r.report)
		r.report = nil
	}
}

func (r *manualRun) Close(context.Context) ([]int, error) {
	r.Detach()
	return nil, nil
}

func (r *manualRun) Gates() bool { return false }
func (r *manualRun) Retry()      {}
