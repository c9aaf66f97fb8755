package workspace

import (
	"wf/graph"
	"wf/workspace/history"
)

// rereadGraph makes a run as it was when it began, from its record, and returns the graph that it began
// with and what happened in it. The run has no live nodes, no executor and no journal: it is for
// looking at only. It asks nothing of the loop, so that it may be called from any goroutine.
func (w *Workspace) rereadGraph(n int) (*run, *graph.Graph, []history.Record, error) {
	r := &run{n: n, id: runID(n), dir: w.store.Dir(n)}
	g, err := w.thaw(n)
	if err != nil {
		return nil, nil, nil, err
	}
	var records []history.Record
	r.req, err = w.store.Replay(n, func(rec history.Record) error { records = append(records, rec); return nil })
	if err != nil {
		return nil, nil, nil, err
	}
	r.client = r.req.Client
	if err = r.reschedule(g); err != nil {
		return nil, nil, nil, err
	}
	r.freezeTemplates(g)
	r.folding = true
	r.edges = make([]*graph.Edge, r.sched.EdgeCount())
	r.nodes = make([]runNode, r.sched.NodeCount())
	for k := range r.nodes {
		id := r.req.Scope[k]
		r.nodes[k] = runNode{id: id, name: r.req.Names[k], label: g.Node(id).Label}
	}
	return r, g, records, nil
}
