package workspace

import (
	"slices"
	"time"

	"wf/api"
	"wf/graph"
)

// notable bounds how many failed and how many running nodes of a stage are named.
const notable = 3

// stageTable keeps the stages of the graph as long as its handles are valid.
type stageTable struct {
	handles *graph.HandleTable
	list    []graph.Stage
}

func (w *Workspace) stageList() []graph.Stage {
	if t := w.table(); w.stages.handles != t {
		w.stages = stageTable{t, graph.Stages(w.g, t)}
	}
	return w.stages.list
}

// addStages puts at most limit stages into a status.
func (w *Workspace) addStages(s *api.Status, limit int) {
	list, blocked := w.stageList(), w.blocked()
	all := len(list) <= limit
	for _, stage := range list {
		out := api.Stage{Name: stage.Name, Nodes: len(stage.Nodes)}
		for _, n := range stage.Nodes {
			out.Counts.Add(w.state(n, blocked[n.Pos()]))
		}
		if all {
			out.After = stage.After
		} else if len(s.Stages) == limit || out.Counts.Running+out.Counts.Failed+out.Counts.Cancelled == 0 {
			s.MoreStages++
			continue
		}
		out.Notable = w.notableNodes(stage.Nodes, blocked)
		s.Stages = append(s.Stages, out)
	}
}

// notableNodes are those of a stage that a person would look at first.
func (w *Workspace) notableNodes(nodes []*graph.Node, blocked []bool) []api.NodeStatus {
	var failed, running, picked []*graph.Node
	for _, n := range nodes {
		switch w.state(n, false) {
		case api.StateFailed:
			failed = append(failed, n)
		case api.StateRunning:
			running = append(running, n)
		}
	}
	started := func(n *graph.Node) (t time.Time) {
		if rec := w.record(n); rec != nil {
			t = rec.started
		}
		return t
	}
	slices.SortStableFunc(running, func(a, b *graph.Node) int { return started(a).Compare(started(b)) })
	picked = append(failed[:min(len(failed), notable)], running[:min(len(running), notable)]...)
	if len(nodes) == 1 {
		picked = nodes
	}
	list := make([]api.NodeStatus, len(picked))
	for i, n := range picked {
		list[i] = w.nodeStatus(n, blocked[n.Pos()])
		list[i].Command = ""
	}
	return list
}
