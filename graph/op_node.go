package graph

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// AddNode adds a node. Node.Key is NewKey, or the key that the node had before it was removed;
// Node.Parent is ignored.
type AddNode struct {
	Node   NodeSpec
	Parent string // id of its container; "" = none
	// Before is the id of a node in the same container, "" = none. A file has the new node in front of that one. In the
	// graph the order of keys counts, see Rekey.
	Before string `json:",omitempty"`
}

func (op AddNode) apply(g *Graph) (inverse, done Op, err error) {
	id := op.Node.ID
	if id == "" {
		return nil, nil, errors.New("a node needs an id")
	}
	if g.Node(id) != nil {
		return nil, nil, fmt.Errorf("node %s: exists already", id)
	}
	var parent *Node
	if op.Parent != "" {
		if parent = g.Node(op.Parent); parent == nil {
			return nil, nil, fmt.Errorf("node %s: its container %q does not exist", id, op.Parent)
		}
	}
	if op.Node.Key < 0 {
		op.Node.Key = g.nextNodeKey
	}
	if other, taken := g.nodes.find(op.Node.Key); taken {
		return nil, nil, fmt.Errorf("node %s: key %d belongs to node %s", id, op.Node.Key, other.ID)
	}
	if parent != nil && op.Node.Key < parent.Key {
		return nil, nil, fmt.Errorf("node %s: its container %s comes after it", id, parent.ID)
	}
	op.Node.Parent = -1
	g.insertNode(op.Node, parent)
	return RemoveNode{ID: id}, op, nil
}

func (g *Graph) insertNode(spec NodeSpec, parent *Node) {
	n, restored := g.nodes.restoreRemoved(spec.Key)
	if !restored {
		n = &Node{}
	}
	*n = Node{Key: spec.Key, Parent: parent, position: n.position}
	// The op may be stored and applied again, so the node gets a copy of its map.
	spec.Extra = maps.Clone(spec.Extra)
	fillNode(n, &spec)
	if !restored {
		g.nodes.insert(n)
	}
	g.ids()[n.ID] = n
	if parent != nil {
		parent.children++
	}
	g.nextNodeKey = max(g.nextNodeKey, n.Key+1)
}

// RemoveNode removes a node with all its edges. It fails for a node that contains other nodes.
type RemoveNode struct{ ID string }

func (op RemoveNode) apply(g *Graph) (inverse, done Op, err error) {
	n := g.Node(op.ID)
	if n == nil {
		return nil, nil, fmt.Errorf("no node %q", op.ID)
	}
	if n.children > 0 {
		return nil, nil, fmt.Errorf("node %s: contains nodes (%d); remove them first", n.ID, n.children)
	}
	restore, remove := []Op{n.restore()}, []Op{}
	for _, e := range n.incident() {
		restore = append(restore, e.restore())
		remove = append(remove, RemoveEdge{Key: e.Key})
		g.deleteEdge(e)
	}
	g.deleteNode(n)
	return Batch{restore}, Batch{append(remove, op)}, nil
}

// incident returns all edges of the node in file order, a self-loop once.
func (n *Node) incident() []*Edge {
	edges := slices.Concat(n.In, n.Out)
	slices.SortFunc(edges, func(a, b *Edge) int { return a.Key - b.Key })
	return slices.Compact(edges)
}

func (g *Graph) deleteNode(n *Node) {
	g.nodes.remove(n)
	delete(g.ids(), n.ID)
	if n.Parent != nil {
		n.Parent.children--
	}
}

// restore returns the op that adds the node again in its current state.
func (n *Node) restore() Op {
	op := AddNode{Node: NodeSpec{
		ID: n.ID, Key: n.Key, Parent: -1, Container: n.Container, Extra: n.Extra, Inherited: n.uncommon.all(),
		HasName: n.has&hasName != 0, HasLabel: n.has&hasLabel != 0, HasGroup: n.has&hasGroup != 0,
		HasStatus: n.has&hasStatus != 0, HasX: n.has&hasX != 0, HasY: n.has&hasY != 0,
	}}
	spec := &op.Node
	for _, a := range []struct {
		name string
		to   *string
	}{
		{attrName, &spec.Name}, {attrLabel, &spec.Label}, {attrGroup, &spec.Group},
		{attrStatus, &spec.Status}, {attrX, &spec.X}, {attrY, &spec.Y},
	} {
		if value, present := n.Attr(a.name); present {
			*a.to = value
		}
	}
	if n.Parent != nil {
		op.Parent = n.Parent.ID
	}
	return op
}

// SetNode sets an attribute of a node, or removes it.
type SetNode struct {
	ID, Attr, Value string
	Remove          bool
}

func (op SetNode) apply(g *Graph) (inverse, done Op, err error) {
	n := g.Node(op.ID)
	switch {
	case n == nil:
		return nil, nil, fmt.Errorf("no node %q", op.ID)
	case op.Attr == "":
		return nil, nil, fmt.Errorf("node %s: an attribute needs a name", op.ID)
	case op.Attr == attrID:
		return nil, nil, fmt.Errorf("node %s: its id cannot be changed", op.ID)
	case Captured(op.Attr):
		return nil, nil, fmt.Errorf("node %s: %s is output of a run and cannot be set", op.ID, op.Attr)
	}
	undo := SetNode{ID: op.ID, Attr: op.Attr}
	undo.Value, undo.Remove = before(n.Attr(op.Attr))
	n.put(op.Attr, op.Value, !op.Remove)
	return undo, op, nil
}

// before turns a result of Attr into the fields of the op that restores it.
func before(value string, present bool) (set string, remove bool) {
	if !present {
		return "", true
	}
	return value, false
}
