package workfile

import (
	"fmt"

	"wf/api"
	"wf/graph"
	"wf/graph/attribute"
)

// container returns the id of the container with a name or id. It returns "" for "".
func (b *editBuilder) container(name string) (id string, err error) {
	if name == "" {
		return "", nil
	}
	n, err := b.f.Find(name)
	if err != nil {
		return "", err
	}
	if !n.Container {
		return "", &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("node %s is a command, not a container of nodes", b.f.Handle(n)),
			Fix: "wf edit add-container NAME makes one"}
	}
	return n.ID, nil
}

func (b *editBuilder) setEdge(e api.Edit) error {
	for _, s := range settings(e) {
		if err := checkText(s.Key, s.Value); err != nil {
			return err
		}
		one := e
		one.Key, one.Value, one.Set = s.Key, s.Value, nil
		if err := b.checkEdgeKey(s.Key); err != nil {
			return err
		}
		if err := b.onEdges(one, "set "+s.Key+" of edge ", func(edge *graph.Edge) graph.Op {
			return graph.SetEdge{Key: edge.Key, Attr: s.Key, Value: s.Value}
		}); err != nil {
			return err
		}
	}
	return nil
}

// checkEdgeKey refuses edge attributes that have a different kind of edit or that cannot be edited.
func (b *editBuilder) checkEdgeKey(key string) error {
	switch key {
	case "status", "id":
		return api.Invalid("the %s of an edge is not set by hand", key)
	case "edge_type":
		return &api.Error{Code: api.CodeInvalid, Message: "edge_type is not set like other attributes", Fix: "wf edit type SRC DST TYPE"}
	}
	if err := b.checkKey(key); err != nil {
		return err
	}
	return b.checkAttribute(attribute.Edge, key)
}

func (b *editBuilder) unsetEdge(e api.Edit) error {
	switch e.Key {
	case "status", "id", "edge_type":
		return b.checkEdgeKey(e.Key)
	}
	if err := b.checkKey(e.Key); err != nil {
		return err
	}
	return b.onEdges(e, "removed "+e.Key+" of edge ", func(edge *graph.Edge) graph.Op {
		return graph.SetEdge{Key: edge.Key, Attr: e.Key, Remove: true}
	})
}

// onEdges changes an attribute of the edges between two nodes.
func (b *editBuilder) onEdges(e api.Edit, text string, op func(*graph.Edge) graph.Op) error {
	edges, name, err := b.between(e)
	if err != nil {
		return err
	}
	for _, edge := range edges {
		now, _ := edge.Attr(e.Key)
		if err := unchanged(e, now, " of edge "+name); err != nil {
			return err
		}
		if err := b.apply(op(edge), text+name); err != nil {
			return err
		}
	}
	return nil
}
