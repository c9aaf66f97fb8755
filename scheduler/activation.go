package scheduler

import "wf/graph"

// Causes of an activation that are no edge of their own.
const (
	causeNone   int32 = -1 - iota
	causeStart        // a start node of a fresh run
	causeResume       // it had failed or was not reached, and could go on
	causeJoin         // the tokens of all blocking in-edges
)

// activate decides that the node shall execute once more: now, or after what it is doing.
func (r *Run) activate(i, cause int32) {
	n := &r.nodes[i]
	if r.halted || n.stray {
		return
	}
	if int(n.activations) == r.opt.MaxActivations {
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

// queue asks for an execution. Its number counts dispatched ones, so one that is withdrawn before
// that leaves no gap.
func (r *Run) queue(i int32) {
	r.setStatus(i, graph.Queued, "")
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
		r.fail(i, ReasonLimit)
	}
}

// fail is how every failure ends up, so that each can be the first one of a fail-fast run.
func (r *Run) fail(i int32, reason string) {
	r.setStatus(i, graph.Failed, reason)
	if r.opt.FailFast && !r.halted {
		r.halt()
	}
}

// halt withdraws what is queued and asks what was dispatched to end. It is the one thing that looks
// at all nodes, and it happens at most once for each Stop. Activations that wait are forgotten; a
// resume derives from who ran what can go on.
func (r *Run) halt() {
	r.halted = true
	for i := range r.nodes {
		n := &r.nodes[i]
		n.pending, n.refused = 0, false
		switch {
		case n.handed:
			r.emit(Effect{Kind: Cancel, Node: i, Execution: int(n.executions)})
		case n.status == graph.Queued:
			r.setStatus(int32(i), graph.Idle, "")
		}
	}
}

// setStatus is the only way in which a status changes, so counts and effects cannot be forgotten.
// A new reason for the same status is news too.
func (r *Run) setStatus(i int32, s graph.Status, reason string) {
	n := &r.nodes[i]
	if n.status == s && r.reasons[i] == reason {
		return
	}
	r.counts[n.status]--
	r.counts[s]++
	n.status, r.reasons[i] = s, reason
	r.emit(Effect{Kind: NodeChanged, Node: int(i), Status: s, Reason: reason})
}
