package workspace

import (
	"context"

	"wf/api"
	"wf/workspace/activerun"
	"wf/workspace/loop"
)

// NewsKind is the kind of a News.
type NewsKind string

// The kinds of News.
const (
	Opened         NewsKind = "opened"           // the workspace was opened
	RunBegan       NewsKind = "run-began"        // Run, and Queued if it waited in the queue
	RunEnded       NewsKind = "run-ended"        // Run, Summary: its end is durable
	QueuedRefused  NewsKind = "queued-refused"   // Queued, Err: a queued run that will never start
	ApprovalEnded  NewsKind = "approval-ended"   // Run, Node, Approved: the time for an answer is over
	OldRunsRemoved NewsKind = "old-runs-removed" // Runs: beyond the limits of the daemon
)

// News is something that a workspace does by itself, or the start or the end of a run, whoever asked for it.
type News struct {
	Kind     NewsKind
	ID       string // of the workspace
	Workfile string // absolute
	Run      string
	Summary  *api.RunSummary // does not change
	Queued   string          // the name of a queued run
	Node     string          // id or path
	Approved bool
	Runs     []string
	Err      error
}

// tell tells news to the daemon.
func (ps *presence) tell(n News) {
	if ps.w.cfg.Tell != nil {
		n.ID, n.Workfile = ps.w.id, ps.w.path
		ps.w.cfg.Tell(n)
	}
}

// Load returns what the active runs execute and wait for at this moment. It asks the loop, so ctx should have a limit.
func (ps *presence) Load(ctx context.Context) (activerun.Load, error) {
	return loop.Ask(ctx, ps.w.loop, func() (activerun.Load, error) {
		var l activerun.Load
		for _, r := range ps.w.runs {
			r.AddLoad(&l)
		}
		l.QueuedRuns = len(ps.w.queue.waiting)
		return l, nil
	})
}
