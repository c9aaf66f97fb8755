package scheduler

import (
	"fmt"

	"wf/graph"
)

// Step takes in an event and returns what follows from it, causes before consequences. The
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
	if !r.begun && ev.Kind != Start {
		panic("internal error: scheduler: an event before Begin")
	}
	r.now = max(r.now, ev.At)
	switch ev.Kind {
	case Start:
		r.begin()
	case Dispatched:
		r.dispatched(&ev)
	case Started:
		r.started(&ev)
	case Finished:
		r.finished(&ev)
	case Unrequested:
		r.strayed(&ev)
	case Withdrawn:
		r.withdrawn(&ev)
	case Stop:
		r.stop()
	case CancelNode:
		r.cancelNode(int32(ev.Node))
	case Decided:
		r.personDecided(&ev)
	case Tick:
		r.tick()
	case ClockSet:
		r.clockSet(&ev)
	default:
		panic(fmt.Sprintf("internal error: scheduler: unknown event kind %d", ev.Kind))
	}
	if !r.plain {
		r.work()
	}
	over := r.over()
	if over {
		r.ended = true
		r.timers.list = nil
	}
	if !r.plain {
		r.setTimer()
	}
	if over {
		r.emit(Effect{Kind: Ended, Result: r.result()})
	}
	return r.effects
}

func (r *Run) emit(e Effect) { r.effects = append(r.effects, e) }

func (r *Run) dispatched(ev *Event) {
	n := &r.nodes[ev.Node]
	if n.status != graph.Queued || n.handed || r.waiting(int32(ev.Node)) {
		panic(fmt.Sprintf("internal error: scheduler: node %s dispatched while %q", r.Path(ev.Node), n.status))
	}
	r.hand(int32(ev.Node))
}

func (r *Run) hand(i int32) {
	n := &r.nodes[i]
	n.executions++
	n.handed = true
	r.takeOff(i)
}

func (r *Run) started(ev *Event) {
	i := int32(ev.Node)
	if n := &r.nodes[i]; n.status != graph.Queued || !n.handed {
		panic(fmt.Sprintf("internal error: scheduler: node %s started while %q", r.Path(ev.Node), n.status))
	}
	r.setStatus(i, graph.Running, "")
	r.limitTime(i)
}

func (r *Run) finished(ev *Event) {
	i := int32(ev.Node)
	lost := ev.Reason == ReasonLost && !r.nodes[i].stray
	r.takeBack(ev)
	if r.plain {
		if ev.OK || !lost || !r.again(i) {
			r.finishPlain(i, ev.OK, ev.Reason, ev.Message)
		}
		return
	}
	out := outcome{ok: ev.OK, reason: ev.Reason, message: ev.Message, exit: ev.Exit, hasExit: ev.HasExit || ev.OK, outputs: ev.Outputs}
	switch sub := r.subOf(i); {
	case !ev.OK && lost && r.again(i):
	case sub != nil && ev.OK:
		r.gotItems(i, ev.Items)
	default:
		r.finish(i, r.timedOut(i, out))
	}
}

func (r *Run) strayed(ev *Event) {
	i, n := int32(ev.Node), &r.nodes[ev.Node]
	if n.status == graph.Queued || n.status == graph.Running || r.ended {
		panic(fmt.Sprintf("internal error: scheduler: node %s strayed while %q", r.Path(ev.Node), n.status))
	}
	n.stray = true
	r.setStatus(i, graph.Queued, "")
	r.hand(i)
}

// again serves the same activation once more, if the node does not mind: nobody knows how it ended.
// It counts as an activation, so that what is lost again and again meets the limit.
func (r *Run) again(i int32) bool {
	n := &r.nodes[i]
	if !n.idempotent || r.halted || int(n.activations) >= r.opt.MaxActivations {
		return false
	}
	n.activations++
	r.setStatus(i, graph.Queued, "")
	r.execute(i)
	return true
}

// withdrawn ends an execution that never began. Who has asked for that decides what becomes of the
// node: Stop makes it idle again, CancelNode fails it.
func (r *Run) withdrawn(ev *Event) {
	i := int32(ev.Node)
	if r.nodes[i].status == graph.Running {
		panic("internal error: scheduler: node " + r.Path(ev.Node) + " withdrawn while it runs")
	}
	r.takeBack(ev)
	if r.halted {
		r.putBack(i)
		return
	}
	r.finish(i, outcome{reason: ReasonCancelled})
}

// takeBack ends the present execution of a node, whatever becomes of the node.
func (r *Run) takeBack(ev *Event) {
	n := &r.nodes[ev.Node]
	if !n.handed || ev.Execution != int(n.executions) {
		panic(fmt.Sprintf("internal error: scheduler: execution %d of node %s ended while %q in execution %d",
			ev.Execution, r.Path(ev.Node), n.status, n.executions))
	}
	n.handed = false
	n.stray = n.stray && !n.idempotent
	r.land(int32(ev.Node))
	if r.rareAt(int32(ev.Node)) != nil {
		r.dropTimer(int32(ev.Node), timeLimit)
	}
}

// stop asks everything that runs to end and lets nothing new begin. It may come again.
func (r *Run) stop() {
	if !r.ended {
		r.stopped = true
		r.halt()
	}
}

// cancelNode ends what a node is doing, a sub-flow with all that it has begun.
func (r *Run) cancelNode(i int32) {
	n := &r.nodes[i]
	n.pending, n.refused = 0, false
	switch {
	case n.handed:
		r.emit(Effect{Kind: Cancel, Node: int(i), Execution: int(n.executions)})
		if r.subOf(i) != nil {
			r.rareOf(i).cancelled = true
		}
	case n.status == graph.Running:
		r.cancelInstances(i, ReasonCancelled)
	case n.status == graph.Queued:
		r.finish(i, outcome{reason: ReasonCancelled})
	}
}

// over says that nothing is left to wait for, for the first time.
func (r *Run) over() bool {
	return !r.ended && r.counts[graph.Queued]+r.counts[graph.Running] == 0 && r.frames[0].joins == 0
}

func (r *Run) result() Result {
	switch {
	case r.stopped:
		return Cancelled
	case r.frames[0].unhandled > 0:
		return Failed
	}
	return Succeeded
}
