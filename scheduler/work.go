package scheduler

import "wf/graph"

// works is what an event has led to and is not done yet. It is empty between two steps. What could
// lead to itself over and over goes through here, so that no chain is too long.
type worklist struct {
	dead        []int32        // edges
	ended       []endedNode    // activations that ended without an execution
	failing     []int32        // frames whose failure ends all instances of their sub-flow
	losers      []int32        // joins that cancel what they do not need any more
	ready       []int32        // sub-flows that begin their instances
	unsettled   []componentRef // where nothing is active any more, or nothing open
	rateWaiters []int32        // sub-flows that wait for their rate, and are to end
	idle        []int32        // frames in which nothing is active any more
}

type endedNode struct {
	node int32
	out  outcome
}

type componentRef struct{ frame, component int32 }

// work does what an event has led to: first what is certain, then what only holds if nothing else
// happens.
func (r *Run) drain() {
	w := &r.todo
	for {
		switch {
		case len(w.dead) > 0:
			r.die(pop(&w.dead))
		case len(w.ended) > 0:
			e := pop(&w.ended)
			r.activity(e.node).finish(e.out)
		case len(w.failing) > 0:
			r.failOthers(pop(&w.failing))
		case len(w.losers) > 0:
			r.join(pop(&w.losers)).cancelLosers()
		case len(w.ready) > 0:
			r.subflow(pop(&w.ready)).begin()
		case len(w.unsettled) > 0:
			r.settle(pop(&w.unsettled))
		case len(w.rateWaiters) > 0:
			r.subflow(pop(&w.rateWaiters)).endRateWait()
		case len(w.idle) > 0:
			r.instanceOver(pop(&w.idle))
		default:
			return
		}
	}
}

// pop takes the first element, and gives the array back when it was the last one.
func pop[T any](list *[]T) T {
	first := (*list)[0]
	if *list = (*list)[1:]; len(*list) == 0 {
		*list = nil
	}
	return first
}

// endLater ends the present activation of a node when the event at hand is through.
func (a activity) endLater(out outcome) {
	a.todo.ended = append(a.todo.ended, endedNode{a.node, out})
}

// settlement says which parts of a frame can still lead to anything. An edge whose source decides once
// is dead as soon as that has decided otherwise, and one within a loop is so for the round. A source in a
// loop, or behind an edge that triggers, may decide again: its other edges are dead when nothing can lead
// to it any more.
type settlement struct {
	active  []int32 // nodes by component that are Queued or Running
	open    []int32 // edges by component that lead there from one that is not settled
	settled []bool
}

func newSettlement(l *layout) *settlement {
	s := &settlement{active: make([]int32, l.components), open: make([]int32, l.components), settled: make([]bool, l.components)}
	for _, e := range l.edges {
		if from, to := l.component[e.source], l.component[e.target]; from != to {
			s.open[to]++
		}
	}
	return s
}

// settleLater looks at the component of a node, which has decided, when the event at hand is through.
func (r *Run) settleLater(i int32) {
	inst := r.instanceOf(i)
	if inst.settlement != nil {
		r.todo.unsettled = append(r.todo.unsettled, componentRef{r.instanceNo(i), inst.lay.component[i-inst.node]})
	}
}

// settleFrom looks at all components of a frame that begins.
func (r *Run) settleFrom(k int32) {
	inst := &r.instances[k]
	if inst.settlement == nil {
		return
	}
	for c := inst.lay.components - 1; c >= 0; c-- {
		r.todo.unsettled = append(r.todo.unsettled, componentRef{k, c})
	}
}

// settle decides what is open in and behind a component to which nothing can lead any more. What is
// decided in it may activate nodes of it; then it is not settled yet.
func (r *Run) settle(at componentRef) {
	inst := &r.instances[at.frame]
	s, c := inst.settlement, at.component
	nodes := inst.lay.inside.of(c)
	decidedOnce := inst.lay.single[nodes[0]] && r.nodes[inst.node+nodes[0]].decided // whatever still comes
	if r.halted || inst.cut || s.settled[c] || s.active[c] > 0 || s.open[c] > 0 && !decidedOnce {
		return
	}
	for _, v := range nodes {
		n := &r.nodes[inst.node+v]
		if x := r.extrasOf(inst.node + v); n.status == graph.Failed && !n.handled || x != nil && x.limited {
			return
		}
	}
	if r.skipUntriggered(inst, nodes) {
		r.todo.unsettled = append(r.todo.unsettled, at)
		return
	}
	s.settled[c] = true
	for _, v := range nodes {
		for _, l := range inst.lay.out.of(v) {
			to := inst.lay.component[inst.lay.edges[l].target]
			if to == c {
				continue
			}
			if r.nodes[inst.node+v].decided {
				r.kill(inst, l)
			}
			if s.open[to]--; s.open[to] == 0 {
				r.todo.unsettled = append(r.todo.unsettled, componentRef{at.frame, to})
			}
		}
	}
}

// skipUntriggered skips nodes that only edges lead to that trigger, and none of them has: no join behind
// them is to wait for what was not the way. It returns false if there are none.
func (r *Run) skipUntriggered(inst *instance, nodes []int32) (any bool) {
	for _, v := range nodes {
		if i := inst.node + v; !r.nodes[i].decided && len(inst.lay.in.of(v)) == 0 {
			r.join(i).skip()
			any = true
		}
	}
	return any
}
