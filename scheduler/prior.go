package scheduler

import (
	"wf/graph"
	"wf/scheduler/expression"
)

// Prior is what earlier runs left of nodes, by their paths (see Run.Path). A Resume continues from there;
// expressions see it of nodes that are not in scope. The statuses of nodes of the outer flow are those of
// the graph: an entry that disagrees with the graph is out of date and does not count.
type Prior map[string]PriorNode

// A PriorNode is how the last activation of a node ended.
type PriorNode struct {
	Status    graph.Status      `json:"status"`
	Handled   bool              `json:"handled,omitempty"` // an edge fired for its failure
	Reason    string            `json:"reason,omitempty"`
	Message   string            `json:"message,omitempty"` // of a failure without an execution
	Exit      int               `json:"exit,omitempty"`
	HasExit   bool              `json:"has_exit,omitempty"`
	Mocked    bool              `json:"mocked,omitempty"`
	Outputs   expression.Values `json:"outputs,omitempty"`
	Stdout    *expression.Kept  `json:"stdout,omitempty"`    // if a text read it
	Fired     []int             `json:"fired,omitempty"`     // graph.Edge.Key of the edges that fired
	Instances int               `json:"instances,omitempty"` // of a sub-flow: how many had started
	Items     expression.List   `json:"items,omitempty"`     // of a foreach
	Key       string            `json:"key,omitempty"`       // the column of the items that names the instances
	Arrivals  []int             `json:"arrivals,omitempty"`  // instances in the order in which they ended, if it is not that of the numbers
	Stopped   bool              `json:"stopped,omitempty"`   // its stop_when was true: no more instances start
	Starts    []int64           `json:"starts,omitempty"`    // of a sub-flow with a limited rate: when the latest instances started
	Planned   int               `json:"planned,omitempty"`   // how many were to start, if that is more than have

	// Due says that an activation was taken back or not started: a resume starts with it. Joined says that
	// its join has decided and waits for the last marks of the round; Marks are those that have come for
	// a round of a node that had decided before.
	Due    bool        `json:"due,omitempty"`
	Joined bool        `json:"joined,omitempty"`
	Marks  []PriorMark `json:"marks,omitempty"`
}

// A PriorMark is the mark of an edge to a node.
type PriorMark struct {
	Edge int    `json:"edge"` // graph.Edge.Key; the edges of a group have it in common
	From string `json:"from"` // XML id of the source
	Dead bool   `json:"dead,omitempty"`
}

// Executed reports whether the node ended by executing a command.
func (p PriorNode) Executed() bool {
	return (p.Status == graph.Ran || p.Status == graph.Failed) && !p.Mocked && p.Instances == 0 && p.Items == nil
}

// Total returns how many instances a sub-flow was to have, if that is known.
func (p PriorNode) Total() int { return max(p.Instances, len(p.Items), p.Planned) }

func (p PriorNode) outcome() outcome {
	return outcome{ok: p.Status == graph.Ran, reason: p.Reason, exit: p.Exit, hasExit: p.HasExit, outputs: p.Outputs, stdout: p.Stdout, mocked: p.Mocked}
}

// view returns the part that expressions can refer to, of a node that is not in scope.
func (p PriorNode) view() expression.Node {
	v := expression.Node{Status: p.Status.String(), Outputs: p.Outputs, Stdout: p.Stdout}
	if p.HasExit {
		v.ExitCode = &p.Exit
	}
	return v
}

// Prior returns the prior state for a later run. It is nil for a run without a flow, because the
// statuses say everything.
func (pr priorState) Prior() Prior {
	if pr.opt.Flow == nil {
		return nil
	}
	past, present := Prior{}, pr.current()
	for i := range pr.nodes {
		i := nodeID(i)
		if !present[pr.instanceNo(i)] {
			continue
		}
		if p, worth := pr.priorOf(i); worth {
			past[pr.Path(int(i))] = p
		}
	}
	pr.carryOver(past)
	return past
}

// current reports for each instance whether it belongs to the latest activation of its sub-flow: only such
// instances have a path.
func (st *state) current() []bool {
	present := make([]bool, len(st.instances))
	present[0] = true
	for k := 1; k < len(st.instances); k++ {
		inst := &st.instances[k]
		sub := st.extrasOf(inst.owner).sub
		present[k] = present[st.instanceNo(inst.owner)] && sub != nil && int(inst.number) < len(sub.instances) && sub.instances[inst.number] == instanceID(k)
	}
	return present
}

// carryOver keeps what an earlier run left of instances that this run has not reached: a later run does not
// repeat them either.
func (pr priorState) carryOver(past Prior) {
	for path, p := range pr.opt.Prior {
		if _, known := past[path]; known || pr.mode != Resume {
			continue
		}
		if pr.notReached(path) {
			past[path] = p
		}
	}
}

// notReached reports whether a path leads into an instance that an earlier run has started, and that this
// run would still have gone on with.
func (pr priorState) notReached(path string) bool {
	for owner, number := range instancesIn(path) {
		i, ok := pr.indexOf(owner)
		if !ok || number < 0 {
			return false
		}
		if number >= len(pr.subState(nodeID(i)).instances) {
			return number < pr.priorInstances(nodeID(i))
		}
	}
	return false
}

// LeavesOut reports whether a path leads to a node that is not part of the run, in an instance that is: the
// prior state of that node still holds. It does not if the instance has another item now.
func (pr priorState) LeavesOut(path string) bool {
	inside := false
	for owner, number := range instancesIn(path) {
		i, ok := pr.indexOf(owner)
		if !ok {
			return inside
		}
		s := pr.subState(nodeID(i))
		if number < 0 || number >= len(s.instances) || !pr.sameItem(i, number, s.items) {
			return false
		}
		inside = true
	}
	_, ok := pr.Index(path)
	return inside && !ok
}

// sameItem reports whether an instance of a sub-flow has the item that it had in an earlier run.
func (st *state) sameItem(i, number int, items []any) bool {
	was := st.opt.Prior[st.Path(i)].Items
	if number >= len(items) || number >= len(was) {
		return len(items) == len(was)
	}
	return expression.Format(items[number]) == expression.Format(was[number])
}

// priorInstances returns how many instances an earlier run had started of the activation that a node is to
// go on with; 0 if it does not go on.
func (st *state) priorInstances(i nodeID) int {
	if p, yes := st.goesOn(i); yes {
		return p.Instances
	}
	n := &st.nodes[i]
	if p, known := st.opt.Prior[st.Path(int(i))]; known && n.activations == 0 && !n.decided && p.Status == n.status {
		return p.Instances
	}
	return 0
}

func (pr priorState) priorOf(i nodeID) (p PriorNode, worth bool) {
	n, inst := &pr.nodes[i], pr.instanceOf(i)
	p = PriorNode{Status: n.status, Handled: n.handled, Reason: pr.reasons[i]}
	x := pr.extrasOf(i)
	if x != nil && x.due {
		p.Due, worth = true, true
	} else if n.status == graph.Idle {
		return p, false
	}
	worth = worth || inst.owner != noNode || inst.lay.conditions != nil || x != nil
	p.Joined = x != nil && x.joined
	if n.decided {
		p.Marks = pr.priorMarks(i)
	}
	if x != nil && x.over {
		last := x.last
		p.Exit, p.HasExit, p.Outputs, p.Stdout, p.Mocked = last.exit, last.hasExit, last.outputs, last.stdout, last.mocked
		switch p.Reason {
		case ReasonInstances, ReasonLimit, ReasonExpression, ReasonRejected: // no record of an execution contains it
			p.Message = last.message
		}
	} else if n.status == graph.Ran {
		p.HasExit = true
	}
	for _, l := range inst.out(i) {
		// Within a loop only the present round counts, for edges out of it any round.
		if m := pr.marks[inst.edgeID(l)]; m&everFired != 0 && (!inst.lay.inLoop(l) || n.decided && m&latest != 0) {
			p.Fired = append(p.Fired, inst.lay.keys[l])
		}
	}
	// A resume does not continue instances of an activation before the present one.
	if x != nil && x.sub != nil && x.sub.activation == n.activations && n.status != graph.Idle {
		p.Instances, p.Items, p.Stopped = len(x.sub.instances), x.sub.items, x.sub.stopped
		p.Key = pr.itemKey(i)
		p.Arrivals, p.Starts = pr.priorArrivals(x.sub), x.sub.starts
		if x.sub.count > p.Instances {
			p.Planned = x.sub.count
		}
	}
	if instances := pr.priorInstances(i); instances > p.Instances {
		p.Instances = instances
		if p.Items == nil {
			was := pr.opt.Prior[pr.Path(int(i))]
			p.Items, p.Key = was.Items, was.Key
		}
	}
	return p, worth
}

// priorMarks returns the marks before a node that has decided: part of a next round, or the rest of one.
func (pr priorState) priorMarks(i nodeID) (marks []PriorMark) {
	inst := pr.instanceOf(i)
	for _, l := range inst.in(i) {
		if m := pr.marks[inst.edgeID(l)].bears(); m != graph.Unmarked {
			marks = append(marks, PriorMark{inst.lay.keys[l], inst.lay.ids[inst.lay.edges[l].source], m == graph.Dead})
		}
	}
	return marks
}

// recallInstances makes the instances of a sub-flow that is not repeated, so that expressions and callers
// can see them.
func (sf subflow) recallInstances() {
	if sf.layout() == nil {
		return
	}
	p := sf.opt.Prior[sf.Path(int(sf.node))]
	s := &subflowState{items: p.Items, count: p.Instances}
	sf.setSubflow(s)
	sf.countInside()
	for range p.Instances {
		k := sf.add(s)
		sf.instances[k].over = true
		sf.keepPriorRank(k)
		sf.takeStatuses(k)
		sf.recallDecisions(k)
	}
}

// goesOn reports whether a sub-flow continues where an earlier run ended.
func (st *state) goesOn(i nodeID) (p PriorNode, yes bool) {
	n := &st.nodes[i]
	if st.mode != Resume || n.cause != causeResume || n.activations != 1 {
		return p, false
	}
	if inst := st.instanceOf(i); inst.owner != noNode && !st.isRecalled(inst) {
		return p, false
	}
	p, yes = st.opt.Prior[st.Path(int(i))]
	if st.opt.Repeat != nil {
		return p, yes && st.holdsRepeated(i)
	}
	return p, yes && p.Status != graph.Ran && (p.Instances > 0 || p.Items != nil)
}

// recalled reports whether an earlier run has started an instance of the present activation.
func (st *state) recalled(i nodeID, number int32) bool {
	p, yes := st.goesOn(i)
	return yes && int(number) < p.Instances
}

func (st *state) isRecalled(inst *instance) bool { return st.recalled(inst.owner, inst.number) }

// recallItems takes the items that an earlier run has found: a command that prints items runs once.
func (sf subflow) recallItems() {
	if p, yes := sf.goesOn(sf.node); yes && p.Items != nil && !sf.hasItems(sf.node) {
		sf.setSubflow(&subflowState{activation: sf.entry().activations, items: p.Items, hasItems: true})
	}
}

// recallInstance continues an instance that an earlier run has started. It returns false for others.
func (r *Run) recallInstance(k instanceID) bool {
	if !r.isRecalled(&r.instances[k]) {
		return false
	}
	if r.instances[k].repeated {
		return false
	}
	r.takeStatuses(k)
	if r.opt.Repeat != nil {
		r.repeatInstance(k)
	} else {
		r.resume(k)
	}
	return true
}

// takeStatuses gives the nodes of an instance the statuses that they had.
func (r *Run) takeStatuses(k instanceID) {
	inst := r.instances[k]
	for i := inst.node; i < inst.end(); i++ {
		p, known := r.opt.Prior[r.Path(int(i))]
		if !known || p.Status == graph.Idle || p.Status == graph.Queued || r.opt.Repeat != nil && r.isRepeated(i) {
			continue
		}
		r.setInitialStatus(i, p.Status)
		r.reasons[i] = p.Reason
		r.emit(Effect{Kind: NodeChanged, Node: int(i), Status: p.Status, Reason: p.Reason, Mocked: p.Mocked, Prior: true})
	}
}
