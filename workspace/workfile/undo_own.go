package workfile

import (
	"fmt"
	"slices"

	"wf/api"
	"wf/graph"
)

// An undo reverts the latest edit of the same person. Later edits of other persons stay. If one of them changed the same
// part of the workfile, the undo is refused, and the error names that edit.

// A part is something of the workfile that an edit changes: a node as a whole (structure), one attribute of a node or of the
// graph (Node ""), or the edges between two nodes.
type part struct {
	Node      string `json:"node,omitempty"`
	Attr      string `json:"attr,omitempty"`
	To        string `json:"to,omitempty"` // the target of an edge, whose source is Node; or a node in the container Node
	Structure bool   `json:"structure,omitempty"`
}

// The parts of a move: where a node lies, and that a container contains the node To.
const (
	partPlace    = "container"
	partContents = "nodes"
)

// partsOf returns the parts that an op changes. g is the graph before the op and is used to look up edges.
func partsOf(g *graph.Graph, op graph.Op) (list []part) {
	edge := func(key int) {
		if e := g.Edge(key); e != nil { // otherwise the same edit created it, and its ends are listed already
			list = append(list, part{Node: e.Source.ID, To: e.Target.ID})
		}
	}
	for _, op := range flat(op, nil) {
		switch op := op.(type) {
		case graph.AddNode:
			list = append(list, part{Node: op.Node.ID, Structure: true})
			if op.Parent != "" {
				list = append(list, part{Node: op.Parent, To: op.Node.ID})
			}
		case graph.RemoveNode:
			list = append(list, part{Node: op.ID, Structure: true})
			if n := g.Node(op.ID); n != nil {
				if n.Parent != nil {
					list = append(list, part{Node: n.Parent.ID, To: n.ID})
				}
				for _, e := range slices.Concat(n.In, n.Out) {
					edge(e.Key)
				}
			}
		case graph.MoveNode:
			list = append(list, part{Node: op.ID, Attr: partPlace})
			if op.Parent != "" {
				list = append(list, part{Node: op.Parent, To: op.ID, Attr: partContents})
			}
			if n := g.Node(op.ID); n != nil && n.Parent != nil {
				list = append(list, part{Node: n.Parent.ID, To: op.ID, Attr: partContents})
			}
		case graph.MoveEdge:
			edge(op.Key)
			list = append(list, part{Node: op.Source, To: op.Target})
		case graph.AddEdge:
			list = append(list, part{Node: op.Source, To: op.Target})
		case graph.RemoveEdge:
			edge(op.Key)
		case graph.SetEdge:
			edge(op.Key)
		case graph.SetNode:
			list = append(list, part{Node: op.ID, Attr: op.Attr})
		case graph.SetGraph:
			list = append(list, part{Attr: op.Attr})
		}
	}
	return list
}

// overlaps reports whether two edits change the same part, or one changes a part that the other needs.
func overlaps(a, b []part) bool {
	return slices.ContainsFunc(a, func(x part) bool {
		return slices.ContainsFunc(b, func(y part) bool {
			switch {
			case x.Structure && (x.Node == y.Node || x.Node == y.To), y.Structure && (y.Node == x.Node || y.Node == x.To):
				return true
			case x.Node == y.Node && x.Attr == partPlace && y.Attr == partContents, x.Node == y.Node && x.Attr == partContents && y.Attr == partPlace:
				return true // a container cannot return into a node in it
			}
			return x == y
		})
	})
}

// of reports whether a user may undo an edit: it is the user's own, or one of the two has no name.
func (e *edit) of(user string) bool { return e.by.User == "" || user == "" || e.by.User == user }

// own returns the index of a user's latest edit in a list, or -1. It returns a conflict if a later edit of another person
// changed the same part.
func own(list []edit, op, user string) (int, error) {
	for i := len(list) - 1; i >= 0; i-- {
		e := &list[i]
		if !e.of(user) {
			continue
		}
		for k := i + 1; k < len(list); k++ {
			if later := &list[k]; overlaps(e.touched, later.touched) {
				return -1, &api.Error{Code: api.CodeConflict, Message: fmt.Sprintf("%q cannot be %sne", e.text, op),
					Why: fmt.Sprintf("%s did %q to the same since", later.by.User, later.text)}
			}
		}
		return i, nil
	}
	return -1, nil
}

// dropRedo removes edits from the redo list that a new edit invalidates: all of the same person, and those of other persons
// that change the same part. An edit that was undone before one of these, and changes the same part, goes with it: it applies
// to what that one would restore.
func (l *editLog) dropRedo(e *edit) {
	invalid := []*edit{e}
	for i := len(l.redo) - 1; i >= 0; i-- {
		r := l.redo[i] // a copy, because Delete moves the others
		if r.of(e.by.User) || slices.ContainsFunc(invalid, func(x *edit) bool { return overlaps(r.touched, x.touched) }) {
			invalid = append(invalid, &r)
			l.redo = slices.Delete(l.redo, i, i+1)
		}
	}
}
