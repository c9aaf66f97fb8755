package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/workspace/runstate"
)

// A node inside a container runs once in each instance. People name it as the workfile does, and mean all its instances.

// outerOf returns the container of the outer flow that a node lies in.
func outerOf(n *graph.Node) *graph.Node {
	for h := n.Home(); h != nil; h = h.Home() {
		n = h
	}
	return n
}

// onlyInstance returns the path of the only instance of a node. If there are several, the error names some.
func (ns *nodeTable) onlyInstance(n *graph.Node) (path string, err error) {
	selector := ns.localName(n)
	for h := n.Home(); h != nil; h = h.Home() {
		selector = ns.localName(h) + "[*]/" + selector
	}
	nodes, _ := ns.selectInstances(selector)
	if len(nodes) == 1 {
		return nodes[0].ID, nil
	}
	name := ns.file.Handle(n)
	if len(nodes) == 0 {
		return "", noOutput("node %s has no output: no instance of %s has begun here yet", name, ns.file.Handle(n.Home()))
	}
	names := make([]string, len(nodes))
	for i, s := range nodes {
		names[i] = s.Name
	}
	return "", &api.Error{Code: api.CodeUnknownNode, Message: fmt.Sprintf("%s runs in %d instances of %s: name one of them", name, len(nodes), ns.file.Handle(n.Home())),
		Why: "there is " + api.Several(names, 8)}
}

// whichInstances adds to an error about selectors which instances the container has that one of them names.
func (ns *nodeTable) whichInstances(err error, selectors []string) error {
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Why != "" {
		return err
	}
	for _, s := range selectors {
		open := strings.IndexByte(s, '[')
		if open <= 0 {
			continue
		}
		nodes, _ := ns.selectInstances(s[:open] + "[*]")
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
