package graph

import (
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
	source, target := g.byID[op.Source], g.byID[op.Target]
	if source == nil {
		return nil, nil, fmt.Errorf("edge %s -> %s: no node %q", op.Source, op.Target, op.Source)
	}
	if target == nil {
		return nil, nil, fmt.Errorf("edge %s -> %s: no node %q", op.Source, op.Target, op.Target)
	}
	if op.Key < 0 {
		op.Key = g.nextEdgeKey
	}
	at, taken := edgeIndex(g.edges, op.Key)
	if taken {
		return nil, nil, fmt.Errorf("edge %s -> %s: key %d belongs to another edge", op.Source, op.Target, op.Key)
	}
	e := &Edge{Key: op.Key, Source: source, Target: target}
	fillEdge(e, &EdgeSpec{
		ID: op.ID, Type: op.Type, Status: op.Status,
		HasID: op.HasID, HasType: op.HasType, HasStatus: op.HasStatus,
		// The op may be kept and applied again: it does not share its map with the edge.
		Extra: maps.Clone(op.Extra), Inherited: op.Inherited,
	})
	g.insertEdge(at, e)
	return RemoveEdge{Key: op.Key}, op, nil
}

func (g *Graph) insertEdge(at int, e *Edge) {
	g.edges = slices.Insert(g.edges, at, e)
	e.Source.Out = insertByKey(e.Source.Out, e)
	e.Target.In = insertByKey(e.Target.In, e)
	g.dirtyEdge = min(g.dirtyEdge, at)
	g.nextEdgeKey = max(g.nextEdgeKey, e.Key+1)
}

func insertByKey(edges []*Edge, e *Edge) []*Edge {
	at, _ := edgeIndex(edges, e.Key)
	return slices.Insert(edges, at, e)
}

func deleteByKey(edges []*Edge, e *Edge) []*Edge {
	at, _ := edgeIndex(edges, e.Key)
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
	at, _ := edgeIndex(g.edges, e.Key)
	g.edges = slices.Delete(g.edges, at, at+1)
	e.Source.Out = deleteByKey(e.Source.Out, e)
	e.Target.In = deleteByKey(e.Target.In, e)
	g.dirtyEdge = min(g.dirtyEdge, at)
}

// restore returns the op that makes the edge again as it is.
func (e *Edge) restore() Op {
	op := AddEdge{
		Key: e.Key, Source: e.Source.ID, Target: e.Target.ID,
		HasID: e.has&hasID != 0, HasType: e.has&hasType != 0, HasStatus: e.has&hasStatus != 0,
		Extra: e.Extra, Inherited: e.rare.all(),
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
