package nodestate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/workspace/runstate"
)

// OuterOf returns the container of the outer flow that contains a node.
func OuterOf(n *graph.Node) *graph.Node {
	for h := n.Home(); h != nil; h = h.Home() {
		n = h
	}
	return n
}

// OnlyInstance returns the path of the only instance of a node. If there are several, the error names some of them.
func (ns *Table) OnlyInstance(n *graph.Node) (path string, err error) {
	selector := ns.LocalName(n)
	for h := n.Home(); h != nil; h = h.Home() {
		selector = ns.LocalName(h) + "[*]/" + selector
	}
	nodes, _ := ns.SelectInstances(selector)
	if len(nodes) == 1 {
		return nodes[0].ID, nil
	}
	name := ns.File.Handle(n)
	if len(nodes) == 0 {
		return "", NoOutput("node %s has no output: no instance of %s has begun here yet", name, ns.File.Handle(n.Home()))
	}
	names := make([]string, len(nodes))
	for i, s := range nodes {
		names[i] = s.Name
	}
	return "", &api.Error{Code: api.CodeUnknownNode, Message: fmt.Sprintf("%s runs in %d instances of %s: name one of them", name, len(nodes), ns.File.Handle(n.Home())),
		Why: "there is " + api.Several(names, 8)}
}

// ExplainInstances adds the existing instances to an error about selectors, if one of the selectors names a sub-flow.
func (ns *Table) ExplainInstances(err error, selectors []string) error {
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Why != "" {
		return err
	}
	for _, s := range selectors {
		open := strings.IndexByte(s, '[')
		if open <= 0 {
			continue
		}
		nodes, _ := ns.SelectInstances(s[:open] + "[*]")
		var names []string
		for _, n := range nodes {
			if name, _, inside := strings.Cut(n.Name, "]"); inside && !slices.Contains(names, name+"]") && len(names) < runstate.MostNotes {
				names = append(names, name+"]")
			}
		}
		if len(names) > 0 {
			more := *refused
			more.Why = "there is " + api.Several(names, 8)
			return &more
		}
	}
	return err
}
