package scheduler

import (
	"fmt"

	"wf/graph"
)

// Step takes in an event and returns what follows from it, causes before consequences. The
// slice is valid until the next Step. An event that cannot be (an execution that was never
// dispatched, a second end of one) is a bug of the caller and panics.
//
//	        activate          Dispatched          Finished
//	Idle ─────────────▶ Queued ─────────▶ Running ─────────▶ Ran, Failed
//	 ▲                    │ ▲                                    │
//	 └── Stop ────────────┤ └── activate, or a pending one ──────┘
//	                      └── CancelNode ──▶ Failed
func (r *Run) Step(ev Event) []Effect {
	r.effects = r.effects[:0]
	if !r.begun && ev.Kind != Begin {
		panic("internal error: scheduler: an event before Begin")
	}
	switch ev.Kind {
	case Begin:
		r.begin()
	case Dispatched:
		r.dispatched(ev)
	case Finished:
		r.finished(ev)
	case Stop:
		r.stop()
	case CancelNode:
		r.cancelNode(ev)
	default:
		panic(fmt.Sprintf("internal error: scheduler: unknown event kind %d", ev.Kind))
	}
	r.endWhenIdle()
	return r.effects
}

func (r *Run) emit(e Effect) { r.effects = append(r.effects, e) }

func (r *Run) dispatched(ev Event) {
	n := &r.nodes[ev.Node]
	if n.status != graph.Queued {
		panic(fmt.Sprintf("internal error: scheduler: node %s dispatched while %q", r.ids[ev.Node], n.status))
	}
	n.executions++
	r.setStatus(int32(ev.Node), graph.Running, "")
}

func (r *Run) finished(ev Event) {
	i, n := int32(ev.Node), &r.nodes[ev.Node]
	if n.status != graph.Running || ev.Execution != int(n.executions) {
		panic(fmt.Sprintf("internal error: scheduler: execution %d of node %s finished while %q in execution %d",
			ev.Execution, r.ids[i], n.status, n.executions))
	}
	if ev.OK {
		r.setStatus(i, graph.Ran, "")
		for _, j := range r.out.of(i) {
			r.fire(j)
		}
	} else {
		r.fail(i, ev.Reason)
	}
	r.servePending(i)
}

// stop asks everything that runs to end and lets nothing new begin. It may come again.
func (r *Run) stop() {
	if !r.ended {
		r.stopped = true
		r.halt()
	}
}

func (r *Run) cancelNode(ev Event) {
	i, n := int32(ev.Node), &r.nodes[ev.Node]
	n.pending, n.refused = 0, false
	switch n.status {
	case graph.Queued:
		r.fail(i, ReasonCancelled)
	case graph.Running:
		r.emit(Effect{Kind: Cancel, Node: ev.Node, Execution: int(n.executions)})
	}
}

// endWhenIdle ends the run when nothing is left to wait for.
func (r *Run) endWhenIdle() {
	if r.ended || r.counts[graph.Queued]+r.counts[graph.Running] > 0 {
		return
	}
	r.ended = true
	r.emit(Effect{Kind: Ended, Result: r.result()})
}

func (r *Run) result() Result {
	switch {
	case r.stopped:
		return Cancelled
	case r.counts[graph.Failed] > 0:
		return Failed
	}
	return Succeeded
}
