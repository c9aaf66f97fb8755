package graph

import (
	"cmp"
	"fmt"
	"slices"
)

// Rekey gives the nodes and edges of a graph other keys, in the order of Nodes and Edges, and sorts both by them. A container
// must get a lower key than the nodes in it. nextNode and nextEdge are the lowest keys for new elements.
func (g *Graph) Rekey(nodes, edges []int, nextNode, nextEdge int) error {
	if !distinct(nodes, len(g.nodes.list), nextNode) || !distinct(edges, len(g.edges.list), nextEdge) {
		return fmt.Errorf("%d and %d keys do not fit %d nodes and %d edges", len(nodes), len(edges), len(g.nodes.list), len(g.edges.list))
	}
	for i, n := range g.nodes.list {
		if n.Parent != nil && nodes[i] <= nodes[n.Parent.pos] {
			return fmt.Errorf("node %s: its container %s would come after it", n.ID, n.Parent.ID)
		}
	}
	for i, n := range g.nodes.list {
		n.Key = nodes[i]
	}
	for i, e := range g.edges.list {
		e.Key = edges[i]
	}
	g.nextNodeKey, g.nextEdgeKey = nextNode, nextEdge
	g.handles = nil
	if !slices.IsSorted(nodes) {
		g.nodes.sort()
	}
	if !slices.IsSorted(edges) {
		g.edges.sort()
		for _, n := range g.nodes.list {
			for _, list := range [][]*Edge{n.In, n.Out} {
				slices.SortFunc(list, func(a, b *Edge) int { return cmp.Compare(a.Key, b.Key) })
			}
		}
	}
	return nil
}

// distinct reports whether there are n keys, all different and below next.
func distinct(keys []int, n, next int) bool {
	if len(keys) != n {
		return false
	}
	sorted := keys
	if !slices.IsSorted(keys) {
		sorted = slices.Sorted(slices.Values(keys))
	}
	for i, key := range sorted {
		if key < 0 || i > 0 && key == sorted[i-1] || key >= next {
			return false
		}
	}
	return true
}

// Keys calls node and edge for all keys that an op refers to.
func Keys(op Op, node, edge func(key int)) {
	MapKeys(op, func(key int) int { node(key); return key }, func(key int) int { edge(key); return key })
}

// MapKeys returns the op with other keys. A MoveNode chooses its keys anew, because other nodes may have theirs by now.
func MapKeys(op Op, node, edge func(key int) int) Op {
	switch op := op.(type) {
	case Batch:
		ops := make([]Op, len(op.Ops))
		for i := range op.Ops {
			ops[i] = MapKeys(op.Ops[i], node, edge)
		}
		return Batch{ops}
	case AddNode:
		op.Node.Key = node(op.Node.Key)
		return op
	case MoveNode:
		op.Keys = nil
		return op
	case MoveEdge:
		op.Key = edge(op.Key)
		return op
	case AddEdge:
		op.Key = edge(op.Key)
		return op
	case RemoveEdge:
		op.Key = edge(op.Key)
		return op
	case SetEdge:
		op.Key = edge(op.Key)
		return op
	}
	return op
}
