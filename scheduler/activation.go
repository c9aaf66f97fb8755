package scheduler

import "wf/graph"

// Causes of an activation other than a single edge.
const (
	causeNone   edgeID = -1 - iota
	causeStart         // a start node of a fresh run, or of an instance
	causeResume        // it had failed or was not reached, and could go on
	causeJoin          // the tokens of all blocking in-edges
)

// activate accepts another activation of the node: it executes now, or after its present activation.
func (a activity) activate(cause edgeID) {
	n := a.entry()
	if inst := a.instance(); a.halted || inst.cut {
		inst.cut = true
		if !a.plain && !busy(n.status) {
			n.cause = cause // another activation than the one before, with its own instances
		}
		a.markDue()
		return
	}
	if n.unrequested || a.dry != nil && n.activations > 0 {
		return
	}
	if int(n.activations) == a.opt.MaxActivations {
		if !a.plain {
			// Edges may fire for this failure, perhaps around a loop, so it happens only once.
			x := a.ensureExtras()
			if x.overLimit {
				return
			}
			x.overLimit = true
		}
		n.refused = true
		a.failRefused()
		return
	}
	n.activations++
	n.cause = cause
	if n.status == graph.Queued || n.status == graph.Running {
		n.pending++
		return
	}
	a.queue()
}

// queue starts to serve an activation.
func (a activity) queue() {
	a.setStatus(graph.Queued)
	if a.plain {
		a.execute()
		return
	}
	if x := a.extras(); x != nil {
		x.reset()
	}
	a.advance(stageMock)
}

// execute emits Execute. The number counts dispatched executions, so an execution that is withdrawn before
// it is dispatched leaves no gap.
func (a activity) execute() {
	a.emit(Effect{Kind: Execute, Node: int(a.node), Execution: int(a.entry().executions) + 1})
}

// servePending serves the next of the activations that came while the node was executing.
func (a activity) servePending() {
	n := a.entry()
	if n.status == graph.Queued {
		return // one of its own edges has activated it again
	}
	if n.pending > 0 {
		n.pending--
		a.queue()
		return
	}
	a.failRefused()
}

// failRefused fails a node that was activated too often, after it has served the activations that were
// allowed.
func (a activity) failRefused() {
	n := a.entry()
	if n.refused && n.pending == 0 && n.status != graph.Queued && n.status != graph.Running {
		n.refused = false
		if a.plain {
			a.setFailed(ReasonLimit, "", false)
			return
		}
		a.endLater(outcome{reason: ReasonLimit}) // edges may fire for it, and the chain could be long
	}
}

// halt withdraws queued executions and cancels dispatched ones. It is the only function that visits
// all nodes, and it runs at most once for each Stop. Pending activations are dropped; a resume derives from
// the statuses where to go on.
func (r *Run) halt() {
	r.halted = true
	for k := range r.instances {
		inst := &r.instances[k]
		if k > 0 && !inst.over {
			inst.cut = inst.cut || inst.active > 0 || inst.joins > 0
			r.todo.idle = append(r.todo.idle, instanceID(k))
		}
		inst.joins = 0
	}
	for i := range r.nodes {
		n := &r.nodes[i]
		n.pending, n.refused = 0, false
		switch {
		case n.dispatched:
			r.emit(Effect{Kind: Cancel, Node: i, Execution: int(n.executions)})
		case n.status == graph.Queued:
			r.activity(nodeID(i)).withdraw()
		case n.status == graph.Running && r.NextInstanceAt(i) > 0:
			r.subflow(nodeID(i)).stopRateWait()
		}
	}
}

// withdraw takes back an activation that was not served. A node that waited for its next attempt fails as
// its last attempt did.
func (a activity) withdraw() {
	if x := a.extras(); x != nil {
		a.stopWaiting()
		if x.attempt > 0 {
			x.due, a.entry().decided = true, false
			a.setFailed(x.last.reason, x.last.message, false)
			return
		}
	}
	if a.plain {
		a.setStatus(graph.Idle)
		return
	}
	a.markDue()
}

// markDue notes that an activation was taken back, or not started, because the run or its sub-flow ends. A
// resume starts there.
func (a activity) markDue() {
	n := a.entry()
	if n.dispatched || n.status == graph.Running || a.plain {
		return
	}
	a.ensureExtras().due = true
	n.decided = false
	a.setStatus(graph.Idle)
}

// setStatus changes the status to anything but Failed.
func (a activity) setStatus(s graph.Status) { a.change(s, "", "", false) }

// setFailed changes the status to Failed. handled means that an edge fires for the failure.
func (a activity) setFailed(reason, message string, handled bool) {
	a.change(graph.Failed, reason, message, handled)
	if a.opt.FailFast && !a.halted && !handled && a.instanceNo(a.node) == 0 {
		if a.dry != nil {
			a.dry.failed = true // the rest depends on how far the run is then
			return
		}
		a.halt()
	}
}

// change is the only place where a status changes, so counts and effects stay complete. A new reason for
// the same status counts as a change.
func (a activity) change(s graph.Status, reason, message string, handled bool) {
	n := a.entry()
	if n.status == s && a.reasons[a.node] == reason && n.handled == handled {
		return
	}
	a.counts[n.status]--
	a.counts[s]++
	if a.plain && n.status != graph.Failed && s != graph.Failed {
		n.status, n.handled, a.reasons[a.node] = s, handled, reason
		a.emit(Effect{Kind: NodeChanged, Node: int(a.node), Status: s, Reason: reason})
		return
	}
	frame := a.instanceNo(a.node)
	inst := &a.instances[frame]
	if n.status == graph.Failed && !n.handled {
		inst.unhandled--
	}
	if s == graph.Failed && !handled {
		inst.unhandled++
		if frame > 0 && !inst.cut && a.dry == nil && a.rulesOf(inst.owner).Sub.Cancel {
			a.todo.failing = append(a.todo.failing, frame)
		}
	}
	if was, is := busy(n.status), busy(s); was != is && !a.plain {
		a.countActive(frame, a.node, is)
	}
	n.status, n.handled, a.reasons[a.node] = s, handled, reason
	x := a.extras()
	var last outcome
	if x != nil && !busy(s) {
		last = x.last
	}
	a.emit(Effect{Kind: NodeChanged, Node: int(a.node), Status: s, Reason: reason, Message: message, Mocked: last.mocked, UpToDate: last.upToDate})
}

func busy(s graph.Status) bool { return s == graph.Queued || s == graph.Running }

// countActive counts a node that becomes active (Queued or Running), or is not active any more.
func (r *Run) countActive(frame instanceID, i nodeID, begins bool) {
	inst := &r.instances[frame]
	by := int32(1)
	if !begins {
		by = -1
	}
	inst.active += by
	if inst.settlement != nil {
		c := inst.lay.component[inst.local(i)]
		inst.settlement.active[c] += by
		if !begins && inst.settlement.active[c] == 0 {
			r.todo.unsettled = append(r.todo.unsettled, componentRef{frame, c})
		}
	}
	if inst.active == 0 && frame > 0 {
		r.todo.idle = append(r.todo.idle, frame)
	}
}
