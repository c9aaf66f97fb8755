package nodestate

import (
	"fmt"
	"strconv"
	"strings"

	"wf/api"
	"wf/graph"
)

// InstancePaths resolves selectors of instances, or of nodes in instances, that a run repeats: align[3], align[3]/trim,
// align[*]/trim. It returns the paths and the sub-flows of the outer flow that contain them, or nil if the selectors name
// nodes of the workfile. All selectors must be of one kind, and the paths must exist in the latest run of the sub-flow.
func (ns *Table) InstancePaths(selectors []string) (paths []string, subFlows []*graph.Node, err error) {
	var plain string
	seen := map[*graph.Node]bool{}
	for _, list := range selectors {
		for selector := range strings.SplitSeq(list, ",") {
			selector = ns.Numbered(strings.TrimSpace(selector))
			subFlow := ns.subFlowOf(selector)
			if subFlow == nil {
				plain = selector
				continue
			}
			found, err := ns.pathsOf("", nil, strings.Split(selector, "/"))
			if err != nil {
				return nil, nil, err
			}
			paths = append(paths, found...)
			if !seen[subFlow] {
				seen[subFlow] = true
				subFlows = append(subFlows, subFlow)
			}
		}
	}
	if paths != nil && plain != "" {
		return nil, nil, api.Invalid("%s is an instance of a sub-flow and %s is none: run them one after the other", paths[0], plain)
	}
	return paths, subFlows, nil
}

// subFlowOf returns the sub-flow of the outer flow that a path starts with, or nil if the text is not a path.
func (ns *Table) subFlowOf(selector string) *graph.Node {
	name, rest, found := strings.Cut(selector, "[")
	if !found || !strings.Contains(rest, "]") {
		return nil
	}
	return ns.Member(nil, name)
}

// Member returns the node with this name in a sub-flow, or nil. A nil home means the outer flow.
func (ns *Table) Member(home *graph.Node, name string) *graph.Node {
	for _, n := range ns.File.Graph().Nodes() {
		if n.Runnable() && n.Home() == home && (home != nil || n.SubFlow()) && ns.LocalName(n) == name {
			return n
		}
	}
	return nil
}

// pathsOf expands the rest of a selector within an instance.
func (ns *Table) pathsOf(within string, home *graph.Node, left []string) ([]string, error) {
	name, number, isInstance := strings.Cut(strings.TrimSuffix(left[0], "]"), "[")
	n := ns.Member(home, name)
	if n == nil {
		return nil, &api.Error{Code: api.CodeUnknownNode, Message: fmt.Sprintf("there is no node %s in %s", name, strings.TrimSuffix(within, "/")),
			Why: "there is " + api.Several(ns.membersOf(home), 8)}
	}
	path := within + name
	if !isInstance {
		if len(left) > 1 {
			return nil, api.Invalid("%s/%s: say which instance of %s is meant: %s[0]/%s, or %s[*]/%s", path, left[1], name, path, left[1], path, left[1])
		}
		return []string{path}, nil
	}
	known, err := ns.instancesKnown(n, path)
	if err != nil {
		return nil, err
	}
	first, end := 0, known
	if number != "*" {
		k, err := strconv.Atoi(number)
		if err != nil {
			return nil, api.Invalid("%s[%s]: no instance is called so, and none has that item; write an item, a number from 0, as in %s, or * for all", path, number, instancePath(path, 0))
		}
		if k < 0 || k >= known {
			return nil, &api.Error{Code: api.CodeUnknownNode, Message: fmt.Sprintf("there is no %s[%s]", path, number),
				Why: fmt.Sprintf("the latest run of it had %s to %s", instancePath(path, 0), instancePath(path, known-1))}
		}
		first, end = k, k+1
	}
	var paths []string
	for k := first; k < end; k++ {
		if len(left) == 1 {
			paths = append(paths, instancePath(path, k))
			continue
		}
		more, err := ns.pathsOf(instancePath(path, k)+"/", n, left[1:])
		if err != nil {
			return nil, err
		}
		paths = append(paths, more...)
	}
	return paths, nil
}

// instancesKnown returns how many instances of a sub-flow can be repeated.
func (ns *Table) instancesKnown(n *graph.Node, path string) (int, error) {
	if !n.SubFlow() {
		return 0, api.Invalid("%s is not a sub-flow: it has no instances", path)
	}
	p, known := ns.Prior[path]
	if n.Home() == nil {
		p, known = ns.Prior[n.ID]
		known = known && p.Status == n.Status
	}
	if !known || p.Instances == 0 {
		return 0, &api.Error{Code: api.CodeUnknownNode, Message: fmt.Sprintf("no instance of %s is known", path),
			Why: "no run has made one that counts", Fix: "wf run --nodes " + strings.SplitN(path, "[", 2)[0]}
	}
	return p.Instances, nil
}

// IDsOf returns the ids of nodes.
func IDsOf(nodes []*graph.Node) []string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.ID
	}
	return ids
}
