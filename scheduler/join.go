package scheduler

// limitJoin starts the timer of join_timeout when the first edge of a round has fired. Dead edges do not start it:
// if only dead edges had arrived when the time is up, the node would be skipped although others still lead to it.
func (jn join) startTimer() {
	rules := jn.rulesOf(jn.node)
	if rules == nil || rules.JoinTimeout == 0 || jn.halted || jn.instanceOf(jn.node).cut {
		return
	}
	x := jn.makeExtras(jn.node)
	inst := jn.instanceOf(jn.node)
	if x.limited || jn.lives[jn.node] == 0 {
		return
	}
	x.limited = true
	inst.joins++
	jn.addTimer(jn.node, timeJoin, jn.now+int64(rules.JoinTimeout))
}

// joinOver ends that time: the round is decided.
func (jn join) stopTimer() {
	x := jn.extrasOf(jn.node)
	if x == nil || !x.limited {
		return
	}
	x.limited = false
	jn.dropTimer(jn.node, timeJoin)
	inst := jn.instanceOf(jn.node)
	inst.joins = max(0, inst.joins-1) // a frame that is cut waits for none
	if k := jn.instanceNo(jn.node); k > 0 && inst.active == 0 && inst.joins == 0 {
		jn.todo.idle = append(jn.todo.idle, k)
	}
	jn.settleLater(jn.node)
}

// joinTimeUp decides with what has arrived.
func (jn join) joinTimeUp() {
	if jn.halted || jn.instanceOf(jn.node).cut {
		return
	}
	jn.makeExtras(jn.node).joined = true
	jn.stopTimer()
	live := jn.lives[jn.node] > 0
	jn.decide(live, causeJoin)
	if live && jn.rulesOf(jn.node).CancelLosers {
		jn.todo.losers = append(jn.todo.losers, jn.node)
	}
}

// cancelLosers cancels what is active only for a join that has decided: nodes from which every path
// leads to it.
func (jn join) cancelLosers() {
	k, inst := jn.instanceNo(jn.node), jn.instanceOf(jn.node)
	only := inst.lay.leadingOnlyTo(jn.node - inst.node)
	if jn.dry != nil {
		return // findLosers
	}
	for _, v := range only {
		i := jn.instances[k].node + v
		if busy(jn.nodes[i].status) {
			jn.makeExtras(i).loser = true
			jn.activity(i).cancel()
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

// join is where the blocking edges to a node come together.
type join struct {
	*Run
	node int32
}

func (r *Run) join(i int32) join { return join{r, i} }
