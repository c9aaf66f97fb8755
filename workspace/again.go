package workspace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
)

// again resolves selectors that name instances, or nodes in instances, which a run repeats: align[3], align[3]/trim,
// align[*]/trim. It returns the paths and the outer sub-flows that contain them; nil if the selectors name nodes of the
// workfile. All selectors must be of one kind, and the latest run of the sub-flow must have had the paths.
func (ns *nodeTable) again(selectors []string) (paths []string, holders []*graph.Node, err error) {
	var plain string
	held := map[*graph.Node]bool{}
	for _, list := range selectors {
		for selector := range strings.SplitSeq(list, ",") {
			selector = ns.numbered(strings.TrimSpace(selector))
			holder := ns.subFlowOf(selector)
			if holder == nil {
				plain = selector
				continue
			}
			found, err := ns.pathsOf("", nil, strings.Split(selector, "/"))
			if err != nil {
				return nil, nil, err
			}
			paths = append(paths, found...)
			if !held[holder] {
				held[holder] = true
				holders = append(holders, holder)
			}
		}
	}
	if paths != nil && plain != "" {
		return nil, nil, api.Invalid("%s is an instance of a sub-flow and %s is none: run them one after the other", paths[0], plain)
	}
	return paths, holders, nil
}

// subFlowOf returns the outer sub-flow that a path starts with; nil if the text is no path.
func (ns *nodeTable) subFlowOf(selector string) *graph.Node {
	name, rest, found := strings.Cut(selector, "[")
	if !found || !strings.Contains(rest, "]") {
		return nil
	}
	return ns.member(nil, name)
}

// member returns the node with this name in a sub-flow (nil for the outer flow), or nil.
func (ns *nodeTable) member(home *graph.Node, name string) *graph.Node {
	for _, n := range ns.file.Graph().Nodes() {
		if n.Runnable() && n.Home() == home && (home != nil || n.SubFlow()) && ns.localName(n) == name {
			return n
		}
	}
	return nil
}

// pathsOf expands the rest of a selector within an instance.
func (ns *nodeTable) pathsOf(within string, home *graph.Node, left []string) ([]string, error) {
	name, number, isInstance := strings.Cut(strings.TrimSuffix(left[0], "]"), "[")
	n := ns.member(home, name)
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
func (ns *nodeTable) instancesKnown(n *graph.Node, path string) (int, error) {
	if !n.SubFlow() {
		return 0, api.Invalid("%s is no sub-flow: it has no instances", path)
	}
	p, known := ns.before[path]
	if n.Home() == nil {
		p, known = ns.before[n.ID]
		known = known && p.Status == n.Status
	}
	if !known || p.Instances == 0 {
		return 0, &api.Error{Code: api.CodeUnknownNode, Message: fmt.Sprintf("no instance of %s is known", path),
			Why: "no run has made one that counts", Fix: "wf run --nodes " + strings.SplitN(path, "[", 2)[0]}
	}
	return p.Instances, nil
}

// scopeAgain returns the scope of a run that repeats instances: it resumes their sub-flows.
func (w *Workspace) scopeAgain(req api.RunRequest, sreq scheduler.Request, paths []string, holders []*graph.Node) (scheduler.Scope, error) {
	if req.Mode == api.ModeResume || len(req.From)+len(req.Until)+len(req.Exclude) > 0 {
		return scheduler.Scope{}, api.Invalid("instances are repeated with --nodes alone")
	}
	sreq.Mode, sreq.Selected = scheduler.Fresh, holders
	scope, err := scheduler.Choose(w.file.Graph(), sreq)
	if err != nil {
		return scope, err
	}
	scope.Mode = scheduler.Resume
	all := len(scope.Nodes)
	scope.Nodes = w.partAgain(scope.Nodes, paths, holders)
	scope.All = scope.All && len(scope.Nodes) == all
	return scope, nil
}

// partAgain keeps of the nodes of sub-flows those that took part in the latest run, and those that the paths name. A node that
// never took part must not keep the sub-flow from succeeding.
func (w *Workspace) partAgain(nodes []*graph.Node, paths []string, holders []*graph.Node) []*graph.Node {
	part, lastScope := map[string]bool{}, w.lastScopes()
	for _, holder := range holders {
		ids, known := lastScope(holder.ID)
		if !known {
			return nodes
		}
		for _, id := range ids {
			part[id] = true
		}
	}
	for _, path := range paths {
		var home *graph.Node
		for name := range strings.SplitSeq(path, "/") {
			name, _, _ = strings.Cut(name, "[")
			home = w.nodes.member(home, name)
			part[home.ID] = true
		}
		part[home.ID+"/"] = true // with its contents
	}
	return slices.DeleteFunc(nodes, func(n *graph.Node) bool {
		if part[n.ID] {
			return false
		}
		for home := n.Home(); home != nil; home = home.Home() {
			if part[home.ID+"/"] {
				return false
			}
		}
		return true
	})
}

func idsOf(nodes []*graph.Node) []string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.ID
	}
	return ids
}
