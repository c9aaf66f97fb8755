package workspace

import (
	"context"

	"wf/api"
	"wf/executor"
	"wf/workspace/activerun"
	"wf/workspace/loop"
)

// A command may start a run itself (wf run in a node) and wait for it. Meanwhile it returns its slot, because the run that it
// waits for needs one. The run that it has started is a child of its execution: when the execution ends, the child is
// stopped. A detached run goes on.

// execution finds the execution that a command says it is.
func (w *Workspace) execution(c api.Caller) (r *activerun.Run, id executor.ID, live bool) {
	for _, r := range w.runs {
		if r.ID == c.Run {
			id, live = r.FindExecution(c)
			return r, id, live
		}
	}
	return nil, id, false
}

// CallerOf reports whether an execution is going, and which units of pools it and the callers of its run hold. A run that it
// starts can never get those.
func (w *Workspace) CallerOf(ctx context.Context, c api.Caller) (held map[string]int, live bool, err error) {
	type answer struct {
		held map[string]int
		live bool
	}
	a, err := loop.Ask(ctx, w.loop, func() (answer, error) {
		r, id, live := w.execution(c)
		if !live {
			return answer{}, nil
		}
		return answer{r.UnitsOf(id), true}, nil
	})
	return a.held, a.live, err
}

// Waits notes that a command waits for another run (true), or stops waiting.
func (w *Workspace) Waits(c api.Caller, waits bool) {
	w.loop.Post(func() {
		if r, id, live := w.execution(c); live {
			r.CommandWaits(id, waits)
		}
	})
}

// GoesOn notes that the run that a command has waited for is over.
func (w *Workspace) GoesOn(ctx context.Context, c api.Caller) error {
	_, err := loop.Ask(ctx, w.loop, func() (struct{}, error) {
		if r, id, live := w.execution(c); live {
			r.TakeBack(id)
		}
		return struct{}{}, nil
	})
	return err
}

// Adopt makes a run the child of an execution. It returns false if the execution is over.
func (w *Workspace) Adopt(ctx context.Context, c api.Caller, child activerun.Child) (bool, error) {
	return loop.Ask(ctx, w.loop, func() (bool, error) {
		r, id, live := w.execution(c)
		if !live {
			return false, nil
		}
		r.Adopt(id, child)
		return true, nil
	})
}
