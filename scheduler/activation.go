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
func (r *Run) activate(i, cause int32) {
	n := &r.nodes[i]
	if f := r.frameOf(i); r.halted || f.cut {
		f.cut = true
		if !r.plain && !busy(n.status) {
			n.cause = cause // it is another activation than the one before, with instances of its own
		}
		r.takenBack(i)
		return
	}
	if n.stray || r.dry != nil && n.activations > 0 {
		return
	}
	if int(n.activations) == r.opt.MaxActivations {
		if !r.plain {
			// Edges fire for this failure, perhaps around a loop: it happens once.
			x := r.rareOf(i)
			if x.spent {
				return
			}
			x.spent = true
		}
		n.refused = true
		r.failRefused(i)
		return
	}
	n.activations++
	n.cause = cause
	if n.status == graph.Queued || n.status == graph.Running {
		n.pending++
		return
	}
	r.queue(i)
}

// queue begins to serve an activation.
func (r *Run) queue(i int32) {
	r.setStatus(i, graph.Queued, "")
	if r.plain {
		r.execute(i)
		return
	}
	if x := r.rareAt(i); x != nil {
		x.begin()
	}
	r.advance(i, stageMock)
}

// execute asks for an execution. Its number counts dispatched ones, so one that is withdrawn before
// that leaves no gap.
func (r *Run) execute(i int32) {
	r.emit(Effect{Kind: Execute, Node: int(i), Execution: int(r.nodes[i].executions) + 1})
}

// servePending goes on with the activations that came while the node was executing.
func (r *Run) servePending(i int32) {
	n := &r.nodes[i]
	if n.status == graph.Queued {
		return // its own edge has activated it again
	}
	if n.pending > 0 {
		n.pending--
		r.queue(i)
		return
	}
	r.failRefused(i)
}

// failRefused fails a node that was activated too often, once it has served what was allowed.
func (r *Run) failRefused(i int32) {
	n := &r.nodes[i]
	if n.refused && n.pending == 0 && n.status != graph.Queued && n.status != graph.Running {
		n.refused = false
		if !r.plain { // its edges may fire for that: a chain that could be long
			r.endLater(i, outcome{reason: ReasonLimit})
			return
		}
		r.finish(i, outcome{reason: ReasonLimit})
	}
}

// halt withdraws what is queued and asks what was dispatched to end. It is the one thing that looks
// at all nodes, and it happens at most once for each Stop. Activations that wait are forgotten; a
// resume derives from who ran what can go on.
func (r *Run) halt() {
	r.halted = true
	for k := range r.frames {
		f := &r.frames[k]
		if k > 0 && !f.over {
			f.cut = f.cut || f.active > 0 || f.joins > 0
			r.works.quiet = append(r.works.quiet, int32(k))
		}
		f.joins = 0
	}
	for i := range r.nodes {
		n := &r.nodes[i]
		n.pending, n.refused = 0, false
		switch {
		case n.handed:
			r.emit(Effect{Kind: Cancel, Node: i, Execution: int(n.executions)})
		case n.status == graph.Queued:
			r.putBack(int32(i))
		case n.status == graph.Running && r.NextInstanceAt(i) > 0:
			r.stopPacing(int32(i))
		}
	}
}

// putBack takes an activation back that was not served. What had failed before a repetition has
// failed then.
func (r *Run) putBack(i int32) {
	if x := r.rareAt(i); x != nil {
		r.stopWaiting(i)
		if x.attempt > 0 {
			x.due, r.nodes[i].decided = true, false
			r.setFailed(i, x.last.reason, x.last.message, false)
			return
		}
	}
	if r.plain {
		r.setStatus(i, graph.Idle, "")
		return
	}
	r.takenBack(i)
}

// takenBack notes that an activation was taken back, or not begun, because the run or its sub-flow ends.
// A later run begins there.
func (r *Run) takenBack(i int32) {
	n := &r.nodes[i]
	if n.handed || n.status == graph.Running || r.plain {
		return
	}
	r.rareOf(i).due = true
	n.decided = false
	r.setStatus(i, graph.Idle, "")
}

// setStatus is how a status changes to anything but Failed.
func (r *Run) setStatus(i int32, s graph.Status, reason string) { r.change(i, s, reason, "", false) }

// setFailed is how every failure ends up. handled says that an edge fires for it.
func (r *Run) setFailed(i int32, reason, message string, handled bool) {
	r.change(i, graph.Failed, reason, message, handled)
	if r.opt.FailFast && !r.halted && !handled && r.frameNo(i) == 0 {
		if r.dry != nil {
			r.dry.failed = true // what is still to come depends on how far it is then
			return
		}
		r.halt()
	}
}

// change is the only way in which a status changes, so counts and effects cannot be forgotten.
// A new reason for the same status is news too.
func (r *Run) change(i int32, s graph.Status, reason, message string, handled bool) {
	n := &r.nodes[i]
	if n.status == s && r.reasons[i] == reason && n.handled == handled {
		return
	}
	r.counts[n.status]--
	r.counts[s]++
	if r.plain && n.status != graph.Failed && s != graph.Failed {
		n.status, n.handled, r.reasons[i] = s, handled, reason
		r.emit(Effect{Kind: NodeChanged, Node: int(i), Status: s, Reason: reason})
		return
	}
	frame := r.frameNo(i)
	f := &r.frames[frame]
	if n.status == graph.Failed && !n.handled {
		f.unhandled--
	}
	if s == graph.Failed && !handled {
		f.unhandled++
		if frame > 0 && !f.cut && r.dry == nil && r.rulesOf(f.owner).Sub.Cancel {
			r.works.failing = append(r.works.failing, frame)
		}
	}
	if was, is := busy(n.status), busy(s); was != is && !r.plain {
		r.turn(frame, i, is)
	}
	n.status, n.handled, r.reasons[i] = s, handled, reason
	x := r.rareAt(i)
	mocked := x != nil && x.last.mocked && !busy(s)
	r.emit(Effect{Kind: NodeChanged, Node: int(i), Status: s, Reason: reason, Message: message, Mocked: mocked})
}

func busy(s graph.Status) bool { return s == graph.Queued || s == graph.Running }

// turn counts a node that begins or ends to be active.
func (r *Run) turn(frame, i int32, begins bool) {
	f := &r.frames[frame]
	by := int32(1)
	if !begins {
		by = -1
	}
	f.active += by
	if f.settlement != nil {
		c := f.lay.component[i-f.node]
		f.settlement.active[c] += by
		if !begins && f.settlement.active[c] == 0 {
			r.works.still = append(r.works.still, stillComponent{frame, c})
		}
	}
	if f.active == 0 && frame > 0 {
		r.works.quiet = append(r.works.quiet, frame)
	}
}
