package workfile

import (
	"fmt"
	"slices"

	"wf/api"
	"wf/graph"
)

// Who undoes takes back the latest edit of their own. What others did after it stays, as long as the two
// have nothing to do with each other; else the undo is refused, and says what is in its way.

// A touch is a part of the workfile that an edit changes: a node as a whole (structure), one attribute of
// it or of the graph (Node ""), or what is between two nodes.
type touch struct {
	Node      string `json:"node,omitempty"`
	Attr      string `json:"attr,omitempty"`
	To        string `json:"to,omitempty"` // the target of an edge, whose source is Node
	Structure bool   `json:"structure,omitempty"`
}

// touches are what ops change. g is the graph as it is before them: edges are found in it.
func touches(g *graph.Graph, op graph.Op) (list []touch) {
	edge := func(key int) {
		if e := g.Edge(key); e != nil { // else it was made by the same edit, which has its ends already
			list = append(list, touch{Node: e.Source.ID, To: e.Target.ID})
		}
	}
	for _, op := range flat(op, nil) {
		switch op := op.(type) {
		case graph.AddNode:
			list = append(list, touch{Node: op.Node.ID, Structure: true})
		case graph.RemoveNode:
			list = append(list, touch{Node: op.ID, Structure: true})
			if n := g.Node(op.ID); n != nil {
				for _, e := range slices.Concat(n.In, n.Out) {
					edge(e.Key)
				}
			}
		case graph.AddEdge:
			list = append(list, touch{Node: op.Source, To: op.Target})
		case graph.RemoveEdge:
			edge(op.Key)
		case graph.SetEdge:
			edge(op.Key)
		case graph.SetNode:
			list = append(list, touch{Node: op.ID, Attr: op.Attr})
		case graph.SetGraph:
			list = append(list, touch{Attr: op.Attr})
		}
	}
	return list
}

// meets says whether two edits change the same, or one of them what the other one rests on.
func meets(a, b []touch) bool {
	return slices.ContainsFunc(a, func(x touch) bool {
		return slices.ContainsFunc(b, func(y touch) bool {
			switch {
			case x.Structure && (x.Node == y.Node || x.Node == y.To), y.Structure && (y.Node == x.Node || y.Node == x.To):
				return true
			}
			return x == y
		})
	})
}

// of says whether an entry is somebody's to undo. Where one of them has no name there is nobody to tell
// apart.
func (e *edit) of(user string) bool { return e.by.User == "" || user == "" || e.by.User == user }

// own is the latest entry of a list that a person may turn, or -1; it is a conflict when an edit of
// somebody else has come upon it since.
func own(list []edit, op, user string) (int, error) {
	for i := len(list) - 1; i >= 0; i-- {
		e := &list[i]
		if !e.of(user) {
			continue
		}
		for k := i + 1; k < len(list); k++ {
			if later := &list[k]; meets(e.touched, later.touched) {
				return -1, &api.Error{Code: api.CodeConflict, Message: fmt.Sprintf("%q cannot be %sne", e.text, op),
					Why: fmt.Sprintf("%s did %q to the same since", later.by.User, later.text)}
			}
		}
		return i, nil
	}
	return -1, nil
}

// overtake forgets what can be redone that a new edit of somebody makes pointless: all of their own, and
// what others have undone of the same.
func (l *editLog) overtake(e *edit) {
	l.redo = slices.DeleteFunc(l.redo, func(r edit) bool { return r.of(e.by.User) || meets(r.touched, e.touched) })
}
