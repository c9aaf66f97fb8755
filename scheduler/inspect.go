package scheduler

import (
	"strconv"
	"strings"

	"wf/graph"
	"wf/scheduler/flow"
)

// Mode returns how the run began: Fresh or Resume.
func (r *Run) Mode() Mode { return r.mode }

// MaxActivations is how often each node may be activated.
func (r *Run) MaxActivations() int { return r.opt.MaxActivations }

// NodeCount returns the number of nodes so far.
func (r *Run) NodeCount() int { return len(r.nodes) }

// Path returns the XML id of a node of the outer flow, and the path of one in an instance of a
// sub-flow: align[3]/trim.
func (r *Run) Path(node int) string {
	i := int32(node)
	if f := r.frameOf(i); f.owner == noNode {
		return f.lay.ids[node]
	}
	return r.name(i)
}

// name is how people call a node. It is the path of one in an instance.
func (r *Run) name(i int32) string {
	f := r.frameOf(i)
	local := f.lay.ids[i-f.node]
	if f.lay.names != nil {
		local = f.lay.names[i-f.node]
	}
	if f.owner == noNode {
		return local
	}
	return r.name(f.owner) + "[" + strconv.Itoa(int(f.instance)) + "]/" + local
}

// Template returns the XML id of the node of the workfile that a node is, or is an instance of.
func (r *Run) Template(node int) string {
	f := r.frameOf(int32(node))
	return f.lay.ids[int32(node)-f.node]
}

// Instance says of which instance of which sub-flow a node is part; ok is false for the outer flow.
func (r *Run) Instance(node int) (subflow, instance int, ok bool) {
	f := r.frameOf(int32(node))
	return int(f.owner), int(f.instance), f.owner != noNode
}

// Instances returns the instances of the latest activation of a sub-flow: the nodes of the n-th one are
// those from first[n] on, Members(node) in number. Items are what they are about, if it is a foreach.
func (r *Run) Instances(node int) (first []int, items []any) {
	x := r.rareAt(int32(node))
	if x == nil || x.sub == nil {
		return nil, nil
	}
	for _, k := range x.sub.frames {
		first = append(first, int(r.frames[k].node))
	}
	return first, x.sub.items
}

// Items are what the instances of the latest activation of a sub-flow are about, if it is a foreach.
func (r *Run) Items(node int) []any {
	if x := r.rareAt(int32(node)); x != nil && x.sub != nil {
		return x.sub.items
	}
	return nil
}

// Planned is how many instances the latest activation of a sub-flow is to have; 0 = its test says.
func (r *Run) Planned(node int) int {
	if x := r.rareAt(int32(node)); x != nil && x.sub != nil {
		return max(x.sub.count, 0)
	}
	return 0
}

// Members is the number of nodes in each instance of a sub-flow; 0 for a command.
func (r *Run) Members(node int) int {
	if sub := r.subOf(int32(node)); sub != nil {
		return len(sub.ids)
	}
	return 0
}

// Index returns the node with the XML id or the path; ok is false if the run has none.
func (r *Run) Index(id string) (node int, ok bool) {
	if r.index == nil {
		r.index = make(map[string]int32, len(r.outer.ids))
		for i, id := range r.outer.ids {
			r.index[id] = int32(i)
		}
	}
	if i, ok := r.index[id]; ok {
		return int(i), true
	}
	if r.opt.Flow == nil {
		return 0, false
	}
	return r.follow(id)
}

// follow finds the node at the end of a path: that of an instance, a slash, and a local name.
func (r *Run) follow(path string) (node int, ok bool) {
	cut := strings.LastIndex(path, "]/")
	open := strings.LastIndexByte(path[:max(cut, 0)], '[')
	if open < 0 {
		return 0, false
	}
	owner, ok := r.indexOf(path[:open])
	number, err := strconv.Atoi(path[open+1 : cut])
	x := (*rare)(nil)
	if ok {
		x = r.rareAt(int32(owner))
	}
	if err != nil || x == nil || x.sub == nil || number < 0 || number >= len(x.sub.frames) {
		return 0, false
	}
	f := &r.frames[x.sub.frames[number]]
	for v, name := range f.lay.names {
		if name == path[cut+2:] || f.lay.ids[v] == path[cut+2:] {
			return int(f.node) + v, true
		}
	}
	return 0, false
}

// indexOf finds a sub-flow by the beginning of a path, in which nodes of the outer flow have their local
// names.
func (r *Run) indexOf(path string) (node int, ok bool) {
	if strings.Contains(path, "]/") {
		return r.Index(path)
	}
	if r.local == nil {
		r.local = make(map[string]int32, len(r.outer.names))
		for v, name := range r.outer.names {
			r.local[name] = int32(v)
		}
	}
	if v, ok := r.local[path]; ok {
		return int(v), true
	}
	return r.Index(path)
}

// EdgeCount returns the number of edges of the outer flow with both ends in scope.
func (r *Run) EdgeCount() int { return len(r.outer.edges) }

// EdgeKey returns the graph.Edge.Key of an edge. Edges to and from a group have it in common.
func (r *Run) EdgeKey(edge int) int {
	f := r.frameOfEdge(int32(edge))
	return f.lay.keys[int32(edge)-f.edge]
}

// EdgeEnds returns the nodes that an edge connects.
func (r *Run) EdgeEnds(edge int) (source, target int) {
	e := r.edgeAt(int32(edge))
	return int(e.source), int(e.target)
}

// DecidesEarly says whether the join of a node may do without some of the edges to it.
func (r *Run) DecidesEarly(node int) bool {
	rules := r.rulesOf(int32(node))
	return rules != nil && (rules.Join > 0 || rules.JoinTimeout > 0)
}

// Mark says what an edge bears.
func (r *Run) Mark(edge int) graph.Mark { return r.marks[edge].bears() }

// Taken says whether an edge has fired in this run, and Dead whether it is known that it will not.
func (r *Run) Taken(edge int) bool { return r.marks[edge]&everFired != 0 }

// Dead says whether the source of an edge has decided that this is not the way.
func (r *Run) Dead(edge int) bool { return r.marks[edge]&(everFired|killed) == killed }

// Status returns the status of a node. Before Start it is the one that the graph had.
func (r *Run) Status(node int) graph.Status { return r.nodes[node].status }

// Reason returns why a node is Failed. It is empty for other nodes, and in a resume for those
// that an earlier run left so.
func (r *Run) Reason(node int) string { return r.reasons[node] }

// Handled says whether a node is Failed and an edge has fired for that.
func (r *Run) Handled(node int) bool { return r.nodes[node].handled }

// Waits says what a queued node waits for, until when (nanoseconds since 1970; 0 = no end is known),
// and what a person is asked.
func (r *Run) Waits(node int) (kind WaitKind, until int64, text string) {
	if x := r.rareAt(int32(node)); x != nil {
		return x.wait, x.until, x.text
	}
	return WaitNone, 0, ""
}

// Attempt returns how often the present activation of a node has been repeated.
func (r *Run) Attempt(node int) int {
	if x := r.rareAt(int32(node)); x != nil {
		return x.attempt
	}
	return 0
}

// Attempts returns how many attempts an activation of a node has.
func (r *Run) Attempts(node int) int {
	if rules := r.rulesOf(int32(node)); rules != nil && rules.Retry != nil {
		return rules.Retry.Limit + 1
	}
	return 1
}

// Outputs returns the outputs of the last activation of a node. They must not be changed.
func (r *Run) Outputs(node int) map[string]any {
	if x := r.rareAt(int32(node)); x != nil && x.over {
		return x.last.outputs
	}
	return nil
}

// Executions returns how many executions of a node were dispatched.
func (r *Run) Executions(node int) int { return int(r.nodes[node].executions) }

// Wants says whether an Execute effect still holds: the node is queued for just this execution,
// which was not dispatched.
func (r *Run) Wants(node, execution int) bool {
	n := &r.nodes[node]
	return n.status == graph.Queued && !n.handed && int(n.executions)+1 == execution && !r.waiting(int32(node))
}

// Counts is the number of nodes by status.
type Counts struct{ Idle, Queued, Running, Ran, Failed, Skipped int }

// Counts returns how many nodes have which status.
func (r *Run) Counts() Counts {
	c := &r.counts
	return Counts{c[graph.Idle], c[graph.Queued], c[graph.Running], c[graph.Ran], c[graph.Failed], c[graph.Skipped]}
}

// MayStop says whether the stop_when of a sub-flow may still keep instances from beginning.
func (r *Run) MayStop(subflow int) bool {
	x, sub := r.rareAt(int32(subflow)), r.rulesOf(int32(subflow)).Sub
	return sub.StopWhen != nil && sub.Parallel > 0 && x != nil && x.sub != nil && !x.sub.stopped && sub.Parallel < x.sub.count
}

// StoppedWhen says whether the stop_when of a sub-flow was true, and in which node's instance: one of those of
// the instance that ended then, -1 if that was in an earlier run.
func (r *Run) StoppedWhen(node int) (in int, stopped bool) {
	x := r.rareAt(int32(node))
	if x == nil || x.sub == nil || !x.sub.stopped {
		return -1, false
	}
	if at := int(x.sub.stoppedBy); at > 0 && at <= len(x.sub.frames) {
		return int(r.frames[x.sub.frames[at-1]].node), true
	}
	return -1, true
}

// Stopping says that nothing new will start, because of Stop or FailFast.
func (r *Run) Stopping() bool { return r.halted }

// Ended says that the Ended effect was given.
func (r *Run) Ended() bool { return r.ended }

// LoopOf returns the nodes of the loop that the node is part of: its strongly connected component
// in its flow, in file order. A node outside any loop is alone.
func (r *Run) LoopOf(node int) []int {
	f := r.frameOf(int32(node))
	var loop []int
	for v, c := range f.lay.component {
		if c == f.lay.component[int32(node)-f.node] {
			loop = append(loop, int(f.node)+v)
		}
	}
	return loop
}

// Expired says that a node was asked to end because its time was up.
func (r *Run) Expired(node int) bool {
	x := r.rareAt(int32(node))
	return x != nil && x.expired
}

// ApprovesByDefault says what the end of the time means that a person has for an answer.
func (r *Run) ApprovesByDefault(node int) bool {
	rules := r.rulesOf(int32(node))
	return rules != nil && rules.ApproveDefault
}

// InstancePath is the path of the n-th instance of a sub-flow: align[3].
func (r *Run) InstancePath(subflow, instance int) string {
	return r.name(int32(subflow)) + "[" + strconv.Itoa(instance) + "]"
}

// InstanceFailed says whether the n-th instance of a sub-flow has a failure that nothing handled, or was
// cut short.
func (r *Run) InstanceFailed(subflow, instance int) bool {
	f := &r.frames[r.rareAt(int32(subflow)).sub.frames[instance]]
	return f.unhandled > 0 || f.over && f.cut
}

// Fired returns the out-edges of a node that have fired in this run, in file order.
func (r *Run) Fired(node int) []int {
	f := r.frameOf(int32(node))
	var fired []int
	for _, l := range f.lay.out.of(int32(node) - f.node) {
		if j := f.edge + l; r.marks[j]&everFired != 0 {
			fired = append(fired, int(j))
		}
	}
	return fired
}

// Exit returns the exit code with which the last activation of a node ended; 0 if there is none.
func (r *Run) Exit(node int) int {
	if x := r.rareAt(int32(node)); x != nil && x.over {
		return x.last.exit
	}
	return 0
}

// Pools returns what a node needs units of while it executes. It must not be changed.
func (r *Run) Pools(node int) []flow.PoolUse {
	if rules := r.rulesOf(int32(node)); rules != nil {
		return rules.Pool
	}
	return nil
}

// Kept says whether a node has succeeded, or failed in a way that an edge has handled, before this run, and
// was not activated in it.
func (r *Run) Kept(node int) bool {
	n := &r.nodes[node]
	return n.activations == 0 && (n.status == graph.Ran || n.status == graph.Failed && n.handled) && n.executions == 0
}

// Current says which nodes are of the latest activation of the sub-flow that they lie in: only these have a path.
func (r *Run) Current() []bool {
	nodes, frames := make([]bool, len(r.nodes)), r.present()
	for i := range nodes {
		nodes[i] = frames[r.frameNo(int32(i))]
	}
	return nodes
}

// Mocked returns how a node ends that is not executed; ok is false for one that is.
func (r *Run) Mocked(node int) (m Mock, ok bool) { return r.mockOf(int32(node)) }

// Open says of a node in a dry run that it lies in a sub-flow of which nobody knows yet how many instances it
// will have.
func (r *Run) Open(node int) bool {
	for k := r.frameNo(int32(node)); k > 0 && r.dry != nil; k = r.frameNo(r.frames[k].owner) {
		if r.dry.open[r.frames[k].owner] {
			return true
		}
	}
	return false
}
