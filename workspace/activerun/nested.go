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
	// Began reports a run that a command has started, under this daemon or an earlier one. If the command has ended, the run
	// is stopped.
	Began(by api.Caller, child Child)
	// Over reports that a run which a command started is over. When Over returns, the command has its slot back.
	Over(by api.Caller)
	// Stop stops a run and returns when it is over. A nil graceMS means the grace time that the run was started with,
	// otherwise it is in milliseconds.
	Stop(child Child, graceMS *int64)
}

// A Child is a run of another workspace.
type Child struct{ Workspace, Run string }

// nesting connects a run with the runs that its commands have started.
type nesting struct {
	run      *Run
	callers  map[executor.ID]int     // execution → how many of its connections wait for other runs
	children map[executor.ID][]Child // runs that a live execution has started
	leaving  int                     // number of children that are being stopped
}

// reportToCaller tells the command that started the run, if there is one, that the run is active.
func (ne *nesting) reportToCaller() {
	if ne.run.Request.Caller == nil || ne.run.host.Nested == nil {
		return
	}
	by, child := callerOf(ne.run.Request.Caller), Child{ne.run.host.ID, ne.run.ID}
	ne.run.host.Loop.Run(func() { ne.run.host.Nested.Began(by, child) })
}

// Leave returns the slots of a run that is over. If a command started the run, the command gets its own slot back first, so
// that no other run takes it.
func (ne *nesting) Leave() {
	if ne.run.Request.Caller == nil || ne.run.host.Nested == nil || ne.run.slotShare.member == nil {
		ne.run.slotShare.leaveSlots()
		return
	}
	ne.run.slotShare.short.timer.Stop()
	by := callerOf(ne.run.Request.Caller)
	ne.run.host.Loop.Run(func() {
		ne.run.host.Nested.Over(by)
		ne.run.slotShare.member.Leave()
	})
}

func callerOf(c *history.Caller) api.Caller {
	return api.Caller{Workfile: c.Workfile, Run: c.Run, Node: c.Node, Execution: c.Execution}
}

// stopChildren stops the runs that the given executions have started. nil means all executions.
func (ne *nesting) stopChildren(ids []executor.ID, graceMS *int64) {
	if len(ne.children) == 0 {
		return
	}
	if ids == nil {
		for id := range ne.children {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		for _, child := range ne.children[id] {
			ne.leaving++
			ne.run.host.Loop.Run(func() {
				ne.run.host.Nested.Stop(child, graceMS)
				ne.run.host.Loop.Post(func() { ne.leaving-- })
			})
		}
	}
}

// endChildren stops the runs that an execution has started, after the execution ended. If the execution was stopped, they
// get no grace time.
func (ne *nesting) endChildren(id executor.ID, stopped bool) {
	delete(ne.callers, id)
	if len(ne.children[id]) == 0 {
		return
	}
	var grace *int64
	if stopped {
		grace = new(int64)
	}
	ne.stopChildren([]executor.ID{id}, grace)
	delete(ne.children, id)
}

func graceOf(d time.Duration) *int64 { return new(d.Milliseconds()) }

// FindExecution finds the execution that a command claims to belong to, and reports whether it is live.
func (ne *nesting) FindExecution(c api.Caller) (id executor.ID, live bool) {
	i, in := ne.run.Sched.Index(c.Node)
	if !in {
		return id, false
	}
	rec := ne.run.Nodes[i].Execution
	return executor.ID{Node: i, Execution: c.Execution}, rec != nil && rec.Live && rec.Number == c.Execution
}

// UnitsOf returns the units of pools that an execution and the callers of its run hold.
func (ne *nesting) UnitsOf(id executor.ID) map[string]int {
	held := map[string]int{}
	if ne.run.Request.Caller != nil {
		for pool, n := range ne.run.Request.Caller.Held {
			held[pool] += n
		}
	}
	for _, use := range ne.run.pooling.held[id.Node].claim {
		held[use.Pool] += use.Units
	}
	return held
}

// CommandWaits notes that the command of an execution starts or stops waiting for another run.
func (ne *nesting) CommandWaits(id executor.ID, waits bool) {
	if ne.callers == nil {
		ne.callers = map[executor.ID]int{}
	}
	if waits {
		if ne.callers[id]++; ne.run.Nodes[id.Node].Execution.Started {
			ne.run.slotShare.lend(id)
		}
		return
	}
	if ne.callers[id]--; ne.callers[id] <= 0 {
		delete(ne.callers, id)
		ne.run.slotShare.TakeBack(id)
	}
}

// Adopt notes that an execution has started a run.
func (ne *nesting) Adopt(id executor.ID, child Child) {
	if ne.children == nil {
		ne.children = map[executor.ID][]Child{}
	}
	ne.children[id] = append(ne.children[id], child)
}
