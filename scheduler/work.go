package scheduler

import "wf/graph"

// works is what an event has led to and is not done yet. It is empty between two steps. What could
// lead to itself over and over goes through here, so that no chain is too long.
type works struct {
	dead    []int32          // edges
	ended   []ended          // activations that ended without an execution
	failing []int32          // frames whose failure ends all instances of their sub-flow
	losers  []int32          // joins that cancel what they do not need any more
	ready   []int32          // sub-flows that begin their instances
	still   []stillComponent // where nothing is active any more, or nothing open
	paced   []int32          // sub-flows that wait for their rate, and are to end
	quiet   []int32          // frames in which nothing is active any more
}

type ended struct {
	node int32
	out  outcome
}

type stillComponent struct{ frame, component int32 }

// work does what an event has led to: first what is certain, then what only holds if nothing else
// happens.
func (r *Run) work() {
	w := &r.works
	for {
		switch {
		case len(w.dead) > 0:
			r.die(pop(&w.dead))
		case len(w.ended) > 0:
			e := pop(&w.ended)
			r.finish(e.node, e.out)
		case len(w.failing) > 0:
			r.failOthers(pop(&w.failing))
		case len(w.losers) > 0:
			r.cancelLosers(pop(&w.losers))
		case len(w.ready) > 0:
			r.startInstances(pop(&w.ready))
		case len(w.still) > 0:
			r.settle(pop(&w.still))
		case len(w.paced) > 0:
			r.endPaced(pop(&w.paced))
		case len(w.quiet) > 0:
			r.frameOver(pop(&w.quiet))
		default:
			return
		}
	}
}

// pop takes the first element, and gives the array back when it was the last one.
func pop[T any](list *[]T) T {
	first := (*list)[0]
	if *list = (*list)[1:]; len(*list) == 0 {
		*list = nil
	}
	return first
}

// endLater ends the present activation of a node when the event at hand is through.
func (r *Run) endLater(i int32, out outcome) {
	r.works.ended = append(r.works.ended, ended{i, out})
}

// settlement says which parts of a frame can still lead to anything. An edge whose source decides once
// is dead as soon as that has decided otherwise, and one within a loop is so for the round. A source in a
// loop, or behind an edge that triggers, may decide again: its other edges are dead when nothing can lead
// to it any more.
type settlement struct {
	active  []int32 // nodes by component that are Queued or Running
	open    []int32 // edges by component that lead there from one that is not settled
	settled []bool
}

func newSettlement(l *layout) *settlement {
	s := &settlement{active: make([]int32, l.components), open: make([]int32, l.components), settled: make([]bool, l.components)}
	for _, e := range l.edges {
		if from, to := l.component[e.source], l.component[e.target]; from != to {
			s.open[to]++
		}
	}
	return s
}

// settleLater looks at the component of a node, which has decided, when the event at hand is through.
func (r *Run) settleLater(i int32) {
	f := r.frameOf(i)
	if f.settlement != nil {
		r.works.still = append(r.works.still, stillComponent{r.frameNo(i), f.lay.component[i-f.node]})
	}
}

// settleFrom looks at all components of a frame that begins.
func (r *Run) settleFrom(k int32) {
	f := &r.frames[k]
	if f.settlement == nil {
		return
	}
	for c := f.lay.components - 1; c >= 0; c-- {
		r.works.still = append(r.works.still, stillComponent{k, c})
	}
}

// settle decides what is open in and behind a component to which nothing can lead any more. What is
// decided in it may activate nodes of it; then it is not settled yet.
func (r *Run) settle(at stillComponent) {
	f := &r.frames[at.frame]
	s, c := f.settlement, at.component
	nodes := f.lay.inside.of(c)
	decidedOnce := f.lay.single[nodes[0]] && r.nodes[f.node+nodes[0]].decided // whatever still comes
	if r.halted || f.cut || s.settled[c] || s.active[c] > 0 || s.open[c] > 0 && !decidedOnce {
		return
	}
	for _, v := range nodes {
		n := &r.nodes[f.node+v]
		if x := r.rareAt(f.node + v); n.status == graph.Failed && !n.handled || x != nil && x.limited {
			return
		}
	}
	if r.skipUntriggered(f, nodes) {
		r.works.still = append(r.works.still, at)
		return
	}
	s.settled[c] = true
	for _, v := range nodes {
		for _, l := range f.lay.out.of(v) {
			to := f.lay.component[f.lay.edges[l].target]
			if to == c {
				continue
			}
			if r.nodes[f.node+v].decided {
				r.kill(f, l)
			}
			if s.open[to]--; s.open[to] == 0 {
				r.works.still = append(r.works.still, stillComponent{at.frame, to})
			}
		}
	}
}

// skipUntriggered skips nodes that only edges lead to that trigger, and none of them has: no join behind
// them is to wait for what was not the way. It returns false if there are none.
func (r *Run) skipUntriggered(f *frame, nodes []int32) (any bool) {
	for _, v := range nodes {
		if i := f.node + v; !r.nodes[i].decided && len(f.lay.in.of(v)) == 0 {
			r.skip(i)
			any = true
		}
	}
	return any
}
