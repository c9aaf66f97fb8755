package graph

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// AddEdge adds an edge. Key is NewKey, or the key that the edge had before it was removed.
// Presence of ID, Type and Status is as in EdgeSpec.
type AddEdge struct {
	Key            int
	Source, Target string // ids of nodes

	ID, Type, Status          string
	HasID, HasType, HasStatus bool

	Extra     map[string]string
	Inherited []Attr
}

func (op AddEdge) apply(g *Graph) (inverse, done Op, err error) {
	source, target := g.Node(op.Source), g.Node(op.Target)
	if source == nil {
		return nil, nil, fmt.Errorf("edge %s -> %s: no node %q", op.Source, op.Target, op.Source)
	}
	if target == nil {
		return nil, nil, fmt.Errorf("edge %s -> %s: no node %q", op.Source, op.Target, op.Target)
	}
	if op.Key < 0 {
		op.Key = g.nextEdgeKey
	}
	if _, taken := g.edges.find(op.Key); taken {
		return nil, nil, fmt.Errorf("edge %s -> %s: key %d belongs to another edge", op.Source, op.Target, op.Key)
	}
	g.insertEdge(op, source, target)
	return RemoveEdge{Key: op.Key}, op, nil
}

func (g *Graph) insertEdge(op AddEdge, source, target *Node) {
	e, restored := g.edges.restoreRemoved(op.Key)
	if !restored {
		e = &Edge{}
	}
	*e = Edge{Key: op.Key, Source: source, Target: target, position: e.position}
	fillEdge(e, &EdgeSpec{
		ID: op.ID, Type: op.Type, Status: op.Status,
		HasID: op.HasID, HasType: op.HasType, HasStatus: op.HasStatus,
		// The op may be stored and applied again, so the edge gets a copy of its map.
		Extra: maps.Clone(op.Extra), Inherited: op.Inherited,
	})
	if !restored {
		g.edges.insert(e)
	}
	source.Out = insertByKey(source.Out, e)
	target.In = insertByKey(target.In, e)
	g.nextEdgeKey = max(g.nextEdgeKey, e.Key+1)
}

// placeOf returns the index of an edge in the edges of a node, or where it would be inserted.
func placeOf(edges []*Edge, e *Edge) int {
	at, _ := slices.BinarySearchFunc(edges, e.Key, func(e *Edge, key int) int { return cmp.Compare(e.Key, key) })
	return at
}

func insertByKey(edges []*Edge, e *Edge) []*Edge {
	return slices.Insert(edges, placeOf(edges, e), e)
}

func deleteByKey(edges []*Edge, e *Edge) []*Edge {
	at := placeOf(edges, e)
	return slices.Delete(edges, at, at+1)
}

// RemoveEdge removes the edge with the key.
type RemoveEdge struct{ Key int }

func (op RemoveEdge) apply(g *Graph) (inverse, done Op, err error) {
	e := g.Edge(op.Key)
	if e == nil {
		return nil, nil, fmt.Errorf("no edge with key %d", op.Key)
	}
	g.deleteEdge(e)
	return e.restore(), op, nil
}

func (g *Graph) deleteEdge(e *Edge) {
	g.edges.remove(e)
	e.Source.Out = deleteByKey(e.Source.Out, e)
	e.Target.In = deleteByKey(e.Target.In, e)
}

// restore returns the op that adds the edge again in its current state.
func (e *Edge) restore() Op {
	op := AddEdge{
		Key: e.Key, Source: e.Source.ID, Target: e.Target.ID,
		HasID: e.has&hasID != 0, HasType: e.has&hasType != 0, HasStatus: e.has&hasStatus != 0,
		Extra: e.Extra, Inherited: e.uncommon.all(),
	}
	for _, a := range []struct {
		name string
		to   *string
	}{{attrID, &op.ID}, {attrType, &op.Type}, {attrStatus, &op.Status}} {
		if value, present := e.Attr(a.name); present {
			*a.to = value
		}
	}
	return op
}

// SetEdge sets an attribute of the edge with the key, or removes it.
type SetEdge struct {
	Key         int
	Attr, Value string
	Remove      bool
}

func (op SetEdge) apply(g *Graph) (inverse, done Op, err error) {
	e := g.Edge(op.Key)
	if e == nil {
		return nil, nil, fmt.Errorf("no edge with key %d", op.Key)
	}
	if op.Attr == "" {
		return nil, nil, fmt.Errorf("edge %s -> %s: an attribute needs a name", e.Source.ID, e.Target.ID)
	}
	undo := SetEdge{Key: op.Key, Attr: op.Attr}
	undo.Value, undo.Remove = before(e.Attr(op.Attr))
	e.put(op.Attr, op.Value, !op.Remove)
	return undo, op, nil
}
