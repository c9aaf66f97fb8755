package nodestate

import (
	"slices"
	"time"

	"wf/api"
	"wf/graph"
	"wf/workspace/runstate"
)

// stageTable caches the stages of the graph while its handles are valid.
type stageTable struct {
	handles *graph.HandleTable
	list    []graph.Stage
}

func (ns *Table) stageList() []graph.Stage {
	if t := ns.File.Handles(); ns.stages.handles != t {
		ns.stages = stageTable{t, outerStages(graph.Stages(ns.File.Graph(), t))}
	}
	return ns.stages.list
}

// outerStages removes the nodes inside sub-flows, which their containers represent.
func outerStages(list []graph.Stage) []graph.Stage {
	for _, s := range list {
		for _, n := range s.Nodes {
			if n.Parent != nil && n.Home() != nil {
				return runstate.WithinScope(list, func(n *graph.Node) bool { return n.Parent == nil || n.Home() == nil })
			}
		}
	}
	return list
}

// AddStages adds at most limit stages to a status.
func (ns *Table) AddStages(s *api.Status, limit int) {
	list, blocked := ns.stageList(), ns.Blocked()
	all := len(list) <= limit
	for _, stage := range list {
		out := api.Stage{Name: stage.Name, Nodes: len(stage.Nodes)}
		for _, n := range stage.Nodes {
			s := ns.State(n, blocked[n.Pos()])
			if s == api.StateFailed && handledLast(ns, n) > 0 {
				s = api.StateHandled
			}
			out.Counts.Add(s)
		}
		if all {
			out.After = stage.After
		} else if len(s.Stages) == limit || calm(out.Counts) {
			s.MoreStages++
			continue
		}
		out.Notable = ns.notableNodes(stage.Nodes, blocked)
		s.Stages = append(s.Stages, out)
	}
}

// handledLast is a sort key for failures: unhandled ones come first.
func handledLast(ns *Table, n *graph.Node) int {
	if rec := ns.Record(n); rec != nil && rec.Handled {
		return 1
	}
	return 0
}

// calm reports whether a stage contains nothing that needs attention.
func calm(c api.Counts) bool {
	return c.Running+c.Failed+c.Handled+c.Cancelled+c.Waiting+c.Retrying == 0
}

// notableNodes returns the nodes of a stage that need attention first.
func (ns *Table) notableNodes(nodes []*graph.Node, blocked []bool) []api.NodeStatus {
	var failed, waiting, running, picked []*graph.Node
	var atEngine *graph.Node // the first one that waits at an engine, for all of them
	for _, n := range nodes {
		switch ns.State(n, false) {
		case api.StateFailed:
			failed = append(failed, n)
		case api.StateWaiting, api.StateRetrying:
			waiting = append(waiting, n)
		case api.StateRunning:
			running = append(running, n)
		case api.StateQueued:
			if atEngine == nil && ns.Record(n).AtEngine() {
				atEngine = n
			}
		}
	}
	slices.SortStableFunc(failed, func(a, b *graph.Node) int { return handledLast(ns, a) - handledLast(ns, b) })
	started := func(n *graph.Node) (t time.Time) {
		if rec := ns.Record(n); rec != nil {
			t = rec.StartedAt
		}
		return t
	}
	slices.SortStableFunc(running, func(a, b *graph.Node) int { return started(a).Compare(started(b)) })
	picked = append(failed[:min(len(failed), runstate.MostNotable)], waiting[:min(len(waiting), runstate.MostNotable)]...)
	picked = append(picked, running[:min(len(running), runstate.MostNotable)]...)
	if atEngine != nil {
		picked = append(picked, atEngine)
	}
	if len(nodes) == 1 {
		picked = nodes
	}
	list := make([]api.NodeStatus, len(picked))
	for i, n := range picked {
		list[i] = ns.NodeStatus(n, blocked[n.Pos()])
		list[i].Command = ""
	}
	return list
}
