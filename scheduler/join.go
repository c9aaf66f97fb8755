package scheduler

// limitJoin starts the timer of join_timeout when the first edge of a round has fired. Dead edges do not start it:
// if only dead edges had arrived when the time is up, the node would be skipped although others still lead to it.
func (r *Run) limitJoin(i int32) {
	rules := r.rulesOf(i)
	if rules == nil || rules.JoinTimeout == 0 || r.halted || r.frameOf(i).cut {
		return
	}
	x := r.rareOf(i)
	f := r.frameOf(i)
	if x.limited || r.lives[i] == 0 {
		return
	}
	x.limited = true
	f.joins++
	r.addTimer(i, timeJoin, r.now+int64(rules.JoinTimeout))
}

// joinOver ends that time: the round is decided.
func (r *Run) joinOver(i int32) {
	x := r.rareAt(i)
	if x == nil || !x.limited {
		return
	}
	x.limited = false
	r.dropTimer(i, timeJoin)
	f := r.frameOf(i)
	f.joins = max(0, f.joins-1) // a frame that is cut waits for none
	if k := r.frameNo(i); k > 0 && f.active == 0 && f.joins == 0 {
		r.works.quiet = append(r.works.quiet, k)
	}
	r.settleLater(i)
}

// joinTimeUp decides with what has arrived.
func (r *Run) joinTimeUp(i int32) {
	if r.halted || r.frameOf(i).cut {
		return
	}
	r.rareOf(i).joined = true
	r.joinOver(i)
	live := r.lives[i] > 0
	r.decideJoin(i, live, causeJoin)
	if live && r.rulesOf(i).CancelLosers {
		r.works.losers = append(r.works.losers, i)
	}
}

// cancelLosers cancels what is active only for a join that has decided: nodes from which every path
// leads to it.
func (r *Run) cancelLosers(join int32) {
	k, f := r.frameNo(join), r.frameOf(join)
	only := f.lay.leadingOnlyTo(join - f.node)
	if r.dry != nil {
		return // findLosers
	}
	for _, v := range only {
		i := r.frames[k].node + v
		if busy(r.nodes[i].status) {
			r.rareOf(i).loser = true
			r.cancelNode(i)
		}
	}
}

// leadingOnlyTo returns the nodes from which every path leads to one node, the nearest first. It looks at
// nothing but these and their sources. Nodes in loops, or that trigger, are none of them.
func (l *layout) leadingOnlyTo(node int32) []int32 {
	led := map[int32]int{} // by node: how many of its edges lead to the node or to one in the list
	list := []int32{node}
	for at := 0; at < len(list); at++ {
		for _, j := range l.in.of(list[at]) {
			v := l.edges[j].source
			if led[v]++; led[v] == len(l.out.of(v)) && l.component[v] != l.component[node] {
				list = append(list, v)
			}
		}
	}
	return list[1:]
}
