package scheduler

import "wf/graph"

// fire is what an edge does for which its source's end counts. While the run ends, tokens are left
// on blocking edges for a resume, and nothing is activated; what would have been triggered is due then.
func (r *Run) fire(f int32, l int32) {
	fr := &r.instances[f]
	e, j := fr.lay.edges[l], fr.edge+l
	target := fr.node + e.target
	r.marks[j] = r.marks[j]&^killed | everFired | latest
	switch {
	case r.leftAlone(target):
	case e.blocking:
		r.setMark(fr, l, graph.ToRun)
		if !r.halted {
			r.join(target).check(causeJoin)
		}
	default:
		// The token is handed over at once. One that an older run left is used up as well.
		r.setMark(fr, l, graph.Unmarked)
		r.activity(target).activate(j)
	}
}

// firePlain is fire in a run without a flow.
func (r *Run) firePlain(l int32) {
	e := r.outer.edges[l]
	m := r.marks[l] | everFired
	r.marks[l] = m
	switch {
	case e.blocking:
		if m.bears() == graph.Unmarked {
			r.marks[l] = m | mark(graph.ToRun)
			r.nodes[e.target].missing--
			r.emit(Effect{Kind: EdgeChanged, Edge: int(l), Mark: graph.ToRun})
		}
		if !r.halted {
			r.join(e.target).check(causeJoin)
		}
	case !r.halted:
		// The token is handed over at once. One that an older run left is used up as well.
		r.setMark(&r.instances[0], l, graph.Unmarked)
		r.activity(e.target).activate(l)
	}
}

// kill marks an edge that will not fire any more. It is put off until the event at hand is through:
// a long dead path must not become a deep recursion.
func (r *Run) kill(inst *instance, l int32) {
	if j := inst.edge + l; inst.lay.edges[l].blocking && r.marks[j]&(everFired|killed) == 0 {
		r.marks[j] |= killed
		r.todo.dead = append(r.todo.dead, j)
	}
}

// pass is what an edge does for which a decision of its source does not count. It is dead if that source
// decides once. Within a loop it is dead for this round: each decision of the source gives each such edge
// a mark. Any other one is dead when nothing can lead to the source any more, see settle.
func (r *Run) notFired(inst *instance, source, l int32) {
	j := inst.edge + l
	r.marks[j] &^= latest
	switch {
	case inst.lay.single[source]:
		r.kill(inst, l)
	case inst.lay.inLoop(l) && inst.lay.edges[l].blocking:
		r.marks[j] |= killed
		r.todo.dead = append(r.todo.dead, j)
	}
}

// die is the second half of kill.
func (r *Run) die(j int32) {
	inst := r.instanceOfEdge(j)
	l := j - inst.edge
	if r.marks[j].bears() != graph.Unmarked || r.leftAlone(inst.node+inst.lay.edges[l].target) {
		return
	}
	r.setMark(inst, l, graph.Dead)
	if !r.halted {
		r.join(inst.node + inst.lay.edges[l].target).check(causeJoin)
	}
}

// join looks whether the marks that a node has are enough to decide (docs/control-flow.md, Joins). All marks of a
// round are taken together. A node that waits for fewer tokens than it has edges decides as soon as it
// has these, and its round goes on until the last mark has come.
func (jn join) check(cause int32) {
	n := &jn.nodes[jn.node]
	if jn.plain {
		if n.missing == 0 {
			jn.decide(jn.consumePlain(jn.node), cause)
		}
		return
	}
	need := jn.needs(jn.node)
	switch x := jn.extrasOf(jn.node); {
	case x != nil && x.joined:
		if n.missing == 0 {
			x.joined = false
			jn.consume(jn.node)
		}
	case n.missing == 0:
		live := jn.lives[jn.node]
		jn.consume(jn.node)
		jn.stopTimer()
		jn.decide(live > 0 && live >= need, cause)
	case need > 0 && jn.lives[jn.node] >= need:
		jn.makeExtras(jn.node).joined = true
		jn.stopTimer()
		jn.decide(true, cause)
		if jn.rulesOf(jn.node).CancelLosers {
			jn.todo.losers = append(jn.todo.losers, jn.node)
		}
	case need > 0 && jn.lives[jn.node]+n.missing < need:
		jn.makeExtras(jn.node).joined = true
		jn.stopTimer()
		jn.decide(false, cause)
	default:
		jn.startTimer()
	}
}

// needs is how many tokens a node waits for; 0 = all that are not dead.
func (st *state) needs(i int32) int32 {
	if rules := st.rulesOf(i); rules != nil {
		return int32(rules.Join)
	}
	return 0
}

func (jn join) decide(alive bool, cause int32) {
	if alive {
		jn.activity(jn.node).activate(cause)
		return
	}
	jn.skip()
}

// skip is what becomes of a node that no path leads to: it and, if nothing else can lead to it, what
// is behind it are dead. One that has executed in this run stays what it is.
func (jn join) skip() {
	if jn.leftAlone(jn.node) {
		return
	}
	n := &jn.nodes[jn.node]
	inst := jn.instanceOf(jn.node)
	n.decided = true
	if n.executions == 0 && n.status == graph.Idle {
		jn.activity(jn.node).setStatus(graph.Skipped, "")
	}
	for _, l := range inst.lay.out.of(jn.node - inst.node) {
		jn.notFired(inst, jn.node-inst.node, l)
	}
	jn.settleLater(jn.node)
}

// consume takes the marks of all blocking in-edges, and says whether any of them is a token.
func (st *state) consume(i int32) (live bool) {
	inst := st.instanceOf(i)
	for _, l := range inst.lay.in.of(i - inst.node) {
		live = live || st.marks[inst.edge+l].bears() == graph.ToRun
		st.setMark(inst, l, graph.Unmarked)
	}
	return live
}

// consumePlain is consume of a node that misses no mark, in a run without a flow.
func (r *Run) consumePlain(i int32) (live bool) {
	in := r.outer.in.of(i)
	for _, l := range in {
		m := r.marks[l]
		live = live || m.bears() == graph.ToRun
		r.marks[l] = m & history
		r.emit(Effect{Kind: EdgeChanged, Edge: int(l)})
	}
	r.nodes[i].missing = int32(len(in))
	return live
}

// setMark puts or takes a mark. A mark is no count: a second one changes nothing.
func (st *state) setMark(inst *instance, l int32, m graph.Mark) {
	j := inst.edge + l
	was := st.marks[j].bears()
	if was == m || was != graph.Unmarked && m != graph.Unmarked {
		return
	}
	st.marks[j] = st.marks[j]&history | mark(m)
	if e := inst.lay.edges[l]; e.blocking {
		st.countMark(inst.node+e.target, was, m)
	}
	if inst.owner == noNode {
		st.emit(Effect{Kind: EdgeChanged, Edge: int(j), Mark: m})
	}
}

// countMark counts what the in-edges of a node bear.
func (st *state) countMark(i int32, was, is graph.Mark) {
	if is == graph.Unmarked {
		st.nodes[i].missing++
	} else {
		st.nodes[i].missing--
	}
	if st.plain {
		return
	}
	if was == graph.ToRun {
		st.lives[i]--
	}
	if is == graph.ToRun {
		st.lives[i]++
	}
}
