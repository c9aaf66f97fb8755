package scheduler

import (
	"wf/graph"
	"wf/scheduler/flow"
)

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
func (why explanations) Explain(node int) Explanation {
	n := &why.nodes[node]
	ex := Explanation{
		Status: n.status, Reason: why.reasons[node],
		Activations: int(n.activations), Executions: int(n.executions), Pending: int(n.pending),
		Cause: why.cause(node),
	}
	inst := why.instanceOf(int32(node))
	for _, l := range inst.lay.in.of(int32(node) - inst.node) {
		j := int(inst.edge + l)
		switch m := why.marks[j]; {
		case m.bears() == graph.ToRun:
			ex.Have = append(ex.Have, j)
		case m.bears() == graph.Dead, n.status == graph.Skipped && m&killed != 0:
			ex.Dead = append(ex.Dead, j)
		default:
			ex.Lack = append(ex.Lack, j)
		}
	}
	if n.status == graph.Idle {
		ex.Upstream = why.upstream(int32(node))
	}
	return ex
}

func (why explanations) cause(node int) Cause {
	switch cause := why.nodes[node].cause; cause {
	case causeNone:
		return Cause{Kind: CauseNone}
	case causeStart:
		return Cause{Kind: CauseStart}
	case causeResume:
		return Cause{Kind: CauseResume, Edges: why.joined(node)}
	case causeJoin:
		return Cause{Kind: CauseJoin, Edges: why.joined(node)}
	default:
		return Cause{Kind: CauseTrigger, Edges: []int{int(cause)}}
	}
}

// joined returns the edges whose tokens a join consumes. A join that decides early may have done without some.
func (why explanations) joined(node int) []int {
	var edges []int
	inst := why.instanceOf(int32(node))
	early := why.DecidesEarly(node)
	for _, l := range inst.lay.in.of(int32(node) - inst.node) {
		j := inst.edge + l
		all := inst.lay.conditions == nil && (!early || why.nodes[inst.node+inst.lay.edges[l].source].status == graph.Ran)
		if all || why.marks[j]&everFired != 0 {
			edges = append(edges, int(j))
		}
	}
	return edges
}

// Incoming is the number of blocking edges that lead to a node.
func (why explanations) Incoming(node int) int {
	inst := why.instanceOf(int32(node))
	return len(inst.lay.in.of(int32(node) - inst.node))
}

// Deciders returns the nodes because of which a node was skipped: those that went another way. Sources that
// were skipped themselves have decided nothing, so it looks behind them.
func (why explanations) Deciders(node int) []int {
	inst := why.instanceOf(int32(node))
	var deciders []int
	seen := map[int32]bool{int32(node): true}
	for queue := []int32{int32(node)}; len(queue) > 0; queue = queue[1:] {
		for _, l := range inst.lay.in.of(queue[0] - inst.node) {
			source := inst.node + inst.lay.edges[l].source
			if seen[source] || why.marks[inst.edge+l]&killed == 0 {
				continue
			}
			seen[source] = true
			if why.nodes[source].status == graph.Skipped {
				queue = append(queue, source)
			} else {
				deciders = append(deciders, int(source))
			}
		}
	}
	return deciders
}

// A Branch is an out-edge of a node that has decided.
type Branch struct {
	Edge  int
	When  *flow.Condition // nil: it fires after a success
	Taken bool            // it fired after the latest end of the node
}

// Branches returns the out-edges of a node, in file order; nil if none of them has a condition, or the node has not
// decided.
func (why explanations) Branches(node int) []Branch {
	inst := why.instanceOf(int32(node))
	if inst.lay.conditions == nil || !why.nodes[node].decided {
		return nil
	}
	var ways []Branch
	conditional := false
	for _, l := range inst.lay.out.of(int32(node) - inst.node) {
		when := inst.lay.conditions[l]
		conditional = conditional || when != nil
		ways = append(ways, Branch{int(inst.edge + l), when, why.marks[inst.edge+l]&latest != 0})
	}
	if !conditional {
		return nil
	}
	return ways
}

// Unmatched says of a node that chooses by its output "case" that no edge was for what it put out, so that
// none of those which it could choose fired. given is false if it has put out no case.
func (why explanations) Unmatched(node int) (value any, given, unmatched bool) {
	byCase := false
	for _, way := range why.Branches(node) {
		if way.When == nil {
			continue
		}
		switch way.When.Kind {
		case flow.OnCase:
			byCase = true
		case flow.OnExit, flow.OnTrue, flow.OnElse:
		default:
			continue
		}
		if way.Taken {
			return nil, false, false
		}
	}
	if !byCase || why.nodes[node].status != graph.Ran {
		return nil, false, false
	}
	value, given = queries(why).Outputs(node)["case"]
	return value, given, true
}

// CutKind is what has ended a node together with the sub-flow that it lies in.
type CutKind uint8

// The ways in which sub-flows end before their time.
const (
	CutNone    CutKind = iota
	CutTimeout         // the time of the sub-flow was up
	CutFailure         // another instance of it failed, and it has on_failure=cancel
	CutLoser           // only a join needed it that had been decided
	CutOther           // somebody asked for that, or the run ended
)

// CutBy says which sub-flow around a node was ended before its time, and with it the node.
func (why explanations) CutBy(node int) (subflow int, kind CutKind) {
	for k := why.instanceNo(int32(node)); k > 0; k = why.instanceNo(why.instances[k].owner) {
		owner := why.instances[k].owner
		x := why.extrasOf(owner)
		if !why.instances[k].cut || x == nil || x.sub == nil {
			return subflow, kind
		}
		subflow, kind = int(owner), CutOther
		if x.sub.stopping == ReasonTimeout {
			return subflow, CutTimeout
		}
		if x.sub.stopping == ReasonInstances && why.rulesOf(owner).Sub.Cancel {
			return subflow, CutFailure
		}
		if x.loser {
			return subflow, CutLoser
		}
	}
	return subflow, kind
}

// upstream searches backwards through nodes that are idle themselves.
func (why explanations) upstream(node int32) []int {
	inst := why.instanceOf(node)
	in := inst.lay.lists(func(e edge) (int32, bool) { return e.target, true })
	var failed []int
	seen := make([]bool, len(inst.lay.ids))
	seen[node-inst.node] = true
	for queue := []int32{node - inst.node}; len(queue) > 0; queue = queue[1:] {
		for _, l := range in.of(queue[0]) {
			v := inst.lay.edges[l].source
			if why.marks[inst.edge+l].bears() != graph.Unmarked || seen[v] {
				continue
			}
			seen[v] = true
			switch source := &why.nodes[inst.node+v]; {
			case source.status == graph.Failed && !source.handled:
				failed = append(failed, int(inst.node+v))
			case source.status == graph.Idle:
				queue = append(queue, v)
			}
		}
	}
	return failed
}
