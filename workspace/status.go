package workspace

import (
	"context"

	"wf/api"
	"wf/workspace/nodestate"
	"wf/workspace/workfile"
)

// Status describes the workspace, with its nodes and edges if nodes is true.
func (w *Workspace) Status(ctx context.Context, nodes bool) (api.Status, error) {
	return workfile.Ask(ctx, w.file, func() (api.Status, error) { return w.status(nodes), nil })
}

// Overview is like Status, but returns at most the given number of stages instead of nodes and edges.
func (w *Workspace) Overview(ctx context.Context, stages int) (api.Status, error) {
	return workfile.Ask(ctx, w.file, func() (api.Status, error) {
		s := w.status(false)
		w.nodes.AddStages(&s, stages)
		return s, nil
	})
}

func (w *Workspace) status(nodes bool) api.Status {
	s := api.Status{Schema: api.SchemaStatus, Workfile: w.path, Workspace: w.id, ActiveRuns: []string{},
		LastRun: w.presence.latest, Queued: w.queue.inQueue(), Wrapper: w.file.Wrapper(), Problem: w.file.Problem(),
		Results: w.file.Statuses().Results(), FromFile: w.file.Statuses().CountFromFile(), MovedFrom: w.movedSince()}
	for _, r := range w.runs {
		if r.ID == "" {
			continue // it has no number yet
		}
		s.ActiveRuns = append(s.ActiveRuns, r.ID)
		s.Runs = append(s.Runs, r.Summary())
	}
	if w.quarantine.state.why != "" {
		s.Problem = w.quarantine.state.why
	}
	for _, n := range w.quarantine.state.runs {
		if past := w.quarantine.state.past[n]; past != nil {
			sum := *past
			sum.Held, sum.Problem = api.HeldWorkfile, ""
			s.ActiveRuns, s.Runs = append(s.ActiveRuns, sum.Run), append(s.Runs, sum)
		}
	}
	blocked := w.nodes.Blocked()
	s.Counts = w.nodes.Count(blocked)
	if !nodes {
		return s
	}
	s.Attrs = w.file.Graph().Attrs()
	s.Nodes = make([]api.NodeStatus, 0, len(w.file.Graph().Nodes()))
	for _, n := range w.file.Graph().Nodes() {
		s.Nodes = append(s.Nodes, w.nodes.NodeStatus(n, blocked[n.Pos()]))
	}
	s.Edges = make([]api.EdgeStatus, 0, len(w.file.Graph().Edges()))
	for _, e := range w.file.Graph().Edges() {
		s.Edges = append(s.Edges, nodestate.EdgeStatus(e))
	}
	w.nodes.DescribeEdges(s.Edges)
	return s
}
