package scheduler

import (
	"wf/graph"
	"wf/scheduler/flow"
)

// Mode returns how the run began: Fresh or Resume.
func (q queries) Mode() Mode { return q.mode }

// MaxActivations is how often each node may be activated.
func (q queries) MaxActivations() int { return q.opt.MaxActivations }

// NodeCount returns the number of nodes so far.
func (q queries) NodeCount() int { return len(q.nodes) }

// Template returns the XML id of the node in the workfile: for a node in an instance, of the node that it
// is an instance of.
func (q queries) Template(node int) string {
	inst := q.instanceOf(nodeID(node))
	return inst.lay.ids[inst.local(nodeID(node))]
}

// Instance returns the sub-flow that contains a node and the number of its instance; ok is false for the
// outer flow.
func (q queries) Instance(node int) (subflow, instance int, ok bool) {
	inst := q.instanceOf(nodeID(node))
	return int(inst.owner), int(inst.number), inst.owner != noNode
}

// Instances returns the instances of the latest activation of a sub-flow: the nodes of the n-th one are
// first[n] and the following ones, Members(node) in number. items are the items of a foreach.
func (q queries) Instances(node int) (first []int, items []any) {
	s := q.subState(nodeID(node))
	for _, k := range s.instances {
		first = append(first, int(q.instances[k].node))
	}
	return first, s.items
}

// Items returns the items of the latest activation of a foreach.
func (q queries) Items(node int) []any { return q.subState(nodeID(node)).items }

// Planned returns how many instances the latest activation of a sub-flow is to have; 0 = its test decides.
func (q queries) Planned(node int) int { return max(q.subState(nodeID(node)).count, 0) }

// Once reports whether a node is another workfile that runs once: people name no instance of it.
func (q queries) Once(node int) bool {
	rules := q.rulesOf(nodeID(node))
	return rules != nil && rules.Sub != nil && rules.Sub.Once
}

// Members returns the number of nodes in each instance of a sub-flow; 0 for a command.
func (q queries) Members(node int) int {
	if sub := q.subOf(nodeID(node)); sub != nil {
		return len(sub.ids)
	}
	return 0
}

// EdgeCount returns the number of edges of the outer flow with both ends in scope.
func (q queries) EdgeCount() int { return len(q.outer.edges) }

// EdgeKey returns the graph.Edge.Key of an edge. Edges to and from a group have it in common.
func (q queries) EdgeKey(edge int) int {
	inst := q.instanceOfEdge(edgeID(edge))
	return inst.lay.keys[edgeID(edge)-inst.edge]
}

// EdgeEnds returns the nodes that an edge connects.
func (q queries) EdgeEnds(edge int) (source, target int) {
	inst := q.instanceOfEdge(edgeID(edge))
	l := localEdge(edgeID(edge) - inst.edge)
	return int(inst.source(l)), int(inst.target(l))
}

// DecidesEarly reports whether the join of a node may do without some of its edges.
func (why explanations) DecidesEarly(node int) bool {
	rules := why.rulesOf(nodeID(node))
	return rules != nil && (rules.Join > 0 || rules.JoinTimeout > 0)
}

// Mark returns the mark of an edge.
func (q queries) Mark(edge int) graph.Mark { return q.marks[edge].bears() }

// Taken reports whether an edge has fired in this run.
func (q queries) Taken(edge int) bool { return q.marks[edge]&everFired != 0 }

// Dead reports whether an edge has not fired and is known not to fire any more.
func (q queries) Dead(edge int) bool { return q.marks[edge]&(everFired|killed) == killed }

// Status returns the status of a node. Before Start it is the one that the graph had.
func (q queries) Status(node int) graph.Status { return q.nodes[node].status }

// Reason returns why a node is Failed. It is empty for other nodes, and for nodes that an earlier run left
// so.
func (q queries) Reason(node int) string { return q.reasons[node] }

// Handled reports whether a node is Failed and an edge has fired for that.
func (q queries) Handled(node int) bool { return q.nodes[node].handled }

// Waits returns what a queued node waits for, until when (nanoseconds since 1970; 0 = no end is known), and
// the question of an approval.
func (q queries) Waits(node int) (kind WaitKind, until int64, text string) {
	x := q.extrasOrZero(nodeID(node))
	return x.wait, x.until, x.text
}

// Attempt returns how often the present activation of a node has been repeated.
func (q queries) Attempt(node int) int { return q.extrasOrZero(nodeID(node)).attempt }

// Attempts returns how many attempts an activation of a node has.
func (q queries) Attempts(node int) int {
	if rules := q.rulesOf(nodeID(node)); rules != nil && rules.Retry != nil {
		return rules.Retry.Limit + 1
	}
	return 1
}

// Outputs returns the outputs of the last activation of a node. They must not be changed.
func (q queries) Outputs(node int) map[string]any {
	if x := q.extrasOrZero(nodeID(node)); x.over {
		return x.last.outputs
	}
	return nil
}

// Executions returns how many executions of a node were dispatched.
func (q queries) Executions(node int) int { return int(q.nodes[node].executions) }

// Wants reports whether an Execute effect still holds: the node is queued for this execution, which was not
// dispatched.
func (q queries) Wants(node, execution int) bool {
	n := &q.nodes[node]
	return n.status == graph.Queued && !n.dispatched && int(n.executions)+1 == execution && !q.waiting(nodeID(node))
}

// MayStop reports whether the stop_when of a sub-flow may still keep instances from starting.
func (q queries) MayStop(subflow int) bool {
	s, sub := q.subState(nodeID(subflow)), q.rulesOf(nodeID(subflow)).Sub
	return sub.StopWhen != nil && sub.Parallel > 0 && !s.stopped && sub.Parallel < s.count
}

// StoppedWhen reports whether the stop_when of a sub-flow was true. in is a node of the instance after
// which it was, -1 if that was in an earlier run.
func (q queries) StoppedWhen(node int) (in int, stopped bool) {
	s := q.subState(nodeID(node))
	if at := int(s.stoppedBy); s.stopped && at > 0 && at <= len(s.instances) {
		return int(q.instances[s.instances[at-1]].node), true
	}
	return -1, s.stopped
}

// Ended reports that the Ended effect was emitted.
func (q queries) Ended() bool { return q.ended }

// LoopOf returns the nodes of the loop that the node is part of: its strongly connected component
// in its flow, in file order. A node outside any loop is alone.
func (why explanations) LoopOf(node int) []int {
	inst := why.instanceOf(nodeID(node))
	var loop []int
	for v, c := range inst.lay.component {
		if c == inst.lay.component[inst.local(nodeID(node))] {
			loop = append(loop, int(inst.node)+v)
		}
	}
	return loop
}

// Expired reports that a node was asked to end because of its timeout.
func (q queries) Expired(node int) bool { return q.extrasOrZero(nodeID(node)).expired }

// InstanceFailed reports whether the n-th instance of a sub-flow has a failure that nothing handled, or was
// cut short.
func (q queries) InstanceFailed(subflow, instance int) bool {
	inst := &q.instances[q.extrasOf(nodeID(subflow)).sub.instances[instance]]
	return inst.unhandled > 0 || inst.over && inst.cut
}

// Fired returns the out-edges of a node that have fired in this run, in file order.
func (why explanations) Fired(node int) []int {
	inst := why.instanceOf(nodeID(node))
	var fired []int
	for _, l := range inst.out(nodeID(node)) {
		if j := inst.edgeID(l); why.marks[j]&everFired != 0 {
			fired = append(fired, int(j))
		}
	}
	return fired
}

// Exit returns the exit code with which the last activation of a node ended; 0 if there is none.
func (q queries) Exit(node int) int {
	if x := q.extrasOrZero(nodeID(node)); x.over {
		return x.last.exit
	}
	return 0
}

// Pools returns the pool units that a node needs while it executes. The caller must not change them.
func (q queries) Pools(node int) []flow.PoolUse {
	if rules := q.rulesOf(nodeID(node)); rules != nil {
		return rules.Pool
	}
	return nil
}

// Kept reports whether a node has succeeded, or failed with its failure handled, before this run, and was
// not activated in it.
func (q queries) Kept(node int) bool {
	n := &q.nodes[node]
	return n.activations == 0 && (n.status == graph.Ran || n.status == graph.Failed && n.handled) && n.executions == 0
}

// Current reports for each node whether it belongs to the latest activation of the sub-flow that it lies
// in: only such nodes have a path.
func (q queries) Current() []bool {
	nodes, frames := make([]bool, len(q.nodes)), q.current()
	for i := range nodes {
		nodes[i] = frames[q.instanceNo(nodeID(i))]
	}
	return nodes
}

// Mocked returns the mock of a node; ok is false if the node is executed.
func (q queries) Mocked(node int) (m Mock, ok bool) { return q.mockOf(nodeID(node)) }

// Open reports whether a node of a dry run is in a sub-flow with a still unknown number of instances.
func (q queries) Open(node int) bool {
	for k := q.instanceNo(nodeID(node)); k > 0 && q.dry != nil; k = q.instanceNo(q.instances[k].owner) {
		if q.dry.open[q.instances[k].owner] {
			return true
		}
	}
	return false
}
