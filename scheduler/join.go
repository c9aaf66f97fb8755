package scheduler

// limitJoin begins the time that a join may wait, with the first mark of its round.
func (r *Run) limitJoin(i int32) {
	rules := r.rulesOf(i)
	if rules == nil || rules.JoinTimeout == 0 {
		return
	}
	x := r.rareOf(i)
	f := r.frameOf(i)
	if n := &r.nodes[i]; x.limited || n.missing == int32(len(f.lay.in.of(i-f.node))) {
		return
	}
	x.limited = true
	f.joins++
	r.addTimer(i, timeJoin, r.now+int64(rules.JoinTimeout))
}

// joinOver ends that time: the round is decided.
func (r *Run) joinOver(i int32) {
	x := r.nodes[i].rare
	if x == nil || !x.limited {
		return
	}
	x.limited = false
	r.dropTimer(i, timeJoin)
	f := r.frameOf(i)
	f.joins--
	if k := r.nodes[i].frame; k > 0 && f.active == 0 && f.joins == 0 {
		r.works.quiet = append(r.works.quiet, k)
	}
	r.settleLater(i)
}

// joinTimeUp decides with what has arrived.
func (r *Run) joinTimeUp(i int32) {
	n := &r.nodes[i]
	n.joined = true
	r.joinOver(i)
	r.decideJoin(i, n.live > 0, causeJoin)
	if n.live > 0 && r.rulesOf(i).CancelLosers {
		r.works.losers = append(r.works.losers, i)
	}
}

// cancelLosers cancels what is active only for a join that has decided: nodes from which every path
// leads to it.
func (r *Run) cancelLosers(join int32) {
	k, f := r.nodes[join].frame, r.frameOf(join)
	only := f.lay.leadingOnlyTo(join - f.node)
	for _, v := range only {
		i := r.frames[k].node + v
		if busy(r.nodes[i].status) {
			r.rareOf(i).loser = true
			r.cancelNode(i)
		}
	}
}

// leadingOnlyTo returns the nodes from which every path leads to one node. Nodes in loops are none of
// them.
func (l *layout) leadingOnlyTo(node int32) []int32 {
	order, alone := l.topological()
	only := make([]bool, len(l.ids))
	var list []int32
	for at := len(order) - 1; at >= 0; at-- {
		v := order[at]
		out := l.out.of(v)
		only[v] = alone[v] && len(out) > 0 && v != node
		for _, j := range out {
			t := l.edges[j].target
			only[v] = only[v] && (t == node || only[t])
		}
		if only[v] {
			list = append(list, v)
		}
	}
	return list
}
