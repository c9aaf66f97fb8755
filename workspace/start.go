package workspace

import (
	"context"

	"wf/api"
	"wf/workspace/history"
	"wf/workspace/loop"
)

// StartRun starts a run (docs/semantics.md, Scope). It returns when the run has a number and its first nodes are activated.
func (w *Workspace) StartRun(ctx context.Context, client string, req api.RunRequest) (api.RunAccepted, error) {
	if err := w.file.Refresh(ctx); err != nil {
		return api.RunAccepted{}, err
	}
	req, err := w.planner.Complete(ctx, req)
	if err != nil {
		return api.RunAccepted{}, err
	}
	if acc, found, err := w.startedBefore(ctx, req); found || err != nil {
		return acc, err
	}
	return loop.Await(ctx, w.loop, func(reply func(api.RunAccepted, error)) {
		w.queue.start(&pendingStart{ctx: ctx, client: client, req: req, reply: reply})
	})
}

// usable returns an error if no run may start: the workspace is closing, or the file on disk differs from the one in memory.
func (w *Workspace) usable() error {
	if w.closing {
		return errClosed()
	}
	if len(w.retries.postponed) > 0 {
		return &api.Error{Code: api.CodeInternal, Message: "the records of run " + history.RunID(w.retries.postponed[0]) + " cannot be read at present",
			Where: w.store.Dir(w.retries.postponed[0]), Why: w.file.Problem(), Fix: "wf tries again by itself; that run may still be active"}
	}
	if w.file.Unreadable() != "" {
		return &api.Error{Code: api.CodeWorkfile, Message: "the workfile cannot be used", Where: w.path,
			Why: w.file.Unreadable(), Fix: "mend or restore the file; wf notices by itself"}
	}
	return nil
}
