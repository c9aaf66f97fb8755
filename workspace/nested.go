package workspace

import (
	"context"

	"wf/api"
	"wf/executor"
	"wf/workspace/activerun"
	"wf/workspace/loop"
)

// A command may start a run itself (wf run in a node) and wait for it. While it waits it gives up its slot, because the new
// run needs one. The new run is a child of the command's execution: when the execution ends, the child is stopped, unless it
// is detached.

// nestedRuns answers requests of commands that start runs.
type nestedRuns struct{ w *Workspace }

// execution finds the execution that a command claims to belong to.
func (nr *nestedRuns) execution(c api.Caller) (r *activerun.Run, id executor.ID, live bool) {
	for _, r := range nr.w.runs {
		if r.ID == c.Run {
			id, live = r.FindExecution(c)
			return r, id, live
		}
	}
	return nil, id, false
}

// CallerUnits reports whether an execution is live, and which units of pools it and the callers of its run hold. A run that it
// starts can never get these units.
func (nr *nestedRuns) CallerUnits(ctx context.Context, c api.Caller) (held map[string]int, live bool, err error) {
	type answer struct {
		held map[string]int
		live bool
	}
	a, err := loop.Ask(ctx, nr.w.loop, func() (answer, error) {
		r, id, live := nr.execution(c)
		if !live {
			return answer{}, nil
		}
		return answer{r.UnitsOf(id), true}, nil
	})
	return a.held, a.live, err
}

// Waits notes that a command starts (true) or stops waiting for another run.
func (nr *nestedRuns) Waits(c api.Caller, waits bool) {
	nr.w.loop.Post(func() {
		if r, id, live := nr.execution(c); live {
			r.CommandWaits(id, waits)
		}
	})
}

// ChildOver notes that a run that a command waited for is over.
func (nr *nestedRuns) ChildOver(ctx context.Context, c api.Caller) error {
	_, err := loop.Ask(ctx, nr.w.loop, func() (struct{}, error) {
		if r, id, live := nr.execution(c); live {
			r.TakeBack(id)
		}
		return struct{}{}, nil
	})
	return err
}

// Adopt makes a run a child of an execution. It returns false if the execution is over.
func (nr *nestedRuns) Adopt(ctx context.Context, c api.Caller, child activerun.Child) (bool, error) {
	return loop.Ask(ctx, nr.w.loop, func() (bool, error) {
		r, id, live := nr.execution(c)
		if !live {
			return false, nil
		}
		r.Adopt(id, child)
		return true, nil
	})
}
