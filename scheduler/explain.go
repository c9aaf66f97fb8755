package scheduler

import (
	"wf/graph"
	"wf/scheduler/flow"
)

// An Explanation is the state of a node and its reasons.
type Explanation struct {
	Status      graph.Status
	Reason      string // of Failed
	Activations int    // accepted so far
	Executions  int    // dispatched so far
	Pending     int    // activations that wait for the present one
	Cause       Cause  // of the latest activation

	// Blocking in-edges in scope, in file order: those with a token, those that are dead, and those
	// that the node still waits for.
	Have, Dead, Lack []int
	// Upstream lists the failed nodes that keep an idle node from running, nearest first.
	Upstream []int
}

// Cause says why a node was activated.
type Cause struct {
	Kind CauseKind
	// Edges lists the edges whose tokens were consumed. Empty for start nodes.
	Edges []int
}

// CauseKind is the kind of a cause.
type CauseKind uint8

// The kinds of causes.
const (
	CauseNone    CauseKind = iota // it was not activated in this run
	CauseStart                    // nothing in the scope leads to it
	CauseResume                   // it had failed or was not reached, and could go on
	CauseJoin                     // all its blocking in-edges had a token
	CauseTrigger                  // a non-blocking edge
)

// Explain returns why a node is as it is.
func (why explanations) Explain(node int) Explanation {
	n := &why.nodes[node]
	ex := Explanation{
		Status: n.status, Reason: why.reasons[node],
		Activations: int(n.activations), Executions: int(n.executions), Pending: int(n.pending),
		Cause: why.cause(node),
	}
	inst := why.instanceOf(nodeID(node))
	for _, l := range inst.in(nodeID(node)) {
		j := int(inst.edgeID(l))
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
		ex.Upstream = why.upstream(nodeID(node))
	}
	return ex
}

// cause returns why a node was activated.
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

// joined returns the edges whose tokens a join consumed. A join that decides early may have done without
// some.
func (why explanations) joined(node int) []int {
	var edges []int
	inst := why.instanceOf(nodeID(node))
	early := why.DecidesEarly(node)
	for _, l := range inst.in(nodeID(node)) {
		j := inst.edgeID(l)
		all := inst.lay.conditions == nil && (!early || why.nodes[inst.source(l)].status == graph.Ran)
		if all || why.marks[j]&everFired != 0 {
			edges = append(edges, int(j))
		}
	}
	return edges
}

// Incoming returns the number of blocking edges that lead to a node.
func (why explanations) Incoming(node int) int {
	inst := why.instanceOf(nodeID(node))
	return len(inst.in(nodeID(node)))
}

// Deciders returns the nodes because of which a node was skipped: those whose outcome did not fire the
// edges that lead to it. If a source was itself skipped, it continues with that node's sources.
func (why explanations) Deciders(node int) []int {
	inst := why.instanceOf(nodeID(node))
	var deciders []int
	seen := map[nodeID]bool{nodeID(node): true}
	for queue := []nodeID{nodeID(node)}; len(queue) > 0; queue = queue[1:] {
		for _, l := range inst.in(queue[0]) {
			source := inst.source(l)
			if seen[source] || why.marks[inst.edgeID(l)]&killed == 0 {
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

// Branches returns the out-edges of a node in file order; nil if none of them has a condition, or the node
// has not decided.
func (why explanations) Branches(node int) []Branch {
	inst := why.instanceOf(nodeID(node))
	if inst.lay.conditions == nil || !why.nodes[node].decided {
		return nil
	}
	var ways []Branch
	conditional := false
	for _, l := range inst.out(nodeID(node)) {
		when := inst.lay.conditions[l]
		conditional = conditional || when != nil
		ways = append(ways, Branch{int(inst.edgeID(l)), when, why.marks[inst.edgeID(l)]&latest != 0})
	}
	if !conditional {
		return nil
	}
	return ways
}

// Unmatched reports that a node chooses by its output "case" and no edge is for that output, so that none
// of the edges it could choose fired. given is false if it has no such output.
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

// CutKind is why a node ended together with the sub-flow that contains it.
type CutKind uint8

// The ways in which sub-flows end before their time.
const (
	CutNone    CutKind = iota
	CutTimeout         // the timeout of the sub-flow
	CutFailure         // another instance of it failed, and it has on_failure=cancel
	CutLoser           // only a join needed it that had decided
	CutOther           // it was cancelled, or the run ended
)

// CutBy returns the sub-flow around a node that was ended early, and the node with it.
func (why explanations) CutBy(node int) (subflow int, kind CutKind) {
	for k := why.instanceNo(nodeID(node)); k > 0; k = why.instanceNo(why.instances[k].owner) {
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

// upstream searches backwards for failed nodes, through nodes that are idle themselves.
func (why explanations) upstream(node nodeID) []int {
	inst := why.instanceOf(node)
	in := group(inst.lay.nodeCount(), inst.lay.edgeCount(), func(l localEdge) (localNode, bool) { return inst.lay.edges[l].target, true })
	var failed []int
	seen := make([]bool, len(inst.lay.ids))
	seen[inst.local(node)] = true
	for queue := []localNode{inst.local(node)}; len(queue) > 0; queue = queue[1:] {
		for _, l := range in.of(queue[0]) {
			v := inst.lay.edges[l].source
			if why.marks[inst.edgeID(l)].bears() != graph.Unmarked || seen[v] {
				continue
			}
			seen[v] = true
			switch source := &why.nodes[inst.nodeID(v)]; {
			case source.status == graph.Failed && !source.handled:
				failed = append(failed, int(inst.nodeID(v)))
			case source.status == graph.Idle:
				queue = append(queue, v)
			}
		}
	}
	return failed
}
