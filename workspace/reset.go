package workspace

import (
	"context"
	"fmt"

	"wf/api"
	"wf/graph"
)

// captured are the attributes that hold what an execution left (SEMANTICS §5).
var captured = []string{"command", "stdout", "stderr", "pid", "error_code", "log"}

// Reset clears statuses, marks and captured output, and returns when they are out of the file. Nodes
// of an active run are refused.
func (w *Workspace) Reset(ctx context.Context, client string, req api.ResetRequest) (api.ResetResult, error) {
	if err := w.refresh(ctx); err != nil {
		return api.ResetResult{}, err
	}
	return await(ctx, w, func(w *Workspace, reply func(api.ResetResult, error)) {
		nodes, err := w.resettable(req.Nodes)
		if err != nil {
			reply(api.ResetResult{}, err)
			return
		}
		w.reset(nodes)
		w.updated("reset", api.Author{Client: client}, "reset "+agreed(len(nodes), "node", "nodes"))
		w.saveThen(func() { reply(api.ResetResult{Nodes: len(nodes)}, nil) })
	})
}

// resettable resolves the nodes to reset, all of them if none are named.
func (w *Workspace) resettable(selectors []string) ([]*graph.Node, error) {
	if err := w.usable(); err != nil {
		return nil, err
	}
	nodes := w.g.Nodes()
	if len(selectors) > 0 {
		var err error
		if nodes, err = w.sel(selectors); err != nil {
			return nil, err
		}
	}
	for _, n := range nodes {
		if r := w.runOf(n); r != nil {
			return nil, &api.Error{Code: api.CodeConflict, Run: r.id, Nodes: []string{w.handle(n)},
				Message: fmt.Sprintf("node %s takes part in run %s, which is going", w.handle(n), r.id),
				Fix:     "wf stop " + r.id}
		}
	}
	return nodes, nil
}

func (w *Workspace) reset(nodes []*graph.Node) {
	w.dropPast(nodes)
	for _, n := range nodes {
		if n.Status != graph.Idle {
			w.g.SetStatus(n, graph.Idle)
		}
		w.file.touch(n)
		delete(w.last, n.ID)
		for _, attr := range captured {
			if _, has := w.doc.NodeAttr(n.ID, attr); has {
				w.doc.UnsetNode(n.ID, attr)
			}
		}
		for _, edges := range [][]*graph.Edge{n.In, n.Out} {
			for _, e := range edges {
				if e.Mark != graph.Unmarked {
					w.g.SetMark(e, graph.Unmarked)
					w.file.touchEdge(e)
				}
			}
		}
	}
}

// SaveAs copies the workfile with everything that is not on disk yet. It returns the copy's path.
func (w *Workspace) SaveAs(ctx context.Context, req api.SaveAsRequest) (string, error) {
	return await(ctx, w, func(w *Workspace, reply func(string, error)) {
		w.publishStatuses()
		w.file.changed++ // the document has changed, if only by statuses that wait for a save
		pieces, err := w.rendered(req.Format)
		if err != nil {
			reply("", err)
			return
		}
		w.helpers.run(func() { reply(req.Path, writeNew(req.Path, pieces)) })
	})
}
