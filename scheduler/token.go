package scheduler

import "wf/graph"

// Causes of an activation that are no edge of their own.
const (
	causeNone   int32 = -1 - iota
	causeStart        // a start node of a fresh run
	causeResume       // it had failed or was not reached, and could go on
	causeJoin         // the tokens of all blocking in-edges
)

// fire is what an edge does when its source has succeeded. While the run ends, tokens are left
// on blocking edges for a resume, and nothing is activated.
func (r *Run) fire(j int32) {
	e := r.edges[j]
	switch {
	case e.blocking:
		r.setMark(j, true)
		if !r.halted && r.nodes[e.target].missing == 0 {
			r.consume(e.target)
			r.activate(e.target, causeJoin)
		}
	case !r.halted:
		// The token is handed over at once. One that an older run left is used up as well.
		r.setMark(j, false)
		r.activate(e.target, j)
	}
}

// consume takes the tokens of all blocking in-edges.
func (r *Run) consume(i int32) {
	for _, j := range r.in.of(i) {
		r.setMark(j, false)
	}
}

// activate decides that the node shall execute once more: now, or after what it is doing.
func (r *Run) activate(i, cause int32) {
	n := &r.nodes[i]
	if r.halted {
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

func (r *Run) fail(i int32, reason string) {
	r.setStatus(i, graph.Failed, reason)
	if r.opt.FailFast && !r.halted {
		r.halt()
	}
}

// halt withdraws what is queued and asks what is running to end. Activations that wait are
// forgotten: those nodes go on in a resume.
func (r *Run) halt() {
	r.halted = true
	for i := range r.nodes {
		n := &r.nodes[i]
		n.pending, n.refused = 0, false
		switch n.status {
		case graph.Queued:
			r.setStatus(int32(i), graph.Idle, "")
		case graph.Running:
			r.emit(Effect{Kind: Cancel, Node: i, Execution: int(n.executions)})
		}
	}
}

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

// setMark puts or takes a token. A token is a mark: a second one changes nothing.
func (r *Run) setMark(j int32, marked bool) {
	if r.marked[j] == marked {
		return
	}
	r.marked[j] = marked
	if e := r.edges[j]; e.blocking {
		if marked {
			r.nodes[e.target].missing--
		} else {
			r.nodes[e.target].missing++
		}
	}
	r.emit(Effect{Kind: EdgeChanged, Edge: int(j), Marked: marked})
}
