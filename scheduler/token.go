package scheduler

import "wf/graph"

// fire serves an edge that fires because its source has ended. While the run ends, tokens stay on blocking
// edges for a resume, and nothing is activated; nodes that would have been triggered become due.
func (r *Run) fire(k instanceID, l localEdge) {
	inst := &r.instances[k]
	e, j := inst.lay.edges[l], inst.edgeID(l)
	target := inst.nodeID(e.target)
	r.marks[j] = r.marks[j]&^killed | everFired | latest
	switch {
	case r.leftAlone(target):
	case e.blocking:
		r.setMark(inst, l, graph.ToRun)
		if !r.halted {
			r.join(target).check(causeJoin)
		}
	default:
		// The target takes the token at once, and with it one that an earlier run left.
		r.setMark(inst, l, graph.Unmarked)
		r.activity(target).activate(j)
	}
}

// firePlain is fire in a run without a flow.
func (r *Run) firePlain(l localEdge) {
	e, target := r.outer.edges[l], r.instances[0].target(l)
	m := r.marks[l] | everFired
	r.marks[l] = m
	switch {
	case e.blocking:
		if m.bears() == graph.Unmarked {
			r.marks[l] = m | mark(graph.ToRun)
			r.nodes[target].missing--
			r.emit(Effect{Kind: EdgeChanged, Edge: int(l), Mark: graph.ToRun})
		}
		if !r.halted {
			r.join(target).check(causeJoin)
		}
	case !r.halted:
		// The target takes the token at once, and with it one that an earlier run left.
		r.setMark(&r.instances[0], l, graph.Unmarked)
		r.activity(target).activate(edgeID(l))
	}
}

// kill marks an edge that will not fire any more. The consequences wait until the event at hand is done: a
// long dead path must not become a deep recursion.
func (r *Run) kill(inst *instance, l localEdge) {
	if j := inst.edgeID(l); inst.lay.edges[l].blocking && r.marks[j]&(everFired|killed) == 0 {
		r.marks[j] |= killed
		r.todo.dead = append(r.todo.dead, j)
	}
}

// notFired serves an edge that does not fire although its source has decided. It is dead if the source
// decides only once. Within a loop it is dead for this round: each decision of the source gives each such
// edge a mark. Any other edge is dead when nothing can lead to the source any more, see settle.
func (r *Run) notFired(inst *instance, source localNode, l localEdge) {
	j := inst.edgeID(l)
	r.marks[j] &^= latest
	switch {
	case inst.lay.single[source]:
		r.kill(inst, l)
	case inst.lay.inLoop(l) && inst.lay.edges[l].blocking:
		r.marks[j] |= killed
		r.todo.dead = append(r.todo.dead, j)
	}
}

// die puts the dead mark on a killed edge.
func (r *Run) die(j edgeID) {
	inst := r.instanceOfEdge(j)
	l := localEdge(j - inst.edge)
	if r.marks[j].bears() != graph.Unmarked || r.leftAlone(inst.target(l)) {
		return
	}
	r.setMark(inst, l, graph.Dead)
	if !r.halted {
		r.join(inst.target(l)).check(causeJoin)
	}
}

// check decides whether the marks of a node are enough (docs/control-flow.md). All marks of a round are
// taken together. A node that waits for fewer tokens than it has edges decides as soon as it has these, and
// its round goes on until the last mark has come.
func (jn join) check(cause edgeID) {
	n := jn.entry()
	if jn.plain {
		if n.missing == 0 {
			jn.decide(jn.consumePlain(jn.node), cause)
		}
		return
	}
	need := jn.needs(jn.node)
	switch x := jn.extras(); {
	case x != nil && x.joined:
		if n.missing == 0 {
			x.joined = false
			jn.consume(jn.node)
		}
	case n.missing == 0:
		live := jn.control[jn.node].live
		jn.consume(jn.node)
		jn.stopTimer()
		jn.decide(live > 0 && live >= need, cause)
	case need > 0 && jn.control[jn.node].live >= need:
		jn.ensureExtras().joined = true
		jn.stopTimer()
		jn.decide(true, cause)
		if jn.rules().CancelLosers {
			jn.todo.losers = append(jn.todo.losers, jn.node)
		}
	case need > 0 && jn.control[jn.node].live+n.missing < need:
		jn.ensureExtras().joined = true
		jn.stopTimer()
		jn.decide(false, cause)
	default:
		jn.startTimer()
	}
}

// needs returns how many tokens a node waits for; 0 = all that are not dead.
func (st *state) needs(i nodeID) int32 {
	if rules := st.rulesOf(i); rules != nil {
		return int32(rules.Join)
	}
	return 0
}

// decide activates the node of a join, or skips it if no token reached it.
func (jn join) decide(alive bool, cause edgeID) {
	if alive {
		jn.activity(jn.node).activate(cause)
		return
	}
	jn.skip()
}

// skip serves a node that no path leads to. What follows it is dead, too, if nothing else can lead there. A
// node that has executed in this run keeps its status.
func (jn join) skip() {
	if jn.leftAlone(jn.node) {
		return
	}
	n := jn.entry()
	inst := jn.instance()
	n.decided = true
	if n.executions == 0 && n.status == graph.Idle {
		jn.activity(jn.node).setStatus(graph.Skipped)
	}
	for _, l := range inst.out(jn.node) {
		jn.notFired(inst, inst.local(jn.node), l)
	}
	jn.settleLater(jn.node)
}

// consume takes the marks of all blocking in-edges.
func (st *state) consume(i nodeID) {
	inst := st.instanceOf(i)
	for _, l := range inst.in(i) {
		st.setMark(inst, l, graph.Unmarked)
	}
}

// consumePlain is consume for a node with all its marks, in a run without a flow.
func (r *Run) consumePlain(i nodeID) (live bool) {
	in := r.instances[0].in(i)
	for _, l := range in {
		m := r.marks[l]
		live = live || m.bears() == graph.ToRun
		r.marks[l] = m & history
		r.emit(Effect{Kind: EdgeChanged, Edge: int(l)})
	}
	r.nodes[i].missing = int32(len(in))
	return live
}

// setMark puts a mark on an edge or takes it away. Edges do not count marks: a second one changes nothing.
func (st *state) setMark(inst *instance, l localEdge, m graph.Mark) {
	j := inst.edgeID(l)
	was := st.marks[j].bears()
	if was == m || was != graph.Unmarked && m != graph.Unmarked {
		return
	}
	st.marks[j] = st.marks[j]&history | mark(m)
	if e := inst.lay.edges[l]; e.blocking {
		st.countMark(inst.nodeID(e.target), was, m)
	}
	if inst.owner == noNode {
		st.emit(Effect{Kind: EdgeChanged, Edge: int(j), Mark: m})
	}
}

// countMark counts the marks of the in-edges of a node.
func (st *state) countMark(i nodeID, was, is graph.Mark) {
	if is == graph.Unmarked {
		st.nodes[i].missing++
	} else {
		st.nodes[i].missing--
	}
	if st.plain {
		return
	}
	if was == graph.ToRun {
		st.control[i].live--
	}
	if is == graph.ToRun {
		st.control[i].live++
	}
}
