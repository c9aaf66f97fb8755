package scheduler

import (
	"strconv"

	"wf/graph"
	"wf/scheduler/flow"
)

// A run of instances repeats just these (Options.Repeat): paths like align[3], which stands for all that is in
// it, or align[3]/trim. It is a Resume of the sub-flows that they lie in. Everything else in there stays as
// an earlier run has left it: nothing leads to it, and it is not skipped either. What a repeated node waits
// for counts as there, unless it is repeated as well.

// repeats says whether a node is one that is executed again: named, or in something that is.
func (r *Run) repeats(i int32) bool {
	if r.opt.Repeat == nil {
		return false
	}
	f := r.frameOf(i)
	return f.owner != noNode && (f.again || r.opt.Repeat[r.name(i)])
}

// staysAsItIs says whether a node is one of those that a run of instances leaves alone.
func (r *Run) staysAsItIs(i int32) bool { return r.opt.Repeat != nil && !r.repeats(i) }

// holdsAgain says whether something that is repeated lies in a sub-flow that is not repeated itself.
func (r *Run) holdsAgain(i int32) bool {
	return r.opt.Repeat != nil && r.subOf(i) != nil && r.holders[r.name(i)] && !r.repeats(i)
}

// holdersOf are the names of the sub-flows that paths lead through.
func holdersOf(paths map[string]bool) map[string]bool {
	holders := map[string]bool{}
	for path := range paths {
		for at := range path {
			if path[at] == '[' {
				holders[path[:at]] = true
			}
		}
	}
	return holders
}

// isAgain says whether an instance is repeated as a whole.
func (r *Run) isAgain(owner, instance int32) bool {
	if r.opt.Repeat == nil || owner == noNode {
		return false
	}
	return r.repeats(owner) || r.opt.Repeat[r.name(owner)+"["+strconv.Itoa(int(instance))+"]"]
}

// repeatFrame activates in a frame what is to be repeated and waits for nothing else that is, and the
// sub-flows that hold such.
func (r *Run) repeatFrame(k int32) {
	r.failLeftovers(k)
	f := r.frames[k]
	for v := range f.lay.ids {
		if i := f.node + int32(v); r.holdsAgain(i) && r.nodes[i].status != graph.Failed {
			r.assume(i, graph.Failed)
		}
	}
	r.recallDecisions(k)
	r.deriveMarks(k)
	f = r.frames[k]
	for v := range f.lay.ids {
		i := f.node + int32(v)
		switch in := f.lay.in.of(int32(v)); {
		case r.holdsAgain(i):
			r.activate(i, causeResume)
		case !r.repeats(i):
		case len(in) > 0:
			r.join(i, causeResume)
		default:
			r.activate(i, causeResume)
		}
	}
}

// anotherAgain is another for a sub-flow that holds what is repeated: it has the instances that it had. If
// there were to be more, it is not at its end.
func (r *Run) anotherAgain(i int32, sub *flow.Sub, s *instances) bool {
	if r.halted || s.stopping != "" {
		return false
	}
	if r.recalled(i, int32(len(s.frames))) {
		return true
	}
	if s.going > 0 {
		return false
	}
	more := len(s.frames) < s.count && !s.stopped
	if s.count < 0 && s.failed == 0 {
		yes := false
		sure, err := r.sure(r.frameNo(i), sub.Test.Constant(), func() (err error) {
			yes, err = sub.Test.Bool(r.testEnv(i))
			return err
		})
		more = sure && err == nil && yes != (sub.Kind == flow.Until)
	}
	if more && (s.failed == 0 || sub.Continue) {
		s.stopping, s.message = ReasonInstances, "not all of its instances have begun"
	}
	return false
}

// unfinished says whether an instance of which only a part was repeated has something left that never came
// to its turn. One of which nothing was repeated is as it was: only what was due in it is left.
func (r *Run) unfinished(f *frame) bool {
	if r.opt.Repeat == nil || f.again {
		return false
	}
	idle, repeated := false, false
	for i := f.node; i < f.node+int32(len(f.lay.ids)); i++ {
		if x := r.rareAt(i); x != nil && x.due {
			return true
		}
		idle = idle || r.nodes[i].status == graph.Idle
		repeated = repeated || r.repeats(i) || r.holdsAgain(i)
	}
	return idle && repeated
}
