package workfile

import (
	"fmt"
	"slices"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/graph/attribute"
	"wf/scheduler/flow"
)

// settings returns what an edit sets: its Key and Value, or the list in Set.
func settings(e api.Edit) []api.Setting {
	if e.Key == "" && len(e.Set) > 0 {
		return e.Set
	}
	return append([]api.Setting{{Key: e.Key, Value: e.Value}}, e.Set...)
}

// setNode sets attributes of one node, in the order in which they are given.
func (b *editBuilder) setNode(n *graph.Node, list []api.Setting) error {
	for _, s := range list {
		if err := b.checkKey(s.Key); err != nil {
			return err
		}
		if err := checkText(s.Key, s.Value); err != nil {
			return err
		}
		on := attribute.Command
		if n.Container {
			on = attribute.Container // a group becomes a sub-flow by one of its attributes
		}
		if n.WorkfileName() != "" {
			on = attribute.Command | attribute.SubFlow // the other workfile makes it a sub-flow
		}
		if err := b.checkAttribute(on, s.Key); err != nil {
			return err
		}
		if s.Key == "name" {
			if err := b.checkName(s.Value, n); err != nil {
				return err
			}
		}
		text := "set " + s.Key + " of " + b.f.Handle(n)
		if err := b.apply(graph.SetNode{ID: n.ID, Attr: s.Key, Value: s.Value}, text); err != nil {
			return err
		}
	}
	return nil
}

// checkAttribute refuses a misspelled attribute that would affect what runs. For other unknown attributes it adds a note.
func (b *editBuilder) checkAttribute(on attribute.Element, key string) error {
	flaw := attribute.Judge(on, key)
	switch {
	case flaw != nil && flaw.Severe():
		return &api.Error{Code: api.CodeInvalid, Message: flaw.Text(on, key), Fix: "wf help attributes lists all that wf knows"}
	case flaw != nil:
		b.note(flaw.Text(on, key))
	case attribute.Find(on, key) == nil:
		b.note(fmt.Sprintf("%s means nothing to wf: it is kept for other programs (wf help attributes)", key))
	}
	return nil
}

func (b *editBuilder) note(text string) {
	if !slices.Contains(b.notes, text) {
		b.notes = append(b.notes, text)
	}
}

// warn adds notes about problems in the control flow that these edits have changed. Such edits are not refused, because a
// change in several steps may be invalid in between. Runs refuse an invalid control flow.
func (b *editBuilder) warn() {
	c := b.concerned()
	if len(c.nodes)+len(c.edges) > 0 || c.graph || b.known != nil {
		_, problems := flow.Read(b.f.g)
		for _, p := range problems {
			if p.Code == flow.CodeSubFlow && p.Attr == "" && slices.ContainsFunc(p.Nodes, func(id string) bool { return slices.Contains(b.added, id) }) {
				continue // a new container has no nodes yet
			}
			if b.known != nil && p.Severity == graph.Error && !b.known[p.Message] || p.Edge >= 0 && c.edges[p.Edge] || p.Edge < 0 && slices.ContainsFunc(p.Nodes, func(id string) bool { return c.nodes[id] }) ||
				c.graph && p.Edge < 0 && len(p.Nodes) == 0 {
				b.note(p.Message)
			}
		}
	}
	for _, key := range c.joined {
		if cycle := b.cycleThrough(key); cycle != "" {
			b.note("this closes a cycle of blocking edges, which wf run refuses: " + cycle + "; wf edit type SRC DST non-blocking makes a loop of it")
			return
		}
	}
}

// concern is the part of the control flow that edits have changed.
type concern struct {
	nodes  map[string]bool // ids
	edges  map[int]bool    // keys
	joined []int           // keys of edges that are new, or of another type
	graph  bool            // an attribute of the graph
}

func (b *editBuilder) concerned() concern {
	c := concern{nodes: map[string]bool{}, edges: map[int]bool{}}
	for _, op := range flat(graph.Batch{Ops: b.done}, nil) {
		switch op := op.(type) {
		case graph.SetGraph:
			c.graph = true
		case graph.AddNode:
			if !op.Node.Container { // a container without nodes is incomplete, but not wrong
				c.nodes[op.Node.ID] = true
			}
		case graph.SetNode:
			if a := attribute.Find(attribute.Node, op.Attr); a == nil || a.Role != attribute.Shared || op.Attr == "label" {
				c.nodes[op.ID] = true
			}
		case graph.AddEdge:
			c.edges[op.Key] = true
			c.joined = append(c.joined, op.Key)
		case graph.MoveEdge:
			c.edges[op.Key] = true
			c.joined = append(c.joined, op.Key)
		case graph.SetEdge:
			c.edges[op.Key] = true
			if op.Attr == "edge_type" {
				c.joined = append(c.joined, op.Key)
			}
		}
	}
	return c
}

// cycleThrough describes the blocking cycle that an edge closes, node by node; "" if there is none.
func (b *editBuilder) cycleThrough(key int) string {
	e := b.f.g.Edge(key)
	if e == nil || e.Type != graph.Blocking || e.Source == e.Target {
		return ""
	}
	came := map[*graph.Node]*graph.Node{e.Target: nil}
	for queue := []*graph.Node{e.Target}; len(queue) > 0 && came[e.Source] == nil; queue = queue[1:] {
		for _, next := range queue[0].Out {
			if _, seen := came[next.Target]; !seen && next.Type == graph.Blocking {
				came[next.Target] = queue[0]
				queue = append(queue, next.Target)
			}
		}
	}
	if came[e.Source] == nil {
		return ""
	}
	names := []string{b.f.Handle(e.Source)}
	for n := e.Source; n != nil; n = came[n] {
		names = append(names, b.f.Handle(n))
	}
	slices.Reverse(names)
	return strings.Join(append(names[len(names)-1:len(names):len(names)], names[:len(names)-1]...), " -> ")
}
