package workspace

import (
	"context"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/history"
	"wf/workspace/loop"
)

// A command may start a run itself (wf run in a node) and wait for it. Meanwhile it returns its slot, because the run that it
// waits for needs one. The run that it has started is a child of its execution: when the execution ends, the child is
// stopped. A detached run goes on.

// Nested connects executions with the runs that their commands have started, in other workspaces. It is safe for concurrent
// use.
type Nested interface {
	// Began reports a run that a command has started, under this daemon or an earlier one. If that command is over, the
	// run is stopped.
	Began(by api.Caller, child Child)
	// Over reports that a run which a command has started is over. When it returns, the command has its slot back.
	Over(by api.Caller)
	// Stop ends a run and returns when it is gone. A nil graceMS means the grace time that the run was started with.
	Stop(child Child, graceMS *int64)
}

// A Child is a run of another workspace.
type Child struct{ Workspace, Run string }

// nesting is what a run knows of the runs that its commands have started.
type nesting struct {
	callers  map[executor.ID]int     // execution → how many of its connections wait for other runs
	children map[executor.ID][]Child // started by an execution that is going
	leaving  int                     // children that are being stopped
}

// execution finds the execution that a command says it is.
func (w *Workspace) execution(c api.Caller) (r *run, id executor.ID, live bool) {
	for _, r := range w.runs {
		if r.ID != c.Run {
			continue
		}
		i, in := r.Sched.Index(c.Node)
		if !in {
			return nil, id, false
		}
		rec := r.Nodes[i].Execution
		return r, executor.ID{Node: i, Execution: c.Execution}, rec != nil && rec.Live && rec.Number == c.Execution
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
		held := map[string]int{}
		if r.Request.Caller != nil {
			for pool, n := range r.Request.Caller.Held {
				held[pool] += n
			}
		}
		for _, use := range r.pools.held[id.Node].claim {
			held[use.Pool] += use.Units
		}
		return answer{held, true}, nil
	})
	return a.held, a.live, err
}

// Waits notes that a command waits for another run (true), or stops waiting.
func (w *Workspace) Waits(c api.Caller, waits bool) {
	w.send(call(func(w *Workspace) {
		r, id, live := w.execution(c)
		if !live {
			return
		}
		if r.callers == nil {
			r.callers = map[executor.ID]int{}
		}
		switch {
		case waits:
			if r.callers[id]++; r.Nodes[id.Node].Execution.Started {
				r.lend(id)
			}
		default:
			if r.callers[id]--; r.callers[id] <= 0 {
				delete(r.callers, id)
				r.takeBack(id)
			}
		}
	}))
}

// GoesOn notes that the run that a command has waited for is over.
func (w *Workspace) GoesOn(ctx context.Context, c api.Caller) error {
	_, err := loop.Ask(ctx, w.loop, func() (struct{}, error) {
		if r, id, live := w.execution(c); live {
			r.takeBack(id)
		}
		return struct{}{}, nil
	})
	return err
}

// Adopt makes a run the child of an execution. It returns false if the execution is over.
func (w *Workspace) Adopt(ctx context.Context, c api.Caller, child Child) (bool, error) {
	return loop.Ask(ctx, w.loop, func() (bool, error) {
		r, id, live := w.execution(c)
		if !live {
			return false, nil
		}
		if r.children == nil {
			r.children = map[executor.ID][]Child{}
		}
		r.children[id] = append(r.children[id], child)
		return true, nil
	})
}

// tellCaller tells the execution that has started a run that the run is going.
func (w *Workspace) tellCaller(r *run) {
	if r.Request.Caller == nil || w.cfg.Nested == nil {
		return
	}
	by, child := callerOf(r.Request.Caller), Child{w.id, r.ID}
	w.loop.Run(func() { w.cfg.Nested.Began(by, child) })
}

// leaveTo returns the slots of a run that is over. The command that has started it gets its own slot back first, so that no
// other run takes it.
func (w *Workspace) leaveTo(r *run) {
	if r.Request.Caller == nil || w.cfg.Nested == nil || r.member == nil {
		r.leaveSlots()
		return
	}
	r.short.stop()
	by := callerOf(r.Request.Caller)
	w.loop.Run(func() {
		w.cfg.Nested.Over(by)
		r.member.Leave()
	})
}

func callerOf(c *history.Caller) api.Caller {
	return api.Caller{Workfile: c.Workfile, Run: c.Run, Node: c.Node, Execution: c.Execution}
}

// stopChildren stops the runs that the given executions have started; nil means those of all executions.
func (r *run) stopChildren(w *Workspace, ids []executor.ID, graceMS *int64) {
	if len(r.children) == 0 {
		return
	}
	if ids == nil {
		for id := range r.children {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		for _, child := range r.children[id] {
			r.leaving++
			w.loop.Run(func() {
				w.cfg.Nested.Stop(child, graceMS)
				w.send(call(func(*Workspace) { r.leaving-- }))
			})
		}
	}
}

// endChildren stops the runs that an execution has started, now that it is over. If the execution was stopped, its children
// get no grace time.
func (r *run) endChildren(w *Workspace, id executor.ID, stopped bool) {
	delete(r.callers, id)
	if len(r.children[id]) == 0 {
		return
	}
	var grace *int64
	if stopped {
		grace = new(int64)
	}
	r.stopChildren(w, []executor.ID{id}, grace)
	delete(r.children, id)
}

func graceOf(d time.Duration) *int64 { return new(d.Milliseconds()) }
