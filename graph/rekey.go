package graph

import "fmt"

// Rekey gives the nodes and edges of a graph other keys, in the order of Nodes and Edges; keys must
// ascend. nextNode and nextEdge are the lowest keys for new elements.
func (g *Graph) Rekey(nodes, edges []int, nextNode, nextEdge int) error {
	if !ascend(nodes, len(g.nodes.list), nextNode) || !ascend(edges, len(g.edges.list), nextEdge) {
		return fmt.Errorf("%d and %d keys do not fit %d nodes and %d edges", len(nodes), len(edges), len(g.nodes.list), len(g.edges.list))
	}
	for i, n := range g.nodes.list {
		n.Key = nodes[i]
	}
	for i, e := range g.edges.list {
		e.Key = edges[i]
	}
	g.nextNodeKey, g.nextEdgeKey = nextNode, nextEdge
	return nil
}

// ascend reports whether there are n keys, each higher than the one before and all below next.
func ascend(keys []int, n, next int) bool {
	for i, key := range keys {
		if key < 0 || i > 0 && key <= keys[i-1] || key >= next {
			return false
		}
	}
	return len(keys) == n
}

// Keys calls node and edge for all keys that an op refers to.
func Keys(op Op, node, edge func(key int)) {
	MapKeys(op, func(key int) int { node(key); return key }, func(key int) int { edge(key); return key })
}

// MapKeys returns the op with other keys.
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
