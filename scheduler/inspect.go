package scheduler

import (
	"strconv"
	"strings"

	"wf/graph"
	"wf/scheduler/flow"
)

// Mode returns how the run began: Fresh or Resume.
func (q queries) Mode() Mode { return q.mode }

// MaxActivations is how often each node may be activated.
func (q queries) MaxActivations() int { return q.opt.MaxActivations }

// NodeCount returns the number of nodes so far.
func (q queries) NodeCount() int { return len(q.nodes) }

// Path returns the XML id of a node of the outer flow, and the path of one in an instance of a
// sub-flow: align[3]/trim.
func (st *state) Path(node int) string {
	i := int32(node)
	if inst := st.instanceOf(i); inst.owner == noNode {
		return inst.lay.ids[node]
	}
	return st.name(i)
}

// name is how people call a node. It is the path of one in an instance.
func (st *state) name(i int32) string {
	inst := st.instanceOf(i)
	local := inst.lay.ids[i-inst.node]
	if inst.lay.names != nil {
		local = inst.lay.names[i-inst.node]
	}
	if inst.owner == noNode {
		return local
	}
	return st.name(inst.owner) + "[" + strconv.Itoa(int(inst.number)) + "]/" + local
}

// Template returns the XML id of the node of the workfile that a node is, or is an instance of.
func (q queries) Template(node int) string {
	inst := q.instanceOf(int32(node))
	return inst.lay.ids[int32(node)-inst.node]
}

// Instance says of which instance of which sub-flow a node is part; ok is false for the outer flow.
func (q queries) Instance(node int) (subflow, instance int, ok bool) {
	inst := q.instanceOf(int32(node))
	return int(inst.owner), int(inst.number), inst.owner != noNode
}

// Instances returns the instances of the latest activation of a sub-flow: the nodes of the n-th one are
// those from first[n] on, Members(node) in number. Items are what they are about, if it is a foreach.
func (q queries) Instances(node int) (first []int, items []any) {
	x := q.extrasOf(int32(node))
	if x == nil || x.sub == nil {
		return nil, nil
	}
	for _, k := range x.sub.instances {
		first = append(first, int(q.instances[k].node))
	}
	return first, x.sub.items
}

// Items are what the instances of the latest activation of a sub-flow are about, if it is a foreach.
func (q queries) Items(node int) []any {
	if x := q.extrasOf(int32(node)); x != nil && x.sub != nil {
		return x.sub.items
	}
	return nil
}

// Planned is how many instances the latest activation of a sub-flow is to have; 0 = its test says.
func (q queries) Planned(node int) int {
	if x := q.extrasOf(int32(node)); x != nil && x.sub != nil {
		return max(x.sub.count, 0)
	}
	return 0
}

// Members is the number of nodes in each instance of a sub-flow; 0 for a command.
func (q queries) Members(node int) int {
	if sub := q.subOf(int32(node)); sub != nil {
		return len(sub.ids)
	}
	return 0
}

// Index returns the node with the XML id or the path; ok is false if the run has none.
func (st *state) Index(id string) (node int, ok bool) {
	if st.index == nil {
		st.index = make(map[string]int32, len(st.outer.ids))
		for i, id := range st.outer.ids {
			st.index[id] = int32(i)
		}
	}
	if i, ok := st.index[id]; ok {
		return int(i), true
	}
	if st.opt.Flow == nil {
		return 0, false
	}
	return st.follow(id)
}

// follow finds the node at the end of a path: that of an instance, a slash, and a local name.
func (st *state) follow(path string) (node int, ok bool) {
	cut := strings.LastIndex(path, "]/")
	open := strings.LastIndexByte(path[:max(cut, 0)], '[')
	if open < 0 {
		return 0, false
	}
	owner, ok := st.indexOf(path[:open])
	number, err := strconv.Atoi(path[open+1 : cut])
	x := (*extras)(nil)
	if ok {
		x = st.extrasOf(int32(owner))
	}
	if err != nil || x == nil || x.sub == nil || number < 0 || number >= len(x.sub.instances) {
		return 0, false
	}
	inst := &st.instances[x.sub.instances[number]]
	for v, name := range inst.lay.names {
		if name == path[cut+2:] || inst.lay.ids[v] == path[cut+2:] {
			return int(inst.node) + v, true
		}
	}
	return 0, false
}

// indexOf finds a sub-flow by the beginning of a path, in which nodes of the outer flow have their local
// names.
func (st *state) indexOf(path string) (node int, ok bool) {
	if strings.Contains(path, "]/") {
		return st.Index(path)
	}
	if st.local == nil {
		st.local = make(map[string]int32, len(st.outer.names))
		for v, name := range st.outer.names {
			st.local[name] = int32(v)
		}
	}
	if v, ok := st.local[path]; ok {
		return int(v), true
	}
	return st.Index(path)
}

// EdgeCount returns the number of edges of the outer flow with both ends in scope.
func (q queries) EdgeCount() int { return len(q.outer.edges) }

// EdgeKey returns the graph.Edge.Key of an edge. Edges to and from a group have it in common.
func (q queries) EdgeKey(edge int) int {
	inst := q.instanceOfEdge(int32(edge))
	return inst.lay.keys[int32(edge)-inst.edge]
}

// EdgeEnds returns the nodes that an edge connects.
func (q queries) EdgeEnds(edge int) (source, target int) {
	e := q.edgeAt(int32(edge))
	return int(e.source), int(e.target)
}

// DecidesEarly says whether the join of a node may do without some of the edges to it.
func (why explanations) DecidesEarly(node int) bool {
	rules := why.rulesOf(int32(node))
	return rules != nil && (rules.Join > 0 || rules.JoinTimeout > 0)
}

// Mark says what an edge bears.
func (q queries) Mark(edge int) graph.Mark { return q.marks[edge].bears() }

// Taken says whether an edge has fired in this run, and Dead whether it is known that it will not.
func (q queries) Taken(edge int) bool { return q.marks[edge]&everFired != 0 }

// Dead says whether the source of an edge has decided that this is not the way.
func (q queries) Dead(edge int) bool { return q.marks[edge]&(everFired|killed) == killed }

// Status returns the status of a node. Before Start it is the one that the graph had.
func (q queries) Status(node int) graph.Status { return q.nodes[node].status }

// Reason returns why a node is Failed. It is empty for other nodes, and in a resume for those
// that an earlier run left so.
func (q queries) Reason(node int) string { return q.reasons[node] }

// Handled says whether a node is Failed and an edge has fired for that.
func (q queries) Handled(node int) bool { return q.nodes[node].handled }

// Waits says what a queued node waits for, until when (nanoseconds since 1970; 0 = no end is known),
// and what a person is asked.
func (q queries) Waits(node int) (kind WaitKind, until int64, text string) {
	if x := q.extrasOf(int32(node)); x != nil {
		return x.wait, x.until, x.text
	}
	return WaitNone, 0, ""
}

// Attempt returns how often the present activation of a node has been repeated.
func (q queries) Attempt(node int) int {
	if x := q.extrasOf(int32(node)); x != nil {
		return x.attempt
	}
	return 0
}

// Attempts returns how many attempts an activation of a node has.
func (q queries) Attempts(node int) int {
	if rules := q.rulesOf(int32(node)); rules != nil && rules.Retry != nil {
		return rules.Retry.Limit + 1
	}
	return 1
}

// Outputs returns the outputs of the last activation of a node. They must not be changed.
func (q queries) Outputs(node int) map[string]any {
	if x := q.extrasOf(int32(node)); x != nil && x.over {
		return x.last.outputs
	}
	return nil
}

// Executions returns how many executions of a node were dispatched.
func (q queries) Executions(node int) int { return int(q.nodes[node].executions) }

// Wants says whether an Execute effect still holds: the node is queued for just this execution,
// which was not dispatched.
func (q queries) Wants(node, execution int) bool {
	n := &q.nodes[node]
	return n.status == graph.Queued && !n.dispatched && int(n.executions)+1 == execution && !q.waiting(int32(node))
}

// Counts is the number of nodes by status.
type Counts struct{ Idle, Queued, Running, Ran, Failed, Skipped int }

// Counts returns how many nodes have which status.
func (q queries) Counts() Counts {
	c := &q.counts
	return Counts{c[graph.Idle], c[graph.Queued], c[graph.Running], c[graph.Ran], c[graph.Failed], c[graph.Skipped]}
}

// MayStop says whether the stop_when of a sub-flow may still keep instances from beginning.
func (q queries) MayStop(subflow int) bool {
	x, sub := q.extrasOf(int32(subflow)), q.rulesOf(int32(subflow)).Sub
	return sub.StopWhen != nil && sub.Parallel > 0 && x != nil && x.sub != nil && !x.sub.stopped && sub.Parallel < x.sub.count
}

// StoppedWhen says whether the stop_when of a sub-flow was true, and in which node's instance: one of those of
// the instance that ended then, -1 if that was in an earlier run.
func (q queries) StoppedWhen(node int) (in int, stopped bool) {
	x := q.extrasOf(int32(node))
	if x == nil || x.sub == nil || !x.sub.stopped {
		return -1, false
	}
	if at := int(x.sub.stoppedBy); at > 0 && at <= len(x.sub.instances) {
		return int(q.instances[x.sub.instances[at-1]].node), true
	}
	return -1, true
}

// Stopping says that nothing new will start, because of Stop or FailFast.
func (q queries) Stopping() bool { return q.halted }

// Ended says that the Ended effect was given.
func (q queries) Ended() bool { return q.ended }

// LoopOf returns the nodes of the loop that the node is part of: its strongly connected component
// in its flow, in file order. A node outside any loop is alone.
func (why explanations) LoopOf(node int) []int {
	inst := why.instanceOf(int32(node))
	var loop []int
	for v, c := range inst.lay.component {
		if c == inst.lay.component[int32(node)-inst.node] {
			loop = append(loop, int(inst.node)+v)
		}
	}
	return loop
}

// Expired says that a node was asked to end because its time was up.
func (q queries) Expired(node int) bool {
	x := q.extrasOf(int32(node))
	return x != nil && x.expired
}

// ApprovesByDefault says what the end of the time means that a person has for an answer.
func (q queries) ApprovesByDefault(node int) bool {
	rules := q.rulesOf(int32(node))
	return rules != nil && rules.ApproveDefault
}

// InstancePath is the path of the n-th instance of a sub-flow: align[3].
func (q queries) InstancePath(subflow, instance int) string {
	return q.name(int32(subflow)) + "[" + strconv.Itoa(instance) + "]"
}

// InstanceFailed says whether the n-th instance of a sub-flow has a failure that nothing handled, or was
// cut short.
func (q queries) InstanceFailed(subflow, instance int) bool {
	inst := &q.instances[q.extrasOf(int32(subflow)).sub.instances[instance]]
	return inst.unhandled > 0 || inst.over && inst.cut
}

// Fired returns the out-edges of a node that have fired in this run, in file order.
func (why explanations) Fired(node int) []int {
	inst := why.instanceOf(int32(node))
	var fired []int
	for _, l := range inst.lay.out.of(int32(node) - inst.node) {
		if j := inst.edge + l; why.marks[j]&everFired != 0 {
			fired = append(fired, int(j))
		}
	}
	return fired
}

// Exit returns the exit code with which the last activation of a node ended; 0 if there is none.
func (q queries) Exit(node int) int {
	if x := q.extrasOf(int32(node)); x != nil && x.over {
		return x.last.exit
	}
	return 0
}

// Pools returns what a node needs units of while it executes. It must not be changed.
func (q queries) Pools(node int) []flow.PoolUse {
	if rules := q.rulesOf(int32(node)); rules != nil {
		return rules.Pool
	}
	return nil
}

// Kept says whether a node has succeeded, or failed in a way that an edge has handled, before this run, and
// was not activated in it.
func (q queries) Kept(node int) bool {
	n := &q.nodes[node]
	return n.activations == 0 && (n.status == graph.Ran || n.status == graph.Failed && n.handled) && n.executions == 0
}

// Current says which nodes are of the latest activation of the sub-flow that they lie in: only these have a path.
func (q queries) Current() []bool {
	nodes, frames := make([]bool, len(q.nodes)), q.current()
	for i := range nodes {
		nodes[i] = frames[q.instanceNo(int32(i))]
	}
	return nodes
}

// Mocked returns how a node ends that is not executed; ok is false for one that is.
func (q queries) Mocked(node int) (m Mock, ok bool) { return q.mockOf(int32(node)) }

// Open says of a node in a dry run that it lies in a sub-flow of which nobody knows yet how many instances it
// will have.
func (q queries) Open(node int) bool {
	for k := q.instanceNo(int32(node)); k > 0 && q.dry != nil; k = q.instanceNo(q.instances[k].owner) {
		if q.dry.open[q.instances[k].owner] {
			return true
		}
	}
	return false
}
