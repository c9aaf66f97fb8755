package scheduler

import (
	"strconv"
	"strings"

	"wf/graph"
	"wf/scheduler/expression"
)

// Prior is what earlier runs have made of nodes, by the ids that they have in a Run. A Resume goes on
// from there; expressions see it of nodes that are not in scope. Statuses of nodes of the outer flow
// are those of the graph: an entry that disagrees with it is out of date and does not count.
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
	Fired     []int             `json:"fired,omitempty"`     // graph.Edge.Key of the edges that fired
	Instances int               `json:"instances,omitempty"` // of a sub-flow: how many had begun
	Items     expression.List   `json:"items,omitempty"`     // of a foreach
	Arrivals  []int             `json:"arrivals,omitempty"`  // the instances that ended, in that order, if it is not theirs
	Stopped   bool              `json:"stopped,omitempty"`   // its stop_when was true: no more of them begin
	Starts    []int64           `json:"starts,omitempty"`    // of a sub-flow with a limited rate: when the latest instances started
	Planned   int               `json:"planned,omitempty"`   // how many were to begin, if that is more than have

	// Due says that an activation was taken back or not begun: a resume begins with it. Joined says that
	// its join has decided and waits for the last marks of the round; Marks are those that have come for
	// a round of a node that had decided before.
	Due    bool        `json:"due,omitempty"`
	Joined bool        `json:"joined,omitempty"`
	Marks  []PriorMark `json:"marks,omitempty"`
}

// A PriorMark is what an edge to a node bore.
type PriorMark struct {
	Edge int    `json:"edge"` // graph.Edge.Key; the edges of a group have it in common
	From string `json:"from"` // XML id of the source
	Dead bool   `json:"dead,omitempty"`
}

// Executed says whether a command of the node ended so.
func (p PriorNode) Executed() bool {
	return (p.Status == graph.Ran || p.Status == graph.Failed) && !p.Mocked && p.Instances == 0 && p.Items == nil
}

// Total is how many instances a sub-flow was to have, as far as that is known.
func (p PriorNode) Total() int { return max(p.Instances, len(p.Items), p.Planned) }

func (p PriorNode) outcome() outcome {
	return outcome{ok: p.Status == graph.Ran, reason: p.Reason, exit: p.Exit, hasExit: p.HasExit, outputs: p.Outputs, mocked: p.Mocked}
}

// view is what expressions see of a node that is not in scope.
func (p PriorNode) view() expression.Node {
	v := expression.Node{Status: p.Status.String(), Outputs: p.Outputs}
	if p.HasExit {
		v.ExitCode = &p.Exit
	}
	return v
}

// Prior returns what a later run has to know of this one. It is nil for a run without a flow, of which
// the statuses say everything.
func (r *Run) Prior() Prior {
	if r.opt.Flow == nil {
		return nil
	}
	past, present := Prior{}, r.present()
	for i := range r.nodes {
		i := int32(i)
		if !present[r.frameNo(i)] {
			continue
		}
		if p, worth := r.pastOf(i); worth {
			past[r.Path(int(i))] = p
		}
	}
	r.carryOver(past)
	return past
}

// present says which frames are of the latest activation of their sub-flow: only these have a path.
func (r *Run) present() []bool {
	present := make([]bool, len(r.frames))
	present[0] = true
	for k := 1; k < len(r.frames); k++ {
		f := &r.frames[k]
		sub := r.rareAt(f.owner).sub
		present[k] = present[r.frameNo(f.owner)] && sub != nil && int(f.instance) < len(sub.frames) && sub.frames[f.instance] == int32(k)
	}
	return present
}

// carryOver keeps what an even earlier run has made of instances at which this run has not arrived: a
// later one does not repeat them either.
func (r *Run) carryOver(past Prior) {
	for path, p := range r.opt.Prior {
		if _, known := past[path]; known || r.mode != Resume {
			continue
		}
		if r.notReached(path) {
			past[path] = p
		}
	}
}

// notReached says whether a path leads into an instance that an earlier run has begun, and this one would
// still have gone on with.
func (r *Run) notReached(path string) bool {
	for at := 0; ; {
		end := strings.Index(path[at:], "]/")
		if end < 0 {
			return false
		}
		end += at
		open := strings.LastIndexByte(path[:end], '[')
		i, ok := r.indexOf(path[:max(open, 0)])
		number, err := strconv.Atoi(path[open+1 : end])
		if !ok || err != nil {
			return false
		}
		if x := r.rareAt(int32(i)); x == nil || x.sub == nil || number >= len(x.sub.frames) {
			return number < r.pastInstances(int32(i))
		}
		at = end + 1
	}
}

// LeavesOut says whether a path leads to a node that is not part of the run, in an instance that is: what an
// earlier run has made of it still holds. It does not if the instance is about another item now.
func (r *Run) LeavesOut(path string) bool {
	for at := 0; ; {
		end := strings.Index(path[at:], "]/")
		if end < 0 {
			_, ok := r.Index(path)
			return at > 0 && !ok
		}
		end += at
		open := strings.LastIndexByte(path[:end], '[')
		i, ok := r.indexOf(path[:max(open, 0)])
		if !ok {
			return at > 0
		}
		number, err := strconv.Atoi(path[open+1 : end])
		x := r.rareAt(int32(i))
		if err != nil || x == nil || x.sub == nil || number >= len(x.sub.frames) || !r.sameItem(i, number, x.sub.items) {
			return false
		}
		at = end + 2
	}
}

// sameItem says whether an instance of a sub-flow has the item that it had in an earlier run.
func (r *Run) sameItem(i, number int, items []any) bool {
	was := r.opt.Prior[r.Path(i)].Items
	if number >= len(items) || number >= len(was) {
		return len(items) == len(was)
	}
	return expression.Format(items[number]) == expression.Format(was[number])
}

// pastInstances is how many instances of the activation that a node is to go on with had begun in an
// earlier run; 0 if it does not go on.
func (r *Run) pastInstances(i int32) int {
	if p, yes := r.goesOn(i); yes {
		return p.Instances
	}
	n := &r.nodes[i]
	if p, known := r.opt.Prior[r.Path(int(i))]; known && n.activations == 0 && !n.decided && p.Status == n.status {
		return p.Instances
	}
	return 0
}

func (r *Run) pastOf(i int32) (p PriorNode, worth bool) {
	n, f := &r.nodes[i], r.frameOf(i)
	p = PriorNode{Status: n.status, Handled: n.handled, Reason: r.reasons[i]}
	x := r.rareAt(i)
	if x != nil && x.due {
		p.Due, worth = true, true
	} else if n.status == graph.Idle {
		return p, false
	}
	worth = worth || f.owner != noNode || f.lay.conditions != nil || x != nil
	p.Joined = x != nil && x.joined
	if n.decided {
		p.Marks = r.pastMarks(i)
	}
	if x != nil && x.over {
		last := x.last
		p.Exit, p.HasExit, p.Outputs, p.Mocked = last.exit, last.hasExit, last.outputs, last.mocked
		switch p.Reason {
		case ReasonInstances, ReasonLimit, ReasonExpression, ReasonRejected: // no record of an execution has it
			p.Message = last.message
		}
	} else if n.status == graph.Ran {
		p.HasExit = true
	}
	for _, l := range f.lay.out.of(i - f.node) {
		// Within a loop the present round counts, behind it any.
		if m := r.marks[f.edge+l]; m&everFired != 0 && (!f.lay.inLoop(l) || n.decided && m&latest != 0) {
			p.Fired = append(p.Fired, f.lay.keys[l])
		}
	}
	// Instances of an activation before the present one are nothing to go on with.
	if x != nil && x.sub != nil && x.sub.of == n.activations && n.status != graph.Idle {
		p.Instances, p.Items, p.Stopped = len(x.sub.frames), x.sub.items, x.sub.stopped
		p.Arrivals, p.Starts = r.pastArrivals(x.sub), x.sub.starts
		if x.sub.count > p.Instances {
			p.Planned = x.sub.count
		}
	}
	if instances := r.pastInstances(i); instances > p.Instances {
		p.Instances = instances
		if p.Items == nil {
			p.Items = r.opt.Prior[r.Path(int(i))].Items
		}
	}
	return p, worth
}

// pastMarks are the marks before a node that has decided: part of a next round, or what is left of one.
func (r *Run) pastMarks(i int32) (marks []PriorMark) {
	f := r.frameOf(i)
	for _, l := range f.lay.in.of(i - f.node) {
		if m := r.marks[f.edge+l].bears(); m != graph.Unmarked {
			marks = append(marks, PriorMark{f.lay.keys[l], f.lay.ids[f.lay.edges[l].source], m == graph.Dead})
		}
	}
	return marks
}

// recallInstances makes the instances of a sub-flow that is not repeated, so that they can be seen.
func (r *Run) recallInstances(i int32) {
	if r.subOf(i) == nil {
		return
	}
	p := r.opt.Prior[r.Path(int(i))]
	s := &instances{items: p.Items, count: p.Instances}
	r.setInstances(i, s)
	r.countInside(i)
	for range p.Instances {
		k := r.addInstance(i, s)
		r.frames[k].over = true
		r.arrivedBefore(k)
		r.takeStatuses(k)
		r.recallDecisions(k)
	}
}

// goesOn says whether a sub-flow goes on where an earlier run ended.
func (r *Run) goesOn(i int32) (p PriorNode, yes bool) {
	n := &r.nodes[i]
	if r.mode != Resume || n.cause != causeResume || n.activations != 1 {
		return p, false
	}
	if f := r.frameOf(i); f.owner != noNode && !r.recalledFrame(f) {
		return p, false
	}
	p, yes = r.opt.Prior[r.Path(int(i))]
	if r.opt.Repeat != nil {
		return p, yes && r.holdsAgain(i)
	}
	return p, yes && p.Status != graph.Ran && (p.Instances > 0 || p.Items != nil)
}

// recalled says whether an earlier run has begun an instance of the present activation.
func (r *Run) recalled(i, instance int32) bool {
	p, yes := r.goesOn(i)
	return yes && int(instance) < p.Instances
}

func (r *Run) recalledFrame(f *frame) bool { return r.recalled(f.owner, f.instance) }

// recallItems takes the items that an earlier run has found: they are found once.
func (r *Run) recallItems(i int32) {
	if p, yes := r.goesOn(i); yes && p.Items != nil && !r.hasItems(i) {
		r.setInstances(i, &instances{of: r.nodes[i].activations, items: p.Items, hasItems: true})
	}
}

// recallFrame goes on with an instance that an earlier run has begun. It returns false for others.
func (r *Run) recallFrame(k int32) bool {
	if !r.recalledFrame(&r.frames[k]) {
		return false
	}
	if r.frames[k].again {
		return false
	}
	r.takeStatuses(k)
	if r.opt.Repeat != nil {
		r.repeatFrame(k)
	} else {
		r.resume(k)
	}
	return true
}

// takeStatuses gives the nodes of an instance the statuses that they had.
func (r *Run) takeStatuses(k int32) {
	f := r.frames[k]
	for i := f.node; i < f.node+int32(len(f.lay.ids)); i++ {
		p, known := r.opt.Prior[r.Path(int(i))]
		if !known || p.Status == graph.Idle || p.Status == graph.Queued || r.opt.Repeat != nil && r.repeats(i) {
			continue
		}
		r.assume(i, p.Status)
		r.reasons[i] = p.Reason
		r.emit(Effect{Kind: NodeChanged, Node: int(i), Status: p.Status, Reason: p.Reason, Mocked: p.Mocked, Prior: true})
	}
}
