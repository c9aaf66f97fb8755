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
func (st *state) isRepeated(i int32) bool {
	if st.opt.Repeat == nil {
		return false
	}
	inst := st.instanceOf(i)
	return inst.owner != noNode && (inst.repeated || st.opt.Repeat[st.name(i)])
}

// staysAsItIs says whether a node is one of those that a run of instances leaves alone.
func (st *state) leftAlone(i int32) bool { return st.opt.Repeat != nil && !st.isRepeated(i) }

// holdsAgain says whether something that is repeated lies in a sub-flow that is not repeated itself.
func (st *state) holdsRepeated(i int32) bool {
	return st.opt.Repeat != nil && st.subOf(i) != nil && st.repeatHolders[st.name(i)] && !st.isRepeated(i)
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
func (st *state) repeatsInstance(owner, number int32) bool {
	if st.opt.Repeat == nil || owner == noNode {
		return false
	}
	return st.isRepeated(owner) || st.opt.Repeat[st.name(owner)+"["+strconv.Itoa(int(number))+"]"]
}

// repeatFrame activates in a frame what is to be repeated and waits for nothing else that is, and the
// sub-flows that hold such.
func (r *Run) repeatInstance(k int32) {
	r.failLeftovers(k)
	inst := r.instances[k]
	for v := range inst.lay.ids {
		if i := inst.node + int32(v); r.holdsRepeated(i) && r.nodes[i].status != graph.Failed {
			r.setInitialStatus(i, graph.Failed)
		}
	}
	r.recallDecisions(k)
	r.deriveMarks(k)
	inst = r.instances[k]
	for v := range inst.lay.ids {
		i := inst.node + int32(v)
		switch in := inst.lay.in.of(int32(v)); {
		case r.holdsRepeated(i):
			r.activity(i).activate(causeResume)
		case !r.isRepeated(i):
		case len(in) > 0:
			r.join(i).check(causeResume)
		default:
			r.activity(i).activate(causeResume)
		}
	}
}

// anotherAgain is another for a sub-flow that holds what is repeated: it has the instances that it had. If
// there were to be more, it is not at its end.
func (sf subflow) anotherRepeated(sub *flow.Sub, s *subflowState) bool {
	if sf.halted || s.stopping != "" {
		return false
	}
	if sf.recalled(sf.node, int32(len(s.instances))) {
		return true
	}
	if s.going > 0 {
		return false
	}
	more := len(s.instances) < s.count && !s.stopped
	if s.count < 0 && s.failed == 0 {
		yes := false
		sure, err := sf.evaluateText(sf.instanceNo(sf.node), sub.Test.Constant(), func() (err error) {
			yes, err = sub.Test.Bool(sf.testEnv(sf.node))
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
func (r *Run) unfinished(inst *instance) bool {
	if r.opt.Repeat == nil || inst.repeated {
		return false
	}
	idle, repeated := false, false
	for i := inst.node; i < inst.node+int32(len(inst.lay.ids)); i++ {
		if x := r.extrasOf(i); x != nil && x.due {
			return true
		}
		idle = idle || r.nodes[i].status == graph.Idle
		repeated = repeated || r.isRepeated(i) || r.holdsRepeated(i)
	}
	return idle && repeated
}
