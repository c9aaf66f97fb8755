package scheduler

import "wf/graph"

// Mode returns how the run began: Fresh or Resume.
func (r *Run) Mode() Mode { return r.mode }

// NodeCount returns the number of nodes in scope.
func (r *Run) NodeCount() int { return len(r.ids) }

// NodeID returns the XML id of a node.
func (r *Run) NodeID(node int) string { return r.ids[node] }

// Index returns the node with the XML id; ok is false if it is not in scope.
func (r *Run) Index(id string) (node int, ok bool) {
	if r.index == nil {
		r.index = make(map[string]int32, len(r.ids))
		for i, id := range r.ids {
			r.index[id] = int32(i)
		}
	}
	i, ok := r.index[id]
	return int(i), ok
}

// EdgeCount returns the number of edges with both ends in scope.
func (r *Run) EdgeCount() int { return len(r.edges) }

// EdgeKey returns the graph.Edge.Key of an edge.
func (r *Run) EdgeKey(edge int) int { return r.keys[edge] }

// EdgeEnds returns the nodes that an edge connects.
func (r *Run) EdgeEnds(edge int) (source, target int) {
	return int(r.edges[edge].source), int(r.edges[edge].target)
}

// Marked says whether an edge bears a token.
func (r *Run) Marked(edge int) bool { return r.marked[edge] }

// Status returns the status of a node. Before Begin it is the one that the graph had.
func (r *Run) Status(node int) graph.Status { return r.nodes[node].status }

// Reason returns why a node is Failed. It is empty for other nodes, and in a resume for those
// that an earlier run left so.
func (r *Run) Reason(node int) string { return r.reasons[node] }

// Executions returns how many executions of a node were dispatched.
func (r *Run) Executions(node int) int { return int(r.nodes[node].executions) }

// Wants says whether an Execute effect still holds: the node is queued for just this execution,
// which was not dispatched.
func (r *Run) Wants(node, execution int) bool {
	n := &r.nodes[node]
	return n.status == graph.Queued && !n.handed && int(n.executions)+1 == execution
}

// Counts is the number of nodes in scope by status.
type Counts struct{ Idle, Queued, Running, Ran, Failed int }

// Counts returns how many nodes have which status.
func (r *Run) Counts() Counts {
	c := &r.counts
	return Counts{c[graph.Idle], c[graph.Queued], c[graph.Running], c[graph.Ran], c[graph.Failed]}
}

// Stopping says that nothing new will start, because of Stop or FailFast.
func (r *Run) Stopping() bool { return r.halted }

// Ended says that the Ended effect was given.
func (r *Run) Ended() bool { return r.ended }

// LoopOf returns the nodes of the loop that the node is part of: its strongly connected component
// in the scope, in file order. A node outside any loop is alone.
func (r *Run) LoopOf(node int) []int {
	var loop []int
	for i, c := range r.component {
		if c == r.component[node] {
			loop = append(loop, i)
		}
	}
	return loop
}
