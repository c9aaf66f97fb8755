package scheduler

import (
	"slices"

	"wf/graph"
	"wf/scheduler/flow"
)

// start sets the initial statuses and marks, and activates the first nodes.
func (r *Run) start() {
	if r.hasStarted {
		panic("internal error: scheduler: a second Begin")
	}
	r.hasStarted = true
	switch {
	case r.opt.Repeat != nil:
		r.repeatInstance(0)
	case r.mode == Resume:
		r.resume(0)
	default:
		r.startFresh()
	}
	r.findAtMostOnce()
	r.settleFrom(0)
}

// startFresh clears all statuses and marks and activates the start nodes.
func (r *Run) startFresh() {
	for i := range r.nodes {
		r.activity(nodeID(i)).setStatus(graph.Idle)
	}
	for l := range r.outer.edgeCount() {
		r.setMark(&r.instances[0], l, graph.Unmarked)
	}
	starts, number := r.outer.startNodes(), 0
	for _, start := range starts {
		if start {
			number++
		}
	}
	r.effects = slices.Grow(r.effects, 2*number)
	for i, start := range starts {
		if start {
			r.activity(nodeID(i)).activate(causeStart)
		}
	}
}

// resume goes on in an instance in which an earlier run failed. It does not repeat nodes that ran or were
// decided otherwise; it activates the others if everything that they wait for is decided.
func (r *Run) resume(k instanceID) {
	left := r.failLeftovers(k)
	r.recallDecisions(k)
	r.deriveMarks(k)
	inst := r.instances[k]
	starts := inst.lay.startNodes()
	for v := range inst.lay.nodeCount() {
		i := inst.nodeID(v)
		switch n, x := &r.nodes[i], r.extrasOf(i); {
		case x != nil && x.due:
			if x.joined = x.joined && n.missing > 0; !x.joined {
				r.consume(i)
			}
			r.activity(i).activate(causeResume)
		case n.decided:
			r.join(i).rejoin()
		case n.status == graph.Failed && n.missing == 0 && !r.plain && r.control[i].live == 0 && len(inst.lay.in.of(v)) > 0:
			// No path leads to it: it failed after an edge had triggered it.
			r.consume(i)
			r.activity(i).activate(causeResume)
		case len(inst.lay.in.of(v)) > 0:
			r.join(i).check(causeResume)
		case n.status == graph.Failed || starts[v]:
			r.activity(i).activate(causeResume)
		}
	}
	for _, i := range left {
		if r.nodes[i].status == graph.Failed {
			r.reasons[i] = ReasonLost
			r.emit(Effect{Kind: NodeChanged, Node: int(i), Status: graph.Failed, Reason: ReasonLost})
		}
	}
}

// failLeftovers counts nodes that a dead daemon left queued or running as failed, and returns them. It
// emits no effects yet: most of these nodes are activated at once.
func (r *Run) failLeftovers(k instanceID) []nodeID {
	var left []nodeID
	inst := &r.instances[k]
	for i := inst.node; i < inst.end(); i++ {
		n := &r.nodes[i]
		if busy(n.status) {
			r.setInitialStatus(i, graph.Failed)
			left = append(left, i)
		}
	}
	return left
}

// recallDecisions takes over the decisions of earlier runs.
func (r *Run) recallDecisions(k instanceID) {
	inst := r.instances[k] // a copy: recalled instances make r.instances grow
	for i := inst.node; i < inst.end(); i++ {
		n := &r.nodes[i]
		n.decided = n.status == graph.Ran || n.status == graph.Skipped
		if r.opt.Flow == nil {
			continue
		}
		if r.opt.Repeat != nil && (r.isRepeated(i) || r.holdsRepeated(i)) {
			n.decided = false
			continue
		}
		p, known := r.opt.Prior[r.Path(int(i))]
		if !known || p.Status != n.status {
			continue
		}
		if n.status == graph.Failed && p.Handled {
			n.decided, n.handled, r.reasons[i] = true, true, p.Reason
			r.instances[k].unhandled--
		}
		if p.Joined && (n.decided || p.Due) {
			r.ensureExtrasOf(i).joined = true
		}
		look := n.decided || inst.over // an instance that is over is only shown
		if p.Due {
			r.ensureExtrasOf(i).due = true
			n.decided = false
		}
		r.saveOutcome(i, p.outcome())
		if look {
			r.recallMarks(i, p.Marks)
			r.subflow(i).recallInstances() // last, because it moves nodes
		}
	}
	for i := inst.node; r.dry != nil && i < inst.end(); i++ {
		r.dry.kept[i] = r.nodes[i].decided
	}
}

// rejoin decides once more about a node that decided before, if the marks of another round had all come
// when the earlier run ended.
func (jn join) rejoin() {
	if jn.opt.Flow != nil && jn.entry().missing == 0 && len(jn.instance().in(jn.node)) > 0 {
		jn.check(causeResume)
	}
}

// deriveMarks sets the marks on edges into undecided nodes to what the states of their sources give. Tokens on
// edges into decided nodes stay: they wait for another round.
func (r *Run) deriveMarks(k instanceID) {
	inst := &r.instances[k]
	for l := range inst.lay.edgeCount() {
		e := inst.lay.edges[l]
		source, target := &r.nodes[inst.nodeID(e.source)], &r.nodes[inst.nodeID(e.target)]
		again := r.isRepeated(inst.nodeID(e.source))
		fired := !again && r.hasFired(inst, l)
		dead := source.decided && !fired && inst.lay.deadAtOnce(l)
		if fired {
			r.marks[inst.edgeID(l)] |= everFired | latest
		}
		if !e.blocking || target.decided {
			continue
		}
		want := graph.Unmarked
		switch {
		case fired, !again && r.isRepeated(inst.nodeID(e.target)):
			want = graph.ToRun
		case dead:
			want = graph.Dead
			r.marks[inst.edgeID(l)] |= killed
		}
		if r.marks[inst.edgeID(l)].bears() != want {
			r.setMark(inst, l, graph.Unmarked)
			r.setMark(inst, l, want)
		}
	}
}

// recallMarks restores the marks before a node that has decided and waits for another round, or for the end
// of one.
func (r *Run) recallMarks(i nodeID, marks []PriorMark) {
	inst := r.instanceOf(i)
	for _, l := range inst.in(i) {
		for _, m := range marks {
			if m.Edge != inst.lay.keys[l] || m.From != inst.lay.ids[inst.lay.edges[l].source] {
				continue
			}
			bears := graph.ToRun
			if m.Dead {
				bears = graph.Dead
			}
			r.setMark(inst, l, bears)
		}
	}
}

// hasFired reports whether an edge fired when its source, which has decided, ended. If no earlier run is
// known, only the status of the source counts. That also holds for edges that depend on success alone: the
// earlier run may not have included their targets.
func (st *state) hasFired(inst *instance, l localEdge) bool {
	i := inst.source(l)
	status := st.nodes[i].status
	if st.opt.Flow == nil || status == graph.Skipped {
		return status == graph.Ran
	}
	if p, known := st.opt.Prior[st.Path(int(i))]; known && p.Status == status {
		if slices.Contains(p.Fired, inst.lay.keys[l]) || status != graph.Ran {
			return slices.Contains(p.Fired, inst.lay.keys[l])
		}
	}
	if !st.nodes[i].decided {
		return false
	}
	c := inst.lay.condition(l)
	if c == nil {
		return status == graph.Ran
	}
	switch c.Kind {
	case flow.OnDone, flow.OnSuccess:
		return status == graph.Ran
	case flow.OnExit:
		return c.Exit.Has(0)
	}
	return false
}
