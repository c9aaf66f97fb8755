package scheduler

import "wf/graph"

// settlement says which components of an instance can still activate others. An edge whose source decides
// once is dead as soon as that has decided otherwise, and an edge within a loop is dead for the round. A
// source in a loop, or behind a triggering edge, may decide again: its other edges are dead when nothing
// can lead to it any more.
type settlement struct {
	active  []int32 // nodes by component that are Queued or Running
	open    []int32 // edges by component that lead there from a component that is not settled
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

// settleLater checks the component of a node that has decided when the event at hand is done.
func (r *Run) settleLater(i nodeID) {
	inst := r.instanceOf(i)
	if inst.settlement != nil {
		r.todo.unsettled = append(r.todo.unsettled, componentRef{r.instanceNo(i), inst.lay.component[inst.local(i)]})
	}
}

// settleFrom checks all components of an instance that starts.
func (r *Run) settleFrom(k instanceID) {
	inst := &r.instances[k]
	if inst.settlement == nil {
		return
	}
	for c := inst.lay.components - 1; c >= 0; c-- {
		r.todo.unsettled = append(r.todo.unsettled, componentRef{k, c})
	}
}

// settle decides the undecided nodes in and behind a component that no token can reach any more. That may
// activate nodes of the component; in that case it is settled later.
func (r *Run) settle(at componentRef) {
	inst := &r.instances[at.instance]
	s, c := inst.settlement, at.component
	nodes := inst.lay.inside.of(c)
	decidedOnce := inst.lay.single[nodes[0]] && r.nodes[inst.nodeID(nodes[0])].decided // whatever still comes
	if r.halted || inst.cut || s.settled[c] || s.active[c] > 0 || s.open[c] > 0 && !decidedOnce {
		return
	}
	for _, v := range nodes {
		n := &r.nodes[inst.nodeID(v)]
		if x := r.extrasOf(inst.nodeID(v)); n.status == graph.Failed && !n.handled || x != nil && x.limited {
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
			if r.nodes[inst.nodeID(v)].decided {
				r.kill(inst, l)
			}
			if s.open[to]--; s.open[to] == 0 {
				r.todo.unsettled = append(r.todo.unsettled, componentRef{at.instance, to})
			}
		}
	}
}

// skipUntriggered skips nodes that only triggering edges lead to if none of these has fired: a join behind
// them must not wait for them. It returns false if there are none.
func (r *Run) skipUntriggered(inst *instance, nodes []localNode) (any bool) {
	for _, v := range nodes {
		if i := inst.nodeID(v); !r.nodes[i].decided && len(inst.lay.in.of(v)) == 0 {
			r.join(i).skip()
			any = true
		}
	}
	return any
}
