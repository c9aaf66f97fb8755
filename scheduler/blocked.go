package scheduler

import "wf/graph"

// Blocked says for each node whether it is idle because something upstream of it failed, and nothing that is
// still going can activate it any more. What lies behind a cancelled node is not blocked: it was not started,
// and a resume goes on with both.
func (why explanations) Blocked() []bool {
	blocked := make([]bool, len(why.nodes))
	passed := make(map[int32]bool) // nodes that have executed, and do not again
	var queue []int32
	for i := range why.nodes {
		if n := &why.nodes[i]; n.status == graph.Failed && !n.handled && why.reasons[i] != ReasonCancelled {
			queue = append(queue, int32(i))
		}
	}
	if len(queue) == 0 {
		return blocked
	}
	hopeful := why.reachable()
	for ; len(queue) > 0; queue = queue[1:] {
		inst := why.instanceOf(queue[0])
		for _, l := range inst.lay.out.of(queue[0] - inst.node) {
			target := inst.node + inst.lay.edges[l].target
			switch n := &why.nodes[target]; {
			case n.status == graph.Idle:
				if why.marks[inst.edge+l].bears() == graph.Unmarked && !blocked[target] && !hopeful[target] {
					blocked[target] = true
					queue = append(queue, target)
				}
			case why.opt.Flow != nil && !inst.lay.single[target-inst.node] && !busy(n.status) && !passed[target]:
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
func (why explanations) reachable() []bool {
	hopeful := make([]bool, len(why.nodes))
	if why.halted {
		return hopeful
	}
	open := make([]int32, len(why.nodes)) // how many of the node's blocking in-edges may still get a mark
	var queue []int32
	for i := range why.nodes {
		x := why.extrasOf(int32(i))
		hopeful[i] = x != nil && x.limited
		if hopeful[i] || busy(why.nodes[i].status) {
			queue = append(queue, int32(i))
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		inst := why.instanceOf(queue[0])
		for _, l := range inst.lay.out.of(queue[0] - inst.node) {
			e := inst.lay.edges[l]
			target := inst.node + e.target
			if why.leftAlone(target) {
				continue
			}
			if e.blocking && why.marks[inst.edge+l].bears() == graph.Unmarked {
				open[target]++
			}
			if !hopeful[target] && (!e.blocking || why.mayJoin(target, open[target])) {
				hopeful[target] = true
				queue = append(queue, target)
			}
		}
	}
	return hopeful
}

// mayJoin says whether a node can still be activated by a join, if so many of its edges may get a mark.
func (why explanations) mayJoin(i, open int32) bool {
	if x := why.extrasOf(i); x != nil && x.joined {
		return false // it has decided for this round
	}
	if rules := why.rulesOf(i); rules != nil && rules.JoinTimeout > 0 {
		return true // it goes on with what has arrived
	}
	if need := why.needs(i); need > 0 {
		return why.lives[i]+open >= need
	}
	return open == why.nodes[i].missing
}
