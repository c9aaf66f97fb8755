package executortest

import (
	"sync"
	"testing"
	"time"

	"wf/executor"
)

// A reportLog collects reports and lets tests wait for them.
type reportLog struct {
	mu      sync.Mutex        // guards what follows
	reports []executor.Report // all but Resized, CaughtUp and Changed, whose place among the others varies
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
		case executor.Changed:
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
	timeout := time.After(Timeout)
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
	timeout := time.After(Timeout)
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
func (l *reportLog) await(kind executor.Kind, id executor.ID) (executor.Report, bool) {
	timeout := time.After(Timeout)
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
