package scheduler

import "wf/graph"

// Blocked reports for each node whether it is idle because a node upstream of it failed, and no active node
// can activate it any more. Nodes behind a cancelled node are not blocked: the cancelled node was not
// started, and a resume goes on with both.
func (why explanations) Blocked() []bool {
	blocked := make([]bool, len(why.nodes))
	passed := make(map[nodeID]bool) // nodes that have executed and will not execute again
	var queue []nodeID
	for i := range why.nodes {
		if n := &why.nodes[i]; n.status == graph.Failed && !n.handled && why.reasons[i] != ReasonCancelled {
			queue = append(queue, nodeID(i))
		}
	}
	if len(queue) == 0 {
		return blocked
	}
	hopeful := why.reachable()
	for ; len(queue) > 0; queue = queue[1:] {
		inst := why.instanceOf(queue[0])
		for _, l := range inst.out(queue[0]) {
			target := inst.target(l)
			switch n := &why.nodes[target]; {
			case n.status == graph.Idle:
				if why.marks[inst.edgeID(l)].bears() == graph.Unmarked && !blocked[target] && !hopeful[target] {
					blocked[target] = true
					queue = append(queue, target)
				}
			case why.opt.Flow != nil && !inst.lay.single[target-inst.node] && !busy(n.status) && !passed[target]:
				// It could have decided once more, so its edges that have not fired are not dead.
				passed[target] = true
				queue = append(queue, target)
			}
		}
	}
	return blocked
}

// reachable returns the nodes that may still be activated in this run: a path leads to them from a node
// that is queued or running, or from a join whose join_timeout is running. A join with enough other edges
// does not need the one whose source has failed.
func (why explanations) reachable() []bool {
	hopeful := make([]bool, len(why.nodes))
	if why.halted {
		return hopeful
	}
	open := make([]int32, len(why.nodes)) // how many blocking in-edges of the node may still get a mark
	var queue []nodeID
	for i := range why.nodes {
		x := why.extrasOf(nodeID(i))
		hopeful[i] = x != nil && x.limited
		if hopeful[i] || busy(why.nodes[i].status) {
			queue = append(queue, nodeID(i))
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		inst := why.instanceOf(queue[0])
		for _, l := range inst.out(queue[0]) {
			e := inst.lay.edges[l]
			target := inst.nodeID(e.target)
			if why.leftAlone(target) {
				continue
			}
			if e.blocking && why.marks[inst.edgeID(l)].bears() == graph.Unmarked {
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

// mayJoin reports whether a join can still activate its node if open more of its edges may get a mark.
func (why explanations) mayJoin(i nodeID, open int32) bool {
	if x := why.extrasOf(i); x != nil && x.joined {
		return false // it has decided for this round
	}
	if rules := why.rulesOf(i); rules != nil && rules.JoinTimeout > 0 {
		return true // the join_timeout decides with the tokens that have arrived
	}
	if need := why.needs(i); need > 0 {
		return why.control[i].live+open >= need
	}
	return open == why.nodes[i].missing
}
