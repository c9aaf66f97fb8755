package scheduler

import "wf/graph"

// An Explanation is what a run knows about the state of a node.
type Explanation struct {
	Status      graph.Status
	Reason      string // of Failed
	Activations int    // accepted so far
	Executions  int    // dispatched so far
	Pending     int    // activations that wait for the present one
	Cause       Cause  // of the latest activation

	// Blocking in-edges in scope, in file order: those that bear a token, those that are dead, and those
	// that the node still waits for.
	Have, Dead, Lack []int
	// Upstream is failed nodes that keep an idle node from running, nearest first.
	Upstream []int
}

// Cause says why a node was activated.
type Cause struct {
	Kind CauseKind
	// Edges is what led to it: the edges whose tokens were consumed. Empty for start nodes.
	Edges []int
}

// CauseKind says what activated a node.
type CauseKind uint8

// The kinds of causes.
const (
	CauseNone    CauseKind = iota // it was not activated in this run
	CauseStart                    // nothing in the scope leads to it
	CauseResume                   // it had failed or was not reached, and could go on
	CauseJoin                     // all its blocking in-edges had a token
	CauseTrigger                  // a non-blocking edge
)

// Explain tells why a node is as it is.
func (r *Run) Explain(node int) Explanation {
	n := &r.nodes[node]
	ex := Explanation{
		Status: n.status, Reason: r.reasons[node],
		Activations: int(n.activations), Executions: int(n.executions), Pending: int(n.pending),
		Cause: r.cause(node),
	}
	f := r.frameOf(int32(node))
	for _, l := range f.lay.in.of(int32(node) - f.node) {
		j := int(f.edge + l)
		switch m := r.marks[j]; {
		case m.bears() == graph.ToRun:
			ex.Have = append(ex.Have, j)
		case m.bears() == graph.Dead, n.status == graph.Skipped && m&killed != 0:
			ex.Dead = append(ex.Dead, j)
		default:
			ex.Lack = append(ex.Lack, j)
		}
	}
	if n.status == graph.Idle {
		ex.Upstream = r.upstream(int32(node))
	}
	return ex
}

func (r *Run) cause(node int) Cause {
	switch cause := r.nodes[node].cause; cause {
	case causeNone:
		return Cause{Kind: CauseNone}
	case causeStart:
		return Cause{Kind: CauseStart}
	case causeResume:
		return Cause{Kind: CauseResume, Edges: r.joined(node)}
	case causeJoin:
		return Cause{Kind: CauseJoin, Edges: r.joined(node)}
	default:
		return Cause{Kind: CauseTrigger, Edges: []int{int(cause)}}
	}
}

// joined returns the edges whose tokens a join consumes.
func (r *Run) joined(node int) []int {
	var edges []int
	f := r.frameOf(int32(node))
	for _, l := range f.lay.in.of(int32(node) - f.node) {
		if j := f.edge + l; f.lay.conditions == nil || r.marks[j]&everFired != 0 {
			edges = append(edges, int(j))
		}
	}
	return edges
}

// upstream searches backwards through nodes that are idle themselves.
func (r *Run) upstream(node int32) []int {
	f := r.frameOf(node)
	in := f.lay.lists(func(e edge) (int32, bool) { return e.target, true })
	var failed []int
	seen := make([]bool, len(f.lay.ids))
	seen[node-f.node] = true
	for queue := []int32{node - f.node}; len(queue) > 0; queue = queue[1:] {
		for _, l := range in.of(queue[0]) {
			v := f.lay.edges[l].source
			if r.marks[f.edge+l].bears() != graph.Unmarked || seen[v] {
				continue
			}
			seen[v] = true
			switch source := &r.nodes[f.node+v]; {
			case source.status == graph.Failed && !source.handled:
				failed = append(failed, int(f.node+v))
			case source.status == graph.Idle:
				queue = append(queue, v)
			}
		}
	}
	return failed
}

// Blocked says for each node whether it is idle because something upstream of it failed. What lies
// behind a cancelled node is not blocked: it was not started, and a resume goes on with both.
func (r *Run) Blocked() []bool {
	blocked := make([]bool, len(r.nodes))
	passed := make(map[int32]bool) // nodes that have executed, and do not again
	var queue []int32
	for i := range r.nodes {
		if n := &r.nodes[i]; n.status == graph.Failed && !n.handled && r.reasons[i] != ReasonCancelled {
			queue = append(queue, int32(i))
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		f := r.frameOf(queue[0])
		for _, l := range f.lay.out.of(queue[0] - f.node) {
			target := f.node + f.lay.edges[l].target
			switch n := &r.nodes[target]; {
			case n.status == graph.Idle:
				if r.marks[f.edge+l].bears() == graph.Unmarked && !blocked[target] {
					blocked[target] = true
					queue = append(queue, target)
				}
			case r.opt.Flow != nil && !f.lay.single[target-f.node] && !busy(n.status) && !passed[target]:
				// It could have decided once more, so that its edges which have not fired are not dead.
				passed[target] = true
				queue = append(queue, target)
			}
		}
	}
	return blocked
}
