package scheduler

import (
	"fmt"

	"wf/graph"
)

// Step applies an event and returns its effects, causes before consequences. The
// slice is valid until the next Step. An event that cannot be (an execution that was never
// dispatched, a second end of one) is a bug of the caller and panics.
//
//	        activate    Dispatched, Started         Finished
//	Idle ─────────────▶ Queued ─────────▶ Running ─────────▶ Ran, Failed
//	 ▲                    │ ▲                                    │
//	 └── Stop ────────────┤ └── activate, or a pending one ──────┘
//	                      └── CancelNode ──▶ Failed
//
// Between Dispatched and Started, Stop and CancelNode only ask: Withdrawn does what they would have
// done, unless the execution was faster. A node that no path leads to any more goes from Idle to
// Skipped. A sub-flow is Running from its activation until its instances are over.
func (r *Run) Step(ev Event) []Effect {
	r.effects = r.effects[:0]
	if !r.hasStarted && ev.Kind != Start {
		panic("internal error: scheduler: an event before Begin")
	}
	r.now = max(r.now, ev.At)
	r.noteStored(&ev)
	switch ev.Kind {
	case Start:
		r.start()
	case Dispatched:
		r.dispatched(&ev)
	case Started:
		r.started(&ev)
	case Finished:
		r.finished(&ev)
	case Unrequested:
		r.unrequested(&ev)
	case Withdrawn:
		r.withdrawn(&ev)
	case Stop:
		r.stop()
	case CancelNode:
		r.activity(nodeID(ev.Node)).cancel()
	case Decided:
		r.approvalDecided(&ev)
	case Listed:
		r.listed(&ev)
	case UpToDate:
		r.upToDate(&ev)
	case Tick:
		r.tick()
	case ClockSet:
		r.clockSet(&ev)
	default:
		panic(fmt.Sprintf("internal error: scheduler: unknown event kind %d", ev.Kind))
	}
	if !r.plain {
		r.drain()
	}
	over := r.over()
	if over {
		r.ended = true
		r.timers.list = nil
	}
	if !r.plain {
		r.announceTimer()
	}
	if over {
		r.emit(Effect{Kind: Ended, Result: r.result()})
	}
	return r.effects
}

func (st *state) emit(e Effect) { st.effects = append(st.effects, e) }

func (r *Run) dispatched(ev *Event) {
	n := &r.nodes[ev.Node]
	if n.status != graph.Queued || n.dispatched || r.waiting(nodeID(ev.Node)) {
		panic(fmt.Sprintf("internal error: scheduler: node %s dispatched while %q", r.Path(ev.Node), n.status))
	}
	r.activity(nodeID(ev.Node)).markDispatched()
}

func (a activity) markDispatched() {
	n := a.entry()
	n.executions++
	n.dispatched = true
	a.addInFlight(a.node)
}

func (r *Run) started(ev *Event) {
	i := nodeID(ev.Node)
	if n := &r.nodes[i]; n.status != graph.Queued || !n.dispatched {
		panic(fmt.Sprintf("internal error: scheduler: node %s started while %q", r.Path(ev.Node), n.status))
	}
	r.activity(i).setStatus(graph.Running)
	r.activity(i).limitTime()
}

func (r *Run) finished(ev *Event) {
	i := nodeID(ev.Node)
	lost := ev.Reason == ReasonLost && !r.nodes[i].unrequested
	r.endExecution(ev)
	if r.plain {
		if ev.OK || !lost || !r.activity(i).retryLost() {
			r.activity(i).finishPlain(ev.OK, ev.Reason, ev.Message)
		}
		return
	}
	out := outcome{ok: ev.OK, reason: ev.Reason, message: ev.Message, exit: ev.Exit, hasExit: ev.HasExit || ev.OK, outputs: ev.Outputs, stdout: ev.Stdout}
	switch sub := r.subOf(i); {
	case !ev.OK && lost && r.activity(i).retryLost():
	case sub != nil && ev.OK:
		r.subflow(i).gotItems(ev.Items)
	default:
		r.activity(i).finish(r.activity(i).timedOut(out))
	}
}

func (r *Run) unrequested(ev *Event) {
	i, n := nodeID(ev.Node), &r.nodes[ev.Node]
	if n.status == graph.Queued || n.status == graph.Running || r.ended {
		panic(fmt.Sprintf("internal error: scheduler: node %s unrequested while %q", r.Path(ev.Node), n.status))
	}
	n.unrequested = true
	r.activity(i).setStatus(graph.Queued)
	r.activity(i).markDispatched()
}

// withdrawn ends an execution that never started. After Stop the node is idle again; after CancelNode it
// fails.
func (r *Run) withdrawn(ev *Event) {
	i := nodeID(ev.Node)
	if r.nodes[i].status == graph.Running {
		panic("internal error: scheduler: node " + r.Path(ev.Node) + " withdrawn while it runs")
	}
	r.endExecution(ev)
	if r.halted {
		r.activity(i).withdraw()
		return
	}
	r.activity(i).finish(outcome{reason: ReasonCancelled})
}

// endExecution ends the present execution of a node, independent of what follows.
func (r *Run) endExecution(ev *Event) {
	n := &r.nodes[ev.Node]
	if !n.dispatched || ev.Execution != int(n.executions) {
		panic(fmt.Sprintf("internal error: scheduler: execution %d of node %s ended while %q in execution %d",
			ev.Execution, r.Path(ev.Node), n.status, n.executions))
	}
	n.dispatched = false
	n.unrequested = n.unrequested && !n.idempotent
	r.removeInFlight(nodeID(ev.Node))
	if x := r.extrasOf(nodeID(ev.Node)); x != nil {
		x.dropTimer(timeLimit)
	}
}

// stop asks everything that runs to end and lets nothing new start. It may be called again.
func (r *Run) stop() {
	if !r.ended {
		r.stopped = true
		r.halt()
	}
}

// cancel ends the present activation of a node; a sub-flow ends with all its instances.
func (a activity) cancel() {
	n := a.entry()
	n.pending, n.refused = 0, false
	switch {
	case n.dispatched:
		a.emit(Effect{Kind: Cancel, Node: int(a.node), Execution: int(n.executions)})
		if a.layout() != nil {
			a.ensureExtras().cancelled = true
		}
	case n.status == graph.Running:
		a.subflow(a.node).cancelAll(ReasonCancelled)
	case n.status == graph.Queued:
		a.finish(outcome{reason: ReasonCancelled})
	}
}

// over reports that nothing is left to wait for, for the first time.
func (r *Run) over() bool {
	return !r.ended && r.counts[graph.Queued]+r.counts[graph.Running] == 0 && r.instances[0].joins == 0
}

func (r *Run) result() Result {
	switch {
	case r.stopped:
		return Cancelled
	case r.instances[0].unhandled > 0:
		return Failed
	}
	return Succeeded
}
