package planning

import (
	"slices"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
)

// repeatScope returns the scope of a run that repeats instances. The run resumes their sub-flows.
func (pl *Planner) repeatScope(req api.RunRequest, sreq scheduler.Request, paths []string, holders []*graph.Node) (scheduler.Scope, error) {
	if req.Mode == api.ModeResume || len(req.From)+len(req.Until)+len(req.Exclude) > 0 {
		return scheduler.Scope{}, api.Invalid("instances are repeated with --nodes alone")
	}
	sreq.Mode, sreq.Selected = scheduler.Fresh, holders
	scope, err := scheduler.Choose(pl.File.Graph(), sreq)
	if err != nil {
		return scope, err
	}
	scope.Mode = scheduler.Resume
	all := len(scope.Nodes)
	scope.Nodes = pl.repeatedNodes(scope.Nodes, paths, holders)
	scope.All = scope.All && len(scope.Nodes) == all
	return scope, nil
}

// repeatedNodes removes nodes of sub-flows from nodes that neither took part in the latest run nor are named by the paths. A
// node that never took part must not keep the sub-flow from succeeding.
func (pl *Planner) repeatedNodes(nodes []*graph.Node, paths []string, holders []*graph.Node) []*graph.Node {
	part := map[string]bool{}
	for _, holder := range holders {
		ids, known := pl.lastScope(holder.ID)
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
			home = pl.Nodes.Member(home, name)
			part[home.ID] = true
		}
		part[home.ID+"/"] = true // and what it contains
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
