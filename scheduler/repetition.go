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

// isRepeated reports whether a node executes again: it is named in Options.Repeat, or it lies in something
// that is.
func (st *state) isRepeated(i nodeID) bool {
	if st.opt.Repeat == nil {
		return false
	}
	inst := st.instanceOf(i)
	return inst.owner != noNode && (inst.repeated || st.opt.Repeat[st.name(i)])
}

// leftAlone reports whether a run with Options.Repeat leaves a node as it is.
func (st *state) leftAlone(i nodeID) bool { return st.opt.Repeat != nil && !st.isRepeated(i) }

// holdsRepeated reports whether a sub-flow that is not repeated itself contains something that is.
func (st *state) holdsRepeated(i nodeID) bool {
	return st.opt.Repeat != nil && st.subOf(i) != nil && st.repeatHolders[st.name(i)] && !st.isRepeated(i)
}

// holdersOf returns the names of the sub-flows that the paths lead through.
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

// repeatsInstance reports whether an instance is repeated as a whole.
func (st *state) repeatsInstance(owner nodeID, number int32) bool {
	if st.opt.Repeat == nil || owner == noNode {
		return false
	}
	return st.isRepeated(owner) || st.opt.Repeat[st.name(owner)+"["+strconv.Itoa(int(number))+"]"]
}

// repeatInstance activates, in an instance, the nodes that are repeated and wait for no other repeated
// node, and the sub-flows that contain repeated nodes.
func (r *Run) repeatInstance(k instanceID) {
	r.failLeftovers(k)
	inst := r.instances[k]
	for v := range inst.lay.nodeCount() {
		if i := inst.nodeID(v); r.holdsRepeated(i) && r.nodes[i].status != graph.Failed {
			r.setInitialStatus(i, graph.Failed)
		}
	}
	r.recallDecisions(k)
	r.deriveMarks(k)
	inst = r.instances[k]
	for v := range inst.lay.nodeCount() {
		i := inst.nodeID(v)
		switch in := inst.lay.in.of(v); {
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

// anotherRepeated is wantsAnother for a sub-flow that contains something repeated: it has the instances
// that it had in the earlier run. If more were to start, the sub-flow fails, because it is not complete.
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
		yes, sure, err := sf.test(sub)
		more = sure && err == nil && yes != (sub.Kind == flow.Until)
	}
	if more && (s.failed == 0 || sub.Continue) {
		s.stopping, s.message = ReasonInstances, "not all of its instances have started"
	}
	return false
}

// unfinished reports whether an instance of which only a part was repeated has nodes left that never
// executed. If nothing in it was repeated, only due activations count.
func (r *Run) unfinished(inst *instance) bool {
	if r.opt.Repeat == nil || inst.repeated {
		return false
	}
	idle, repeated := false, false
	for i := inst.node; i < inst.end(); i++ {
		if x := r.extrasOf(i); x != nil && x.due {
			return true
		}
		idle = idle || r.nodes[i].status == graph.Idle
		repeated = repeated || r.isRepeated(i) || r.holdsRepeated(i)
	}
	return idle && repeated
}
