package scheduler

import (
	"slices"

	"wf/graph"
	"wf/graph/components"
	"wf/scheduler/flow"
)

// A layout is the copy of one flow: the outer one, or the content of a sub-flow. It never changes.
type layout struct {
	ids        []string      // XML ids of the nodes
	graphNodes []*graph.Node // only passed to Flow
	idempotent []bool
	keys       []int // graph.Edge.Key of each edge
	edges      []edge
	out        csr[localNode, localEdge] // all out-edges of a node, in file order
	in         csr[localNode, localEdge] // blocking in-edges of a node, in file order
	component  []component               // strongly connected component of a node, over all edges
	components component
	starts     []bool // see startNodes; made on first use
	marked     []mark // of the outer flow: the marks of its edges in the file

	// The fields below belong to runs with a flow. A nil slice means that no node, or edge, has one.
	rules      []*flow.Rules
	conditions []*flow.Condition
	subs       []*layout
	home       *graph.Node // the sub-flow; nil for the outer flow
	names      []string    // local names
	single     []bool      // the node decides at most once in each instance
	loose      bool        // edges can be dead, and some nodes decide more than once
	inside     csr[component, localNode]
}

// place is the layout and the local number of a node of the graph.
type place struct {
	lay   *layout
	local localNode
}

type edge struct {
	source, target localNode
	blocking       bool
}

func (l *layout) nodeCount() localNode { return localNode(len(l.ids)) }
func (l *layout) edgeCount() localEdge { return localEdge(len(l.edges)) }

// connect derives the edge lists and components from the edges. It reports whether any edges form a loop.
func (l *layout) connect() (loops bool) {
	l.out = group(l.nodeCount(), l.edgeCount(), func(j localEdge) (localNode, bool) { return l.edges[j].source, true })
	l.in = group(l.nodeCount(), l.edgeCount(), func(j localEdge) (localNode, bool) { return l.edges[j].target, l.edges[j].blocking })
	targets := make([]int32, len(l.edges))
	for k, j := range l.out.items {
		targets[k] = int32(l.edges[j].target)
	}
	found, count := components.Of(l.out.first, targets)
	l.components = component(count)
	l.component = make([]component, len(found))
	for v, c := range found {
		l.component[v] = component(c)
	}
	loops = count < len(l.ids)
	for _, e := range l.edges {
		loops = loops || e.source == e.target
	}
	return loops
}

// startNodes finds the nodes at which a run starts: in each strongly connected component that no edge from
// outside leads to, the nodes without a blocking in-edge. In a graph without loops these are the nodes without
// an in-edge; a loop needs a node that goes first.
func (l *layout) startNodes() []bool {
	if l.starts != nil {
		return l.starts
	}
	led := make([]bool, l.components)
	for _, e := range l.edges {
		if from, to := l.component[e.source], l.component[e.target]; from != to {
			led[to] = true
		}
	}
	l.starts = make([]bool, len(l.ids))
	for v := range l.nodeCount() {
		l.starts[v] = !led[l.component[v]] && len(l.in.of(v)) == 0
	}
	return l.starts
}

// releaseScope drops the data that only NewRun needs.
func (l *layout) releaseScope(plain bool) {
	l.marked = nil
	if plain {
		l.graphNodes = nil
	}
}

// condition returns the condition of an edge, nil if it fires after a success.
func (l *layout) condition(e localEdge) *flow.Condition {
	if l.conditions == nil {
		return nil
	}
	return l.conditions[e]
}

// findSingle marks the nodes that decide at most once in an instance: only blocking edges lead to
// them, and these come from nodes that decide at most once, too.
func (l *layout) findSingle() {
	l.single = make([]bool, len(l.ids))
	order, alone := l.topological()
	triggered := make([]bool, len(l.ids))
	for _, e := range l.edges {
		triggered[e.target] = triggered[e.target] || !e.blocking
	}
	for _, v := range order {
		l.single[v] = alone[v] && !triggered[v]
		for _, j := range l.in.of(v) {
			l.single[v] = l.single[v] && l.single[l.edges[j].source]
		}
	}
}

// inLoop reports whether an edge stays in the loop that its source is part of.
func (l *layout) inLoop(j localEdge) bool {
	e := l.edges[j]
	return l.component[e.source] == l.component[e.target]
}

// deadAtOnce reports whether an edge is dead as soon as its source has decided otherwise.
func (l *layout) deadAtOnce(j localEdge) bool {
	return l.single == nil || l.single[l.edges[j].source] || l.inLoop(j)
}

// decidesTwice reports whether any node may decide more than once.
func (l *layout) decidesTwice() bool { return slices.Contains(l.single, false) }

// topological returns the nodes in an order in which each comes after those that lead to it, and which
// of them are in no loop with others.
func (l *layout) topological() (order []localNode, alone []bool) {
	// A component has a higher number than those it leads to.
	last := l.components - 1
	by := group(l.components, l.nodeCount(), func(v localNode) (component, bool) { return last - l.component[v], true })
	alone = make([]bool, len(l.ids))
	for v := range l.nodeCount() {
		alone[v] = len(by.of(last-l.component[v])) == 1
	}
	return by.items, alone
}

// leadingOnlyTo returns the nodes from which every path leads to one node, the nearest first. It visits only
// these nodes and their sources. Nodes in loops, and nodes that trigger others, are not among them.
func (l *layout) leadingOnlyTo(node localNode) []localNode {
	led := map[localNode]int{} // how many out-edges of a node lead to the given node or to one in the list
	list := []localNode{node}
	for at := 0; at < len(list); at++ {
		for _, j := range l.in.of(list[at]) {
			v := l.edges[j].source
			if led[v]++; led[v] == len(l.out.of(v)) && l.component[v] != l.component[node] {
				list = append(list, v)
			}
		}
	}
	return list[1:]
}
