package graph

import (
	"fmt"
	"slices"
)

// MoveNode moves a node, with all nodes in it, from its container into another one. Its edges stay.
type MoveNode struct {
	ID     string
	Parent string // id of the container; "" = none

	// Keys are those of the node and of all nodes in it, in their order. If they are nil or do not fit, the nodes keep
	// theirs, or get new ones if the container comes after them.
	Keys []int `json:",omitempty"`

	// Step is 0 for a new move, -1 for the inverse of the node's latest one, and 1 for the inverse of that inverse. A file then
	// has the node exactly where it was.
	Step int `json:",omitempty"`
}

func (op MoveNode) apply(g *Graph) (inverse, done Op, err error) {
	n := g.Node(op.ID)
	if n == nil {
		return nil, nil, fmt.Errorf("no node %q", op.ID)
	}
	var parent *Node
	if op.Parent != "" {
		if parent = g.Node(op.Parent); parent == nil {
			return nil, nil, fmt.Errorf("node %s: its container %q does not exist", op.ID, op.Parent)
		}
		if parent.Within(n) {
			return nil, nil, fmt.Errorf("node %s: a container cannot lie in itself", op.ID)
		}
	}
	undo := MoveNode{ID: op.ID, Step: -1}
	if op.Step < 0 {
		undo.Step = 1
	}
	if n.Parent != nil {
		undo.Parent = n.Parent.ID
	}
	moved := g.subtree(n)
	for _, m := range moved {
		undo.Keys = append(undo.Keys, m.Key)
	}
	if op.Keys = g.keysFor(moved, parent, op.Keys); !slices.Equal(op.Keys, undo.Keys) {
		g.nodes.rekey(moved, func(i int) { moved[i].Key = op.Keys[i] })
		g.nextNodeKey = max(g.nextNodeKey, op.Keys[len(op.Keys)-1]+1)
	}
	if n.Parent != nil {
		n.Parent.children--
	}
	if n.Parent = parent; parent != nil {
		parent.children++
	}
	return undo, op, nil
}

// Within reports whether the node is a container or lies in it, at any depth.
func (n *Node) Within(container *Node) bool {
	for ; n != nil; n = n.Parent {
		if n == container {
			return true
		}
	}
	return false
}

// subtree returns a node and all nodes in it, in the order of their keys.
func (g *Graph) subtree(n *Node) []*Node {
	nodes := []*Node{n}
	if n.children == 0 {
		return nodes
	}
	inside := func(m *Node) {
		if m != n && !m.gone && m.Within(n) {
			nodes = append(nodes, m)
		}
	}
	for _, m := range g.nodes.list {
		inside(m)
	}
	for _, m := range g.nodes.added {
		inside(m)
	}
	slices.SortFunc(nodes, func(a, b *Node) int { return a.Key - b.Key })
	return nodes
}

// keysFor returns the keys for nodes that move into a container, which has to come before them.
func (g *Graph) keysFor(moved []*Node, parent *Node, keys []int) []int {
	fits := func(i int) bool {
		other, taken := g.nodes.find(keys[i])
		return (i == 0 || keys[i] > keys[i-1]) && (!taken || other.Within(moved[0]))
	}
	after := -1
	if parent != nil {
		after = parent.Key
	}
	ok := len(keys) == len(moved) && keys[0] > after
	for i := 0; ok && i < len(keys); i++ {
		ok = fits(i)
	}
	if ok {
		return keys
	}
	keys = make([]int, len(moved))
	for i, m := range moved {
		if keys[i] = m.Key; moved[0].Key < after {
			keys[i] = g.nextNodeKey + i
		}
	}
	return keys
}

// MoveEdge connects the edge with the key to other nodes. All its attributes stay.
type MoveEdge struct {
	Key            int
	Source, Target string // ids of nodes
}

func (op MoveEdge) apply(g *Graph) (inverse, done Op, err error) {
	e := g.Edge(op.Key)
	if e == nil {
		return nil, nil, fmt.Errorf("no edge with key %d", op.Key)
	}
	source, target := g.Node(op.Source), g.Node(op.Target)
	if source == nil {
		return nil, nil, fmt.Errorf("edge %s -> %s: no node %q", op.Source, op.Target, op.Source)
	}
	if target == nil {
		return nil, nil, fmt.Errorf("edge %s -> %s: no node %q", op.Source, op.Target, op.Target)
	}
	undo := MoveEdge{Key: op.Key, Source: e.Source.ID, Target: e.Target.ID}
	e.Source.Out, e.Target.In = deleteByKey(e.Source.Out, e), deleteByKey(e.Target.In, e)
	e.Source, e.Target = source, target
	source.Out, target.In = insertByKey(source.Out, e), insertByKey(target.In, e)
	return undo, op, nil
}
