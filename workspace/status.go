package workspace

import (
	"context"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/graph/attribute"
	"wf/workspace/nodestate"
)

// Status describes the workspace; nodes says whether nodes and edges are included.
func (w *Workspace) Status(ctx context.Context, nodes bool) (api.Status, error) {
	return askNow(ctx, w, func(w *Workspace) (api.Status, error) { return w.status(nodes), nil })
}

// Overview is Status with at most so many stages instead of nodes and edges.
func (w *Workspace) Overview(ctx context.Context, stages int) (api.Status, error) {
	return askNow(ctx, w, func(w *Workspace) (api.Status, error) {
		s := w.status(false)
		w.nodes.AddStages(&s, stages)
		return s, nil
	})
}

// Select resolves selectors to nodes.
func (w *Workspace) Select(ctx context.Context, selectors []string) (api.NodeList, error) {
	return askNow(ctx, w, func(w *Workspace) (api.NodeList, error) {
		list := api.NodeList{Schema: api.SchemaNodes, Nodes: []api.NodeStatus{}, Problem: w.file.Unreadable()}
		nodes := w.file.Graph().Nodes()
		if len(selectors) > 0 {
			var plain []string
			for _, s := range instanceTerms(selectors) {
				if state, ok := strings.CutPrefix(s, "s:"); ok {
					list.Nodes = append(list.Nodes, w.nodes.InstancesInState(state)...)
				}
				if found, ok := w.nodes.SelectInstances(s); ok {
					list.Nodes = append(list.Nodes, found...)
					continue
				}
				plain = append(plain, s)
			}
			if plain == nil {
				return list, nil
			}
			var err error
			if nodes, err = w.file.Select(plain); err != nil {
				return list, w.nodes.ExplainInstances(err, plain)
			}
		}
		blocked := w.nodes.Blocked()
		for _, n := range nodes {
			s := w.nodes.NodeStatus(n, blocked[n.Pos()])
			s.Attrs = ownAttrs(n)
			s.Outputs = w.outputsOf(n)
			list.Nodes = append(list.Nodes, s)
		}
		return list, nil
	})
}

// ownAttrs returns the attributes of a node that people edit, other than its command and place, and those that are misspelt ones.
func ownAttrs(n *graph.Node) map[string]string {
	attrs := map[string]string{}
	for a := range attribute.On(attribute.Node) {
		if value, has := n.Attr(a.Name); has && a.Settable() && a.Name != "label" && a.Name != "x" && a.Name != "y" {
			attrs[a.Name] = value
		}
	}
	for name, value := range n.Extra {
		if attribute.Judge(attribute.Node, name) != nil {
			attrs[name] = value
		}
	}
	if len(attrs) == 0 {
		return nil
	}
	return attrs
}

// instanceTerms splits lists that name instances, or states, which instances may be in.
func instanceTerms(selectors []string) (terms []string) {
	for _, s := range selectors {
		if strings.Contains(s, ",") && (strings.Contains(s, "]") || strings.Contains(s, "s:")) {
			for part := range strings.SplitSeq(s, ",") {
				terms = append(terms, strings.TrimSpace(part))
			}
			continue
		}
		terms = append(terms, s)
	}
	return terms
}

func (w *Workspace) status(nodes bool) api.Status {
	s := api.Status{Schema: api.SchemaStatus, Workfile: w.path, Workspace: w.id, ActiveRuns: []string{},
		LastRun: w.latest, Queued: w.inQueue(), Wrapper: w.file.Wrapper(), Problem: w.file.Problem(),
		Results: w.file.Statuses().Results(), FromFile: w.file.Statuses().CountFromFile(), MovedFrom: w.moved()}
	for _, r := range w.runs {
		if r.ID == "" {
			continue // it has no number yet
		}
		s.ActiveRuns = append(s.ActiveRuns, r.ID)
		s.Runs = append(s.Runs, r.summary())
	}
	if w.held.why != "" {
		s.Problem = w.held.why
	}
	for _, n := range w.held.runs {
		if past := w.held.past[n]; past != nil {
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
