package graph

import "slices"

// The attributes that make a container a sub-flow: its nodes run once for each of its instances. A
// container with none of them is a mere group, whose nodes belong to the flow around it.
const (
	AttrForeach = "foreach"
	AttrTimes   = "times"
	AttrWhile   = "while"
	AttrUntil   = "until"
)

// MakesSubFlow says whether an attribute makes the container that has it a sub-flow.
func MakesSubFlow(attr string) bool {
	switch attr {
	case AttrForeach, AttrTimes, AttrWhile, AttrUntil:
		return true
	}
	return false
}

// SubFlow says whether the node is a container whose nodes run once for each of its instances.
func (n *Node) SubFlow() bool {
	if !n.Container {
		return false
	}
	for attr := range n.Extra {
		if MakesSubFlow(attr) {
			return true
		}
	}
	return false
}

// Home returns the innermost sub-flow that the node lies in, nil if it belongs to the outer flow.
// Groups in between do not count.
func (n *Node) Home() *Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.SubFlow() {
			return p
		}
	}
	return nil
}

// Ends returns the nodes that an edge to a group (entries) or from it means: those of its nodes,
// however deep, that no other of them leads to, or that lead to no other. A group that is one loop
// has no such nodes; then all of them count. Sub-flows in the group count as nodes, in file order.
func (g *Graph) Ends(group *Node, entries bool) []*Node {
	var inside, ends []*Node
	for _, n := range g.nodes.list {
		if liesIn(n, group) {
			inside = append(inside, n)
		}
	}
	for _, n := range inside {
		if !slices.ContainsFunc(incident(n, entries), func(m *Node) bool { return m != n && liesIn(m, group) }) {
			ends = append(ends, n)
		}
	}
	if ends == nil {
		return inside
	}
	return ends
}

// liesIn says whether a node belongs to a group itself, and not to a sub-flow in it.
func liesIn(n, group *Node) bool {
	if n.Container && !n.SubFlow() {
		return false
	}
	for p := n.Parent; p != nil; p = p.Parent {
		if p == group {
			return true
		}
		if p.SubFlow() {
			return false
		}
	}
	return false
}

// incident returns the nodes at the other ends of the edges into a node, or out of it.
func incident(n *Node, into bool) []*Node {
	var others []*Node
	if into {
		for _, e := range n.In {
			others = append(others, e.Source)
		}
		return others
	}
	for _, e := range n.Out {
		others = append(others, e.Target)
	}
	return others
}
