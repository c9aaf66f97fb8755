package workspace

import (
	"fmt"
	"slices"

	"wf/api"
	"wf/flow"
	"wf/graph"
)

// container finds the container that a new node lies in, by its id; "" for none.
func (b *editBuilder) container(name string) (id string, err error) {
	if name == "" {
		return "", nil
	}
	n, err := b.w.find(name)
	if err != nil {
		return "", err
	}
	if !n.Container {
		return "", &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("node %s is a command, not a container of nodes", b.w.handle(n)),
			Fix: "wf edit add-container NAME makes one"}
	}
	return n.ID, nil
}

func (b *editBuilder) setEdge(e api.Edit) error {
	if err := checkText(e.Key, e.Value); err != nil {
		return err
	}
	return b.onEdges(e, "set "+e.Key+" of edge ", func(edge *graph.Edge) graph.Op {
		return graph.SetEdge{Key: edge.Key, Attr: e.Key, Value: e.Value}
	})
}

func (b *editBuilder) unsetEdge(e api.Edit) error {
	return b.onEdges(e, "removed "+e.Key+" of edge ", func(edge *graph.Edge) graph.Op {
		return graph.SetEdge{Key: edge.Key, Attr: e.Key, Remove: true}
	})
}

// onEdges changes an attribute of the edges between two nodes.
func (b *editBuilder) onEdges(e api.Edit, text string, op func(*graph.Edge) graph.Op) error {
	switch e.Key {
	case "status", "id":
		return invalid("the %s of an edge is not set by hand", e.Key)
	case "edge_type":
		return &api.Error{Code: api.CodeInvalid, Message: "edge_type is not set like other attributes", Fix: "wf edit type SRC DST TYPE"}
	}
	if err := b.checkKey(e.Key); err != nil {
		return err
	}
	edges, name, err := b.between(e)
	if err != nil {
		return err
	}
	for _, edge := range edges {
		if now, _ := edge.Attr(e.Key); e.Was != nil && *e.Was != now {
			return &api.Error{Code: api.CodeConflict, Message: fmt.Sprintf("the %s of edge %s was changed by somebody else meanwhile", e.Key, name),
				Why: "it is now " + quoteShort(now)}
		}
		if err := b.apply(op(edge), text+name); err != nil {
			return err
		}
	}
	return nil
}

// plainKeys are the attributes of nodes that no control flow is made of. A label is: it must not hold
// what belongs to the environment.
var plainKeys = []string{"name", "group", "x", "y", "idempotent"}

// warn adds what is wrong, after these edits, with the control flow of what they name. Nothing is
// refused for it: what is written in several steps is wrong in between, and runs refuse it anyway.
func (b *editBuilder) warn(edits []api.Edit) {
	nodes, edges, whole := b.concerned(edits)
	if len(nodes)+len(edges) == 0 && !whole {
		return
	}
	_, problems := flow.Read(b.w.g)
	for _, p := range problems {
		about := p.Edge >= 0 && edges[p.Edge] || p.Edge < 0 && slices.ContainsFunc(p.Nodes, func(id string) bool { return nodes[id] }) ||
			whole && p.Edge < 0 && len(p.Nodes) == 0
		if about && !slices.Contains(b.notes, p.Message) {
			b.notes = append(b.notes, p.Message)
		}
	}
}

// concerned are the nodes and edges whose control flow edits have touched; whole: also that of the graph.
func (b *editBuilder) concerned(edits []api.Edit) (nodes map[string]bool, edges map[int]bool, whole bool) {
	nodes, edges = map[string]bool{}, map[int]bool{}
	for _, e := range edits {
		switch e.Op {
		case api.OpSetGraph, api.OpUnsetGraph:
			whole = whole || e.Key == "params" || e.Key == "on_busy"
		case api.OpSet, api.OpUnset:
			if slices.Contains(plainKeys, e.Key) {
				continue
			}
			found, err := b.w.sel(e.Nodes)
			if err != nil {
				continue // it was renamed by a later edit
			}
			for _, n := range found {
				nodes[n.ID] = true
			}
		case api.OpSetEdge, api.OpUnsetEdge, api.OpAddEdge:
			found, _, err := b.between(e)
			if err != nil {
				continue
			}
			for _, edge := range found {
				edges[edge.Key] = true
			}
		}
	}
	return nodes, edges, whole
}
