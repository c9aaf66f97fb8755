package scheduler

// startTimer starts the join_timeout when the first edge of a round has fired. Dead edges do not start it:
// otherwise the time could end when only dead edges have arrived, and the node would be skipped although a
// token can still come.
func (jn join) startTimer() {
	rules := jn.rules()
	if rules == nil || rules.JoinTimeout == 0 || jn.halted || jn.instance().cut {
		return
	}
	x := jn.ensureExtras()
	inst := jn.instance()
	if x.limited || jn.control[jn.node].live == 0 {
		return
	}
	x.limited = true
	inst.joins++
	jn.timers.add(jn.node, jn.ensureExtras(), timeJoin, jn.now+int64(rules.JoinTimeout))
}

// stopTimer ends the join_timeout: the round is decided.
func (jn join) stopTimer() {
	x := jn.extras()
	if x == nil || !x.limited {
		return
	}
	x.limited = false
	jn.extras().dropTimer(timeJoin)
	inst := jn.instance()
	inst.joins = max(0, inst.joins-1) // an instance that is cut waits for none
	if k := jn.instanceNo(jn.node); k > 0 && inst.active == 0 && inst.joins == 0 {
		jn.todo.idle = append(jn.todo.idle, k)
	}
	jn.settleLater(jn.node)
}

// timeUp decides with the marks that have arrived.
func (jn join) timeUp() {
	if jn.halted || jn.instance().cut {
		return
	}
	jn.ensureExtras().joined = true
	jn.stopTimer()
	live := jn.control[jn.node].live > 0
	jn.decide(live, causeJoin)
	if live && jn.rules().CancelLosers {
		jn.todo.losers = append(jn.todo.losers, jn.node)
	}
}

// cancelLosers cancels the active nodes that only this join needed, which has decided: those from which
// every path leads to it.
func (jn join) cancelLosers() {
	k, inst := jn.instanceNo(jn.node), jn.instance()
	only := inst.lay.leadingOnlyTo(inst.local(jn.node))
	if jn.dry != nil {
		return // findLosers does this for a forecast
	}
	for _, v := range only {
		i := jn.instances[k].nodeID(v)
		if busy(jn.nodes[i].status) {
			jn.ensureExtrasOf(i).loser = true
			jn.activity(i).cancel()
		}
	}
}

// join is the point where the blocking edges to a node meet.
type join struct{ cursor }

func (r *Run) join(i nodeID) join { return join{cursor{r, i}} }
