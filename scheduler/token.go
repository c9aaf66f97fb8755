package scheduler

import "wf/graph"

// fire is what an edge does for which its source's end counts. While the run ends, tokens are left
// on blocking edges for a resume, and nothing is activated; what would have been triggered is due then.
func (r *Run) fire(f int32, l int32) {
	fr := &r.frames[f]
	e, j := fr.lay.edges[l], fr.edge+l
	target := fr.node + e.target
	r.marks[j] = r.marks[j]&^killed | everFired | latest
	switch {
	case r.staysAsItIs(target):
	case e.blocking:
		r.setMark(fr, l, graph.ToRun)
		if !r.halted {
			r.join(target, causeJoin)
		}
	default:
		// The token is handed over at once. One that an older run left is used up as well.
		r.setMark(fr, l, graph.Unmarked)
		r.activate(target, j)
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
			r.join(e.target, causeJoin)
		}
	case !r.halted:
		// The token is handed over at once. One that an older run left is used up as well.
		r.setMark(&r.frames[0], l, graph.Unmarked)
		r.activate(e.target, l)
	}
}

// kill marks an edge that will not fire any more. It is put off until the event at hand is through:
// a long dead path must not become a deep recursion.
func (r *Run) kill(f *frame, l int32) {
	if j := f.edge + l; f.lay.edges[l].blocking && r.marks[j]&(everFired|killed) == 0 {
		r.marks[j] |= killed
		r.works.dead = append(r.works.dead, j)
	}
}

// pass is what an edge does for which a decision of its source does not count. It is dead if that source
// decides once. Within a loop it is dead for this round: each decision of the source gives each such edge
// a mark. Any other one is dead when nothing can lead to the source any more, see settle.
func (r *Run) pass(f *frame, source, l int32) {
	j := f.edge + l
	r.marks[j] &^= latest
	switch {
	case f.lay.single[source]:
		r.kill(f, l)
	case f.lay.inLoop(l) && f.lay.edges[l].blocking:
		r.marks[j] |= killed
		r.works.dead = append(r.works.dead, j)
	}
}

// die is the second half of kill.
func (r *Run) die(j int32) {
	f := r.frameOfEdge(j)
	l := j - f.edge
	if r.marks[j].bears() != graph.Unmarked || r.staysAsItIs(f.node+f.lay.edges[l].target) {
		return
	}
	r.setMark(f, l, graph.Dead)
	if !r.halted {
		r.join(f.node+f.lay.edges[l].target, causeJoin)
	}
}

// join looks whether the marks that a node has are enough to decide (docs/control-flow.md, Joins). All marks of a
// round are taken together. A node that waits for fewer tokens than it has edges decides as soon as it
// has these, and its round goes on until the last mark has come.
func (r *Run) join(i, cause int32) {
	n := &r.nodes[i]
	if r.plain {
		if n.missing == 0 {
			r.decideJoin(i, r.consumePlain(i), cause)
		}
		return
	}
	need := r.needs(i)
	switch x := r.rareAt(i); {
	case x != nil && x.joined:
		if n.missing == 0 {
			x.joined = false
			r.consume(i)
		}
	case n.missing == 0:
		live := r.lives[i]
		r.consume(i)
		r.joinOver(i)
		r.decideJoin(i, live > 0 && live >= need, cause)
	case need > 0 && r.lives[i] >= need:
		r.rareOf(i).joined = true
		r.joinOver(i)
		r.decideJoin(i, true, cause)
		if r.rulesOf(i).CancelLosers {
			r.works.losers = append(r.works.losers, i)
		}
	case need > 0 && r.lives[i]+n.missing < need:
		r.rareOf(i).joined = true
		r.joinOver(i)
		r.decideJoin(i, false, cause)
	default:
		r.limitJoin(i)
	}
}

// needs is how many tokens a node waits for; 0 = all that are not dead.
func (r *Run) needs(i int32) int32 {
	if rules := r.rulesOf(i); rules != nil {
		return int32(rules.Join)
	}
	return 0
}

func (r *Run) decideJoin(i int32, alive bool, cause int32) {
	if alive {
		r.activate(i, cause)
		return
	}
	r.skip(i)
}

// skip is what becomes of a node that no path leads to: it and, if nothing else can lead to it, what
// is behind it are dead. One that has executed in this run stays what it is.
func (r *Run) skip(i int32) {
	if r.staysAsItIs(i) {
		return
	}
	n := &r.nodes[i]
	f := r.frameOf(i)
	n.decided = true
	if n.executions == 0 && n.status == graph.Idle {
		r.setStatus(i, graph.Skipped, "")
	}
	for _, l := range f.lay.out.of(i - f.node) {
		r.pass(f, i-f.node, l)
	}
	r.settleLater(i)
}

// consume takes the marks of all blocking in-edges, and says whether any of them is a token.
func (r *Run) consume(i int32) (live bool) {
	f := r.frameOf(i)
	for _, l := range f.lay.in.of(i - f.node) {
		live = live || r.marks[f.edge+l].bears() == graph.ToRun
		r.setMark(f, l, graph.Unmarked)
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
func (r *Run) setMark(f *frame, l int32, m graph.Mark) {
	j := f.edge + l
	was := r.marks[j].bears()
	if was == m || was != graph.Unmarked && m != graph.Unmarked {
		return
	}
	r.marks[j] = r.marks[j]&history | mark(m)
	if e := f.lay.edges[l]; e.blocking {
		r.countMark(f.node+e.target, was, m)
	}
	if f.owner == noNode {
		r.emit(Effect{Kind: EdgeChanged, Edge: int(j), Mark: m})
	}
}

// countMark counts what the in-edges of a node bear.
func (r *Run) countMark(i int32, was, is graph.Mark) {
	if is == graph.Unmarked {
		r.nodes[i].missing++
	} else {
		r.nodes[i].missing--
	}
	if r.plain {
		return
	}
	if was == graph.ToRun {
		r.lives[i]--
	}
	if is == graph.ToRun {
		r.lives[i]++
	}
}
