package nodestate

import (
	"fmt"
	"strings"

	"wf/api"
	"wf/graph"
)

// CountRunnable returns how many nodes of the workfile can be executed.
func (ns *Table) CountRunnable() int {
	n := 0
	for _, node := range ns.File.Graph().Nodes() {
		if node.Runnable() {
			n++
		}
	}
	return n
}

// Names returns the handles of nodes. For a node that the workfile no longer contains it returns the id.
func (ns *Table) Names(ids []string) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id
		if n := ns.File.Graph().Node(id); n != nil {
			names[i] = ns.File.Handle(n)
		}
	}
	return names
}

// EdgeStatus describes an edge for clients.
func EdgeStatus(e *graph.Edge) api.EdgeStatus {
	s := api.EdgeStatus{Key: e.Key, ID: e.ID, Source: e.Source.ID, Target: e.Target.ID, Type: e.Type.String(),
		Status: e.Mark.String()}
	s.When, _ = e.Attr(graph.AttrWhen)
	return s
}

// TemplateOf returns the node of the workfile for a path of an instance, or nil if there is none.
func (ns *Table) TemplateOf(path string) *graph.Node {
	var n *graph.Node
	for part := range strings.SplitSeq(path, "/") {
		name, _, _ := strings.Cut(part, "[")
		if n = ns.Member(n, name); n == nil {
			return nil
		}
	}
	return n
}

// NoOutput returns the error about an execution that did not take place.
func NoOutput(format string, args ...any) error {
	return &api.Error{Code: api.CodeNoOutput, Message: fmt.Sprintf(format, args...)}
}
