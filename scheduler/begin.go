package scheduler

import (
	"slices"

	"wf/graph"
	"wf/scheduler/flow"
)

// begin brings nodes and marks into their first state and activates what can start.
func (r *Run) begin() {
	if r.begun {
		panic("internal error: scheduler: a second Begin")
	}
	r.begun = true
	switch {
	case r.opt.Repeat != nil:
		r.repeatFrame(0)
	case r.mode == Resume:
		r.resume(0)
	default:
		r.fresh()
	}
	r.findOnce()
	r.settleFrom(0)
}

// fresh starts from a clean slate: the nodes at the beginning of the graph.
func (r *Run) fresh() {
	for i := range r.nodes {
		r.setStatus(int32(i), graph.Idle, "")
	}
	for l := range r.outer.edges {
		r.setMark(&r.frames[0], int32(l), graph.Unmarked)
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
			r.activate(int32(i), causeStart)
		}
	}
}

// resume goes on in a frame where an earlier run failed: what ran, or was decided otherwise, is not
// repeated; what was not is activated if everything that it waits for is decided.
func (r *Run) resume(k int32) {
	left := r.failLeftovers(k)
	r.recallDecisions(k)
	r.deriveMarks(k)
	f := r.frames[k]
	starts := f.lay.startNodes()
	for v := range f.lay.ids {
		i := f.node + int32(v)
		switch n, x := &r.nodes[i], r.rareAt(i); {
		case x != nil && x.due:
			if x.joined = x.joined && n.missing > 0; !x.joined {
				r.consume(i)
			}
			r.activate(i, causeResume)
		case n.decided:
			r.goOnJoining(i)
		case n.status == graph.Failed && n.missing == 0 && !r.plain && r.lives[i] == 0 && len(f.lay.in.of(int32(v))) > 0:
			// No path leads to it: it has failed after an edge had triggered it.
			r.consume(i)
			r.activate(i, causeResume)
		case len(f.lay.in.of(int32(v))) > 0:
			r.join(i, causeResume)
		case n.status == graph.Failed || starts[v]:
			r.activate(i, causeResume)
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
	f := &r.frames[k]
	for i := f.node; i < f.node+int32(len(f.lay.ids)); i++ {
		n := &r.nodes[i]
		if busy(n.status) {
			r.assume(i, graph.Failed)
			left = append(left, i)
		}
	}
	return left
}

// recallDecisions takes over what earlier runs have decided.
func (r *Run) recallDecisions(k int32) {
	f := r.frames[k] // a copy: instances that are recalled make more frames
	for i := f.node; i < f.node+int32(len(f.lay.ids)); i++ {
		n := &r.nodes[i]
		n.decided = n.status == graph.Ran || n.status == graph.Skipped
		if r.opt.Flow == nil {
			continue
		}
		if r.opt.Repeat != nil && (r.repeats(i) || r.holdsAgain(i)) {
			n.decided = false
			continue
		}
		p, known := r.opt.Prior[r.Path(int(i))]
		if !known || p.Status != n.status {
			continue
		}
		if n.status == graph.Failed && p.Handled {
			n.decided, n.handled, r.reasons[i] = true, true, p.Reason
			r.frames[k].unhandled--
		}
		if p.Joined && (n.decided || p.Due) {
			r.rareOf(i).joined = true
		}
		look := n.decided || f.over // what is over is only looked at
		if p.Due {
			r.rareOf(i).due = true
			n.decided = false
		}
		r.keep(i, p.outcome())
		if look {
			r.recallMarks(i, p.Marks)
			r.recallInstances(i) // the last: it moves nodes
		}
	}
	for i := f.node; r.dry != nil && i < f.node+int32(len(f.lay.ids)); i++ {
		r.dry.kept[i] = r.nodes[i].decided
	}
}

// goOnJoining decides once more about a node that has decided before, if the marks of another round had all
// come when the earlier run ended.
func (r *Run) goOnJoining(i int32) {
	if r.opt.Flow != nil && r.nodes[i].missing == 0 && len(r.frameOf(i).lay.in.of(r.localOf(i))) > 0 {
		r.join(i, causeResume)
	}
}

// deriveMarks makes the marks before nodes that are to decide say what is true now. Tokens before
// nodes that are decided stay: they wait for a re-triggering.
func (r *Run) deriveMarks(k int32) {
	f := &r.frames[k]
	for l, e := range f.lay.edges {
		source, target := &r.nodes[f.node+e.source], &r.nodes[f.node+e.target]
		again := r.repeats(f.node + e.source)
		fired := !again && r.hasFired(f, int32(l))
		dead := source.decided && !fired && f.lay.deadAtOnce(int32(l))
		if fired {
			r.marks[f.edge+int32(l)] |= everFired | latest
		}
		if !e.blocking || target.decided {
			continue
		}
		want := graph.Unmarked
		switch {
		case fired, !again && r.repeats(f.node+e.target):
			want = graph.ToRun
		case dead:
			want = graph.Dead
			r.marks[f.edge+int32(l)] |= killed
		}
		if r.marks[f.edge+int32(l)].bears() != want {
			r.setMark(f, int32(l), graph.Unmarked)
			r.setMark(f, int32(l), want)
		}
	}
}

// recallMarks puts back the marks before a node that has decided, and waits for another round, or for
// the end of one.
func (r *Run) recallMarks(i int32, marks []PriorMark) {
	f := r.frameOf(i)
	for _, l := range f.lay.in.of(i - f.node) {
		for _, m := range marks {
			if m.Edge != f.lay.keys[l] || m.From != f.lay.ids[f.lay.edges[l].source] {
				continue
			}
			bears := graph.ToRun
			if m.Dead {
				bears = graph.Dead
			}
			r.setMark(f, l, bears)
		}
	}
}

// hasFired says whether an edge fired when its source, which is decided, came to its end. Where no
// run is known that could tell, the source counts as having ended with nothing but its status; so it does
// for edges that success alone decides about: the run may have been one without their targets.
func (r *Run) hasFired(f *frame, l int32) bool {
	i := f.node + f.lay.edges[l].source
	status := r.nodes[i].status
	if r.opt.Flow == nil || status == graph.Skipped {
		return status == graph.Ran
	}
	if p, known := r.opt.Prior[r.Path(int(i))]; known && p.Status == status {
		if slices.Contains(p.Fired, f.lay.keys[l]) || status != graph.Ran {
			return slices.Contains(p.Fired, f.lay.keys[l])
		}
	}
	if !r.nodes[i].decided {
		return false
	}
	if f.lay.conditions == nil || f.lay.conditions[l] == nil {
		return status == graph.Ran
	}
	switch c := f.lay.conditions[l]; c.Kind {
	case flow.OnDone, flow.OnSuccess:
		return status == graph.Ran
	case flow.OnExit:
		return c.Exit.Has(0)
	}
	return false
}
