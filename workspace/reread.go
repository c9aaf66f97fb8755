package workspace

import (
	"wf/graph"
	"wf/history"
)

// rereadGraph makes a run as it was when it began, from its record, and returns the graph that it began
// with and what happened in it. The run has no live nodes, no executor and no journal: it is for
// looking at only. It asks nothing of the loop, so that it may be called from any goroutine.
func (w *Workspace) rereadGraph(n int) (*run, *graph.Graph, []history.Record, error) {
	r := &run{n: n, id: runID(n)}
	frozen, err := w.store.Workfile(n)
	if err != nil {
		return nil, nil, nil, err
	}
	var records []history.Record
	r.req, err = w.store.Replay(n, func(rec history.Record) error { records = append(records, rec); return nil })
	if err != nil {
		return nil, nil, nil, err
	}
	r.client = r.req.Client
	g, err := thaw(frozen)
	if err != nil {
		return nil, nil, nil, err
	}
	if r.sched, err = schedulerOn(g, r.req); err != nil {
		return nil, nil, nil, err
	}
	r.edges = make([]*graph.Edge, r.sched.EdgeCount())
	r.nodes = make([]runNode, len(r.req.Scope))
	for k, id := range r.req.Scope {
		r.nodes[k] = runNode{id: id, name: r.req.Names[k]}
	}
	return r, g, records, nil
}
