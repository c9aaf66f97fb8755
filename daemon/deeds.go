package daemon

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"wf/daemon/audit"
	"wf/workspace"
)

// mostDeeds bounds the entries that wait for the audit log.
const mostDeeds = 1000

// deeds adds what the daemon does by itself to the audit log. A goroutine does it, because workspaces must not wait for a
// disk. A nil *deeds adds nothing.
type deeds struct {
	log     *slog.Logger
	waiting chan audit.Entry
	done    chan struct{}

	mu     sync.Mutex // guards closed, and sending to waiting
	closed bool
}

// newDeeds starts the goroutine. The caller closes it before the log.
func newDeeds(to *audit.Log, log *slog.Logger) *deeds {
	ds := &deeds{log: log, waiting: make(chan audit.Entry, mostDeeds), done: make(chan struct{})}
	go func() {
		defer close(ds.done)
		for e := range ds.waiting {
			to.Add(e)
		}
	}()
	return ds
}

// close waits until everything is in the log. What a workspace tells later, because it did not close in time, is dropped.
func (ds *deeds) close() {
	if ds == nil {
		return
	}
	ds.mu.Lock()
	ds.closed = true
	close(ds.waiting)
	ds.mu.Unlock()
	<-ds.done
}

// add adds news that nobody asked for. It does not block.
func (ds *deeds) add(n workspace.News) {
	e, ok := deedOf(n)
	if ds == nil || !ok {
		return
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.closed {
		return
	}
	select {
	case ds.waiting <- e:
	default: // the disk does not answer
		ds.log.Error("an entry of the audit log is lost", "action", e.Action, "workfile", e.Workfile, "run", e.Run)
	}
}

// deedOf returns the entry about news; false if a request has caused it, which has an entry of its own.
func deedOf(n workspace.News) (audit.Entry, bool) {
	e := audit.Entry{Workfile: n.Workfile, Run: n.Run, Who: audit.Who{Via: audit.ViaDaemon}}
	switch n.Kind {
	case workspace.RunBegan:
		e.Action, e.Detail = "queue-start", n.Queued+" of the queue"
		return e, n.Queued != ""
	case workspace.QueuedRefused:
		e.Action, e.Run, e.Detail, e.Error = "queue-start", n.Queued, "it will not start", codeOf(n.Err)
		return e, true
	case workspace.ApprovalEnded:
		e.Action, e.Nodes, e.Detail = "reject", []string{n.Node}, "by default: nobody answered in time"
		if n.Approved {
			e.Action = "approve"
		}
		return e, true
	case workspace.OldRunsRemoved:
		e.Action, e.Run = "prune", strings.Join(n.Runs, ",")
		e.Detail = fmt.Sprintf("%s beyond keep-runs, keep-age or keep-size", count(len(n.Runs), "run"))
		return e, true
	}
	return e, false
}
