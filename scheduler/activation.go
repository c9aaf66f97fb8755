package scheduler

import "wf/graph"

// Causes of an activation that are no edge of their own.
const (
	causeNone   int32 = -1 - iota
	causeStart        // a start node of a fresh run, or of an instance
	causeResume       // it had failed or was not reached, and could go on
	causeJoin         // the tokens of all blocking in-edges
)

// activate decides that the node shall execute once more: now, or after what it is doing.
func (a activity) activate(cause int32) {
	n := &a.nodes[a.node]
	if inst := a.instanceOf(a.node); a.halted || inst.cut {
		inst.cut = true
		if !a.plain && !busy(n.status) {
			n.cause = cause // it is another activation than the one before, with instances of its own
		}
		a.markDue()
		return
	}
	if n.unrequested || a.dry != nil && n.activations > 0 {
		return
	}
	if int(n.activations) == a.opt.MaxActivations {
		if !a.plain {
			// Edges fire for this failure, perhaps around a loop: it happens once.
			x := a.makeExtras(a.node)
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

// queue begins to serve an activation.
func (a activity) queue() {
	a.setStatus(graph.Queued, "")
	if a.plain {
		a.execute()
		return
	}
	if x := a.extrasOf(a.node); x != nil {
		x.reset()
	}
	a.advance(stageMock)
}

// execute asks for an execution. Its number counts dispatched ones, so one that is withdrawn before
// that leaves no gap.
func (a activity) execute() {
	a.emit(Effect{Kind: Execute, Node: int(a.node), Execution: int(a.nodes[a.node].executions) + 1})
}

// servePending goes on with the activations that came while the node was executing.
func (a activity) servePending() {
	n := &a.nodes[a.node]
	if n.status == graph.Queued {
		return // its own edge has activated it again
	}
	if n.pending > 0 {
		n.pending--
		a.queue()
		return
	}
	a.failRefused()
}

// failRefused fails a node that was activated too often, once it has served what was allowed.
func (a activity) failRefused() {
	n := &a.nodes[a.node]
	if n.refused && n.pending == 0 && n.status != graph.Queued && n.status != graph.Running {
		n.refused = false
		if !a.plain { // its edges may fire for that: a chain that could be long
			a.endLater(outcome{reason: ReasonLimit})
			return
		}
		a.finish(outcome{reason: ReasonLimit})
	}
}

// halt withdraws what is queued and asks what was dispatched to end. It is the one thing that looks
// at all nodes, and it happens at most once for each Stop. Activations that wait are forgotten; a
// resume derives from who ran what can go on.
func (r *Run) halt() {
	r.halted = true
	for k := range r.instances {
		inst := &r.instances[k]
		if k > 0 && !inst.over {
			inst.cut = inst.cut || inst.active > 0 || inst.joins > 0
			r.todo.idle = append(r.todo.idle, int32(k))
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
			r.activity(int32(i)).withdraw()
		case n.status == graph.Running && r.NextInstanceAt(i) > 0:
			r.subflow(int32(i)).stopRateWait()
		}
	}
}

// putBack takes an activation back that was not served. What had failed before a repetition has
// failed then.
func (a activity) withdraw() {
	if x := a.extrasOf(a.node); x != nil {
		a.stopWaiting()
		if x.attempt > 0 {
			x.due, a.nodes[a.node].decided = true, false
			a.setFailed(x.last.reason, x.last.message, false)
			return
		}
	}
	if a.plain {
		a.setStatus(graph.Idle, "")
		return
	}
	a.markDue()
}

// takenBack notes that an activation was taken back, or not begun, because the run or its sub-flow ends.
// A later run begins there.
func (a activity) markDue() {
	n := &a.nodes[a.node]
	if n.dispatched || n.status == graph.Running || a.plain {
		return
	}
	a.makeExtras(a.node).due = true
	n.decided = false
	a.setStatus(graph.Idle, "")
}

// setStatus is how a status changes to anything but Failed.
func (a activity) setStatus(s graph.Status, reason string) { a.change(s, reason, "", false) }

// setFailed is how every failure ends up. handled says that an edge fires for it.
func (a activity) setFailed(reason, message string, handled bool) {
	a.change(graph.Failed, reason, message, handled)
	if a.opt.FailFast && !a.halted && !handled && a.instanceNo(a.node) == 0 {
		if a.dry != nil {
			a.dry.failed = true // what is still to come depends on how far it is then
			return
		}
		a.halt()
	}
}

// change is the only way in which a status changes, so counts and effects cannot be forgotten.
// A new reason for the same status is news too.
func (a activity) change(s graph.Status, reason, message string, handled bool) {
	n := &a.nodes[a.node]
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
	x := a.extrasOf(a.node)
	mocked := x != nil && x.last.mocked && !busy(s)
	a.emit(Effect{Kind: NodeChanged, Node: int(a.node), Status: s, Reason: reason, Message: message, Mocked: mocked})
}

func busy(s graph.Status) bool { return s == graph.Queued || s == graph.Running }

// turn counts a node that begins or ends to be active.
func (r *Run) countActive(frame, i int32, begins bool) {
	inst := &r.instances[frame]
	by := int32(1)
	if !begins {
		by = -1
	}
	inst.active += by
	if inst.settlement != nil {
		c := inst.lay.component[i-inst.node]
		inst.settlement.active[c] += by
		if !begins && inst.settlement.active[c] == 0 {
			r.todo.unsettled = append(r.todo.unsettled, componentRef{frame, c})
		}
	}
	if inst.active == 0 && frame > 0 {
		r.todo.idle = append(r.todo.idle, frame)
	}
}
