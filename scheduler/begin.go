package scheduler

import (
	"slices"

	"wf/graph"
	"wf/scheduler/flow"
)

// begin brings nodes and marks into their first state and activates what can start.
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

// fresh starts from a clean slate: the nodes at the beginning of the graph.
func (r *Run) startFresh() {
	for i := range r.nodes {
		r.activity(int32(i)).setStatus(graph.Idle, "")
	}
	for l := range r.outer.edges {
		r.setMark(&r.instances[0], int32(l), graph.Unmarked)
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
			r.activity(int32(i)).activate(causeStart)
		}
	}
}

// resume goes on in a frame where an earlier run failed: what ran, or was decided otherwise, is not
// repeated; what was not is activated if everything that it waits for is decided.
func (r *Run) resume(k int32) {
	left := r.failLeftovers(k)
	r.recallDecisions(k)
	r.deriveMarks(k)
	inst := r.instances[k]
	starts := inst.lay.startNodes()
	for v := range inst.lay.ids {
		i := inst.node + int32(v)
		switch n, x := &r.nodes[i], r.extrasOf(i); {
		case x != nil && x.due:
			if x.joined = x.joined && n.missing > 0; !x.joined {
				r.consume(i)
			}
			r.activity(i).activate(causeResume)
		case n.decided:
			r.join(i).rejoin()
		case n.status == graph.Failed && n.missing == 0 && !r.plain && r.lives[i] == 0 && len(inst.lay.in.of(int32(v))) > 0:
			// No path leads to it: it has failed after an edge had triggered it.
			r.consume(i)
			r.activity(i).activate(causeResume)
		case len(inst.lay.in.of(int32(v))) > 0:
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

// failLeftovers counts nodes that a dead daemon left queued or running as failed. Nobody is told
// yet: most of them are activated at once.
func (r *Run) failLeftovers(k int32) []int32 {
	var left []int32
	inst := &r.instances[k]
	for i := inst.node; i < inst.node+int32(len(inst.lay.ids)); i++ {
		n := &r.nodes[i]
		if busy(n.status) {
			r.setInitialStatus(i, graph.Failed)
			left = append(left, i)
		}
	}
	return left
}

// recallDecisions takes over what earlier runs have decided.
func (r *Run) recallDecisions(k int32) {
	inst := r.instances[k] // a copy: instances that are recalled make more frames
	for i := inst.node; i < inst.node+int32(len(inst.lay.ids)); i++ {
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
			r.makeExtras(i).joined = true
		}
		look := n.decided || inst.over // what is over is only looked at
		if p.Due {
			r.makeExtras(i).due = true
			n.decided = false
		}
		r.saveOutcome(i, p.outcome())
		if look {
			r.recallMarks(i, p.Marks)
			r.subflow(i).recallInstances() // the last: it moves nodes
		}
	}
	for i := inst.node; r.dry != nil && i < inst.node+int32(len(inst.lay.ids)); i++ {
		r.dry.kept[i] = r.nodes[i].decided
	}
}

// goOnJoining decides once more about a node that has decided before, if the marks of another round had all
// come when the earlier run ended.
func (jn join) rejoin() {
	if jn.opt.Flow != nil && jn.nodes[jn.node].missing == 0 && len(jn.instanceOf(jn.node).lay.in.of(jn.localOf(jn.node))) > 0 {
		jn.check(causeResume)
	}
}

// deriveMarks makes the marks before nodes that are to decide say what is true now. Tokens before
// nodes that are decided stay: they wait for a re-triggering.
func (r *Run) deriveMarks(k int32) {
	inst := &r.instances[k]
	for l, e := range inst.lay.edges {
		source, target := &r.nodes[inst.node+e.source], &r.nodes[inst.node+e.target]
		again := r.isRepeated(inst.node + e.source)
		fired := !again && r.hasFired(inst, int32(l))
		dead := source.decided && !fired && inst.lay.deadAtOnce(int32(l))
		if fired {
			r.marks[inst.edge+int32(l)] |= everFired | latest
		}
		if !e.blocking || target.decided {
			continue
		}
		want := graph.Unmarked
		switch {
		case fired, !again && r.isRepeated(inst.node+e.target):
			want = graph.ToRun
		case dead:
			want = graph.Dead
			r.marks[inst.edge+int32(l)] |= killed
		}
		if r.marks[inst.edge+int32(l)].bears() != want {
			r.setMark(inst, int32(l), graph.Unmarked)
			r.setMark(inst, int32(l), want)
		}
	}
}

// recallMarks puts back the marks before a node that has decided, and waits for another round, or for
// the end of one.
func (r *Run) recallMarks(i int32, marks []PriorMark) {
	inst := r.instanceOf(i)
	for _, l := range inst.lay.in.of(i - inst.node) {
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

// hasFired says whether an edge fired when its source, which is decided, came to its end. Where no
// run is known that could tell, the source counts as having ended with nothing but its status; so it does
// for edges that success alone decides about: the run may have been one without their targets.
func (st *state) hasFired(inst *instance, l int32) bool {
	i := inst.node + inst.lay.edges[l].source
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
	if inst.lay.conditions == nil || inst.lay.conditions[l] == nil {
		return status == graph.Ran
	}
	switch c := inst.lay.conditions[l]; c.Kind {
	case flow.OnDone, flow.OnSuccess:
		return status == graph.Ran
	case flow.OnExit:
		return c.Exit.Has(0)
	}
	return false
}
