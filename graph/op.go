package graph

import (
	"fmt"
	"slices"
)

// An Op is an edit of a graph. It is a plain value: it can be stored, compared, and applied again.
// The ops are AddNode, RemoveNode, MoveNode, AddEdge, RemoveEdge, MoveEdge, SetNode, SetEdge, SetGraph and Batch.
type Op interface {
	// apply changes g, or returns an error without changing it.
	apply(g *Graph) (inverse, done Op, err error)
}

// A Batch is a list of ops that are applied in order, all or none.
type Batch struct{ Ops []Op }

// Apply applies an edit. inverse undoes it exactly: texts, presence of attributes, keys and places.
// done is the complete edit, with new keys and the removals of the edges of removed nodes, so that
// applying it elsewhere, for example to the file, gives the same result.
//
// If Apply returns an error, the graph is unchanged. An inverse makes new elements for removed ones:
// callers that keep pointers across a removal and its undo must look them up again, by id or key.
func (g *Graph) Apply(op Op) (inverse, done Op, err error) {
	g.handles = nil
	g.nodes.begin()
	g.edges.begin()
	inverse, done, err = op.apply(g)
	g.nodes.settle()
	g.edges.settle()
	return inverse, done, err
}

func (b Batch) apply(g *Graph) (inverse, done Op, err error) {
	inverses, dones := make([]Op, 0, len(b.Ops)), make([]Op, 0, len(b.Ops))
	for _, op := range b.Ops {
		inv, did, err := op.apply(g)
		if err != nil {
			g.rollBack(inverses)
			return nil, nil, err
		}
		inverses, dones = append(inverses, inv), append(dones, did)
	}
	slices.Reverse(inverses)
	return Batch{inverses}, Batch{dones}, nil
}

// rollBack applies inverses, latest first. They cannot fail, because each fits the state it came from.
func (g *Graph) rollBack(inverses []Op) {
	for _, inv := range slices.Backward(inverses) {
		if _, _, err := inv.apply(g); err != nil {
			panic(fmt.Sprintf("internal error: graph: roll back: %v", err))
		}
	}
}

// SetGraph sets a graph attribute, or removes it.
type SetGraph struct {
	Attr, Value string
	Remove      bool
}

func (op SetGraph) apply(g *Graph) (inverse, done Op, err error) {
	if op.Attr == "" {
		return nil, nil, fmt.Errorf("graph: an attribute needs a name")
	}
	undo := SetGraph{Attr: op.Attr}
	undo.Value, undo.Remove = before(g.Attr(op.Attr))
	if op.Remove {
		delete(g.attrs, op.Attr)
	} else {
		g.attrs[op.Attr] = op.Value
	}
	return undo, op, nil
}
