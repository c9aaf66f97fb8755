package activerun

import (
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/history"
)

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

// tellCaller tells the execution that has started a run that the run is going.
func (r *Run) tellCaller() {
	if r.Request.Caller == nil || r.host.Nested == nil {
		return
	}
	by, child := callerOf(r.Request.Caller), Child{r.host.ID, r.ID}
	r.host.Loop.Run(func() { r.host.Nested.Began(by, child) })
}

// Leave returns the slots of a run that is over. The command that has started it gets its own slot back first, so that no
// other run takes it.
func (r *Run) Leave() {
	if r.Request.Caller == nil || r.host.Nested == nil || r.member == nil {
		r.leaveSlots()
		return
	}
	r.short.stop()
	by := callerOf(r.Request.Caller)
	r.host.Loop.Run(func() {
		r.host.Nested.Over(by)
		r.member.Leave()
	})
}

func callerOf(c *history.Caller) api.Caller {
	return api.Caller{Workfile: c.Workfile, Run: c.Run, Node: c.Node, Execution: c.Execution}
}

// stopChildren stops the runs that the given executions have started; nil means those of all executions.
func (r *Run) stopChildren(ids []executor.ID, graceMS *int64) {
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
			r.host.Loop.Run(func() {
				r.host.Nested.Stop(child, graceMS)
				r.host.Loop.Post(func() { r.leaving-- })
			})
		}
	}
}

// endChildren stops the runs that an execution has started, now that it is over. If the execution was stopped, its children
// get no grace time.
func (r *Run) endChildren(id executor.ID, stopped bool) {
	delete(r.callers, id)
	if len(r.children[id]) == 0 {
		return
	}
	var grace *int64
	if stopped {
		grace = new(int64)
	}
	r.stopChildren([]executor.ID{id}, grace)
	delete(r.children, id)
}

func graceOf(d time.Duration) *int64 { return new(d.Milliseconds()) }

// FindExecution finds the execution that a command says it is, and reports whether it is going.
func (r *Run) FindExecution(c api.Caller) (id executor.ID, live bool) {
	i, in := r.Sched.Index(c.Node)
	if !in {
		return id, false
	}
	rec := r.Nodes[i].Execution
	return executor.ID{Node: i, Execution: c.Execution}, rec != nil && rec.Live && rec.Number == c.Execution
}

// UnitsOf returns the units of pools that an execution and the callers of its run hold.
func (r *Run) UnitsOf(id executor.ID) map[string]int {
	held := map[string]int{}
	if r.Request.Caller != nil {
		for pool, n := range r.Request.Caller.Held {
			held[pool] += n
		}
	}
	for _, use := range r.pools.held[id.Node].claim {
		held[use.Pool] += use.Units
	}
	return held
}

// CommandWaits notes that the command of an execution waits for another run, or stops waiting.
func (r *Run) CommandWaits(id executor.ID, waits bool) {
	if r.callers == nil {
		r.callers = map[executor.ID]int{}
	}
	if waits {
		if r.callers[id]++; r.Nodes[id.Node].Execution.Started {
			r.lend(id)
		}
		return
	}
	if r.callers[id]--; r.callers[id] <= 0 {
		delete(r.callers, id)
		r.TakeBack(id)
	}
}

// Adopt notes a run that an execution has started.
func (r *Run) Adopt(id executor.ID, child Child) {
	if r.children == nil {
		r.children = map[executor.ID][]Child{}
	}
	r.children[id] = append(r.children[id], child)
}
