package scheduler

import "wf/graph"

// Blocked says for each node whether it is idle because something upstream of it failed, and nothing that is
// still going can activate it any more. What lies behind a cancelled node is not blocked: it was not started,
// and a resume goes on with both.
func (r *Run) Blocked() []bool {
	blocked := make([]bool, len(r.nodes))
	passed := make(map[int32]bool) // nodes that have executed, and do not again
	var queue []int32
	for i := range r.nodes {
		if n := &r.nodes[i]; n.status == graph.Failed && !n.handled && r.reasons[i] != ReasonCancelled {
			queue = append(queue, int32(i))
		}
	}
	if len(queue) == 0 {
		return blocked
	}
	hopeful := r.hopeful()
	for ; len(queue) > 0; queue = queue[1:] {
		f := r.frameOf(queue[0])
		for _, l := range f.lay.out.of(queue[0] - f.node) {
			target := f.node + f.lay.edges[l].target
			switch n := &r.nodes[target]; {
			case n.status == graph.Idle:
				if r.marks[f.edge+l].bears() == graph.Unmarked && !blocked[target] && !hopeful[target] {
					blocked[target] = true
					queue = append(queue, target)
				}
			case r.opt.Flow != nil && !f.lay.single[target-f.node] && !busy(n.status) && !passed[target]:
				// It could have decided once more, so that its edges which have not fired are not dead.
				passed[target] = true
				queue = append(queue, target)
			}
		}
	}
	return blocked
}

// hopeful finds the nodes that may still be activated in this run: those to which a way leads from a node that
// is queued or running, or from a join whose time is running. A join with enough other edges does not need
// the one whose source has failed.
func (r *Run) hopeful() []bool {
	hopeful := make([]bool, len(r.nodes))
	if r.halted {
		return hopeful
	}
	open := make([]int32, len(r.nodes)) // how many of the node's blocking in-edges may still get a mark
	var queue []int32
	for i := range r.nodes {
		x := r.rareAt(int32(i))
		hopeful[i] = x != nil && x.limited
		if hopeful[i] || busy(r.nodes[i].status) {
			queue = append(queue, int32(i))
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		f := r.frameOf(queue[0])
		for _, l := range f.lay.out.of(queue[0] - f.node) {
			e := f.lay.edges[l]
			target := f.node + e.target
			if r.staysAsItIs(target) {
				continue
			}
			if e.blocking && r.marks[f.edge+l].bears() == graph.Unmarked {
				open[target]++
			}
			if !hopeful[target] && (!e.blocking || r.mayJoin(target, open[target])) {
				hopeful[target] = true
				queue = append(queue, target)
			}
		}
	}
	return hopeful
}

// mayJoin says whether a node can still be activated by a join, if so many of its edges may get a mark.
func (r *Run) mayJoin(i, open int32) bool {
	if x := r.rareAt(i); x != nil && x.joined {
		return false // it has decided for this round
	}
	if rules := r.rulesOf(i); rules != nil && rules.JoinTimeout > 0 {
		return true // it goes on with what has arrived
	}
	if need := r.needs(i); need > 0 {
		return r.lives[i]+open >= need
	}
	return open == r.nodes[i].missing
}
