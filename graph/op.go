package graph

import (
	"fmt"
	"slices"
)

// An Op is an edit of a graph. It is a plain value: it can be kept, compared, applied again.
// The ops are AddNode, RemoveNode, AddEdge, RemoveEdge, SetNode, SetEdge, SetGraph and Batch.
type Op interface {
	// apply changes g or returns an error and changes nothing.
	apply(g *Graph) (inverse, done Op, err error)
}

// A Batch is ops that happen in order, together or not at all.
type Batch struct{ Ops []Op }

// Apply carries out an edit. inverse undoes it exactly: texts, presence of attributes, keys and
// places. done is the same edit with everything filled in that op left open (keys, the edges that
// go with a node), so that another holder of the graph, such as its file, ends up equal.
//
// An error names the thing and the obstacle and leaves the graph as it was. An inverse makes new
// elements for those that were removed: who keeps pointers across a removal and its undo looks
// them up again, by id or key.
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

// rollBack applies inverses, latest first. They cannot fail: each fits the state it came from.
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
