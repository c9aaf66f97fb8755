package flow

import (
	"wf/graph"
)

// isGroup says whether a node is a mere group: its nodes belong to the flow around it.
func isGroup(n *graph.Node) bool { return n.Container && !n.SubFlow() }

// ends are the nodes that an edge to or from a group means.
type ends struct {
	entries, exits []*graph.Node
	entry          map[*graph.Node]bool // the entries
}

// Expand returns what an edge leads from and to: its ends, and for an end that is a mere group the nodes
// in it that nothing else in it leads to (targets) or that lead to nothing else in it (sources). These
// are the nodes with which a run of the group alone would start, and those with which it would end: of
// a loop the nodes without a blocking in-edge, or out-edge. Both are in file order.
func (f *Flow) Expand(e *graph.Edge) (sources, targets []*graph.Node) {
	sources, targets = []*graph.Node{e.Source}, []*graph.Node{e.Target}
	if isGroup(e.Source) {
		sources = f.ends(e.Source).exits
	}
	if isGroup(e.Target) {
		targets = f.ends(e.Target).entries
	}
	return sources, targets
}

// ends computes the ends of a group once. Edges in it may lead to groups that lie in it.
func (f *Flow) ends(group *graph.Node) *ends {
	if known := f.groups[group]; known != nil {
		return known
	}
	var nodes []*graph.Node
	index := map[*graph.Node]int32{}
	for _, n := range f.within(group) {
		if !isGroup(n) {
			index[n] = int32(len(nodes))
			nodes = append(nodes, n)
		}
	}
	// Filled in before edges are looked at, so that an edge from a node to a group around it, which is
	// an error, ends.
	found := &ends{entry: map[*graph.Node]bool{}}
	f.groups[group] = found
	out := make([][]int32, len(nodes))
	blockingIn, blockingOut := make([]bool, len(nodes)), make([]bool, len(nodes))
	for _, n := range f.within(group) {
		for _, e := range n.Out {
			sources, targets := f.Expand(e)
			for _, source := range sources {
				for _, target := range targets {
					a, okA := index[source]
					b, okB := index[target]
					if okA && okB {
						out[a] = append(out[a], b)
						blocking := e.Type == graph.Blocking
						blockingOut[a], blockingIn[b] = blockingOut[a] || blocking, blockingIn[b] || blocking
					}
				}
			}
		}
	}
	entered, left, component := borders(out)
	for i, n := range nodes {
		if !entered[component[i]] && !blockingIn[i] {
			found.entries, found.entry[n] = append(found.entries, n), true
		}
		if !left[component[i]] && !blockingOut[i] {
			found.exits = append(found.exits, n)
		}
	}
	return found
}

// borders finds the strongly connected components that an edge from another one leads to, and those that
// an edge leads from.
func borders(out [][]int32) (entered, left []bool, component []int32) {
	first, targets := make([]int32, 1, len(out)+1), []int32{}
	for _, list := range out {
		targets = append(targets, list...)
		first = append(first, int32(len(targets)))
	}
	component, count := graph.Components(first, targets)
	entered, left = make([]bool, count), make([]bool, count)
	for a, list := range out {
		for _, b := range list {
			if component[a] != component[b] {
				left[component[a]], entered[component[b]] = true, true
			}
		}
	}
	return entered, left, component
}

// within returns the nodes of a group that belong to the same flow as the group, those of groups in it
// included, in file order.
func (f *Flow) within(group *graph.Node) []*graph.Node {
	if f.members == nil {
		f.members = map[*graph.Node][]*graph.Node{}
		for _, n := range f.g.Nodes() {
			for p := n.Parent; p != nil && isGroup(p); p = p.Parent {
				f.members[p] = append(f.members[p], n)
			}
		}
	}
	return f.members[group]
}

// blockingIn counts the blocking edges that a node waits for, those of groups around it included.
func (f *Flow) blockingIn(n *graph.Node) int {
	number := 0
	count := func(list []*graph.Edge) {
		for _, e := range list {
			if e.Type == graph.Blocking {
				sources, _ := f.Expand(e)
				number += len(sources)
			}
		}
	}
	count(n.In)
	for p := n.Parent; p != nil && isGroup(p); p = p.Parent {
		if f.ends(p).entry[n] {
			count(p.In)
		}
	}
	return number
}
