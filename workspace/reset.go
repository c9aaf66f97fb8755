package workspace

import (
	"context"
	"fmt"
	"path/filepath"

	"wf/api"
	"wf/executor/ownfile"
	"wf/graph"
	"wf/graphml"
)

// Reset clears statuses, marks and captured output, and returns when they are out of the file. Nodes
// of an active run are refused.
func (w *Workspace) Reset(ctx context.Context, client string, req api.ResetRequest) (api.ResetResult, error) {
	if err := w.refresh(ctx); err != nil {
		return api.ResetResult{}, err
	}
	if err := w.resumeEdits(ctx); err != nil { // what can be undone now can be undone afterwards
		return api.ResetResult{}, err
	}
	origin := w.origin()
	return await(ctx, w, func(w *Workspace, reply func(api.ResetResult, error)) {
		nodes, err := w.resettable(req.Nodes)
		if err != nil {
			reply(api.ResetResult{}, err)
			return
		}
		w.reset(nodes, origin)
		w.updated("reset", api.Author{Client: client}, "reset "+agreed(len(nodes), "node", "nodes"))
		w.saveThen(func() {
			w.keepThen(func() { reply(api.ResetResult{Nodes: len(nodes)}, nil) })
		})
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

// reset forgets the statuses of nodes, and takes what a run has written about them out of the file,
// whoever has run them.
func (w *Workspace) reset(nodes []*graph.Node, origin []byte) {
	w.dropPast(nodes)
	w.statusesStale, w.statusEdited = true, true
	for _, n := range nodes {
		w.g.SetStatus(n, graph.Idle)
		delete(w.last, n.ID)
		delete(w.foreign, n.ID)
		delete(w.file.nodes, n)
		if w.doc.ClearNode(n.ID) {
			w.file.changed++
		}
		for _, edges := range [][]*graph.Edge{n.In, n.Out} {
			for _, e := range edges {
				w.g.SetMark(e, graph.Unmarked)
				delete(w.file.edges, e)
				if w.doc.ClearEdge(e.Key) {
					w.file.changed++
				}
			}
		}
	}
	if len(nodes) == len(w.g.Nodes()) {
		w.doc.Bare(origin)
		w.file.bare = true
		w.file.changed++ // keys may be left of values that are gone already
	}
}

// originFile is the workfile as it was before runs wrote into it: that of the latest run that began with
// a file without results.
const originFile = "origin"

func (w *Workspace) originPath() string {
	return filepath.Join(w.cfg.State, "workspaces", w.id, originFile)
}

// origin reads it; nil if nobody knows. Earlier versions did not keep it, but their first run may have
// begun with it.
func (w *Workspace) origin() []byte {
	if data, err := ownfile.Read(w.originPath(), maxFile); err == nil {
		return data
	}
	numbers, err := w.store.Numbers()
	if err != nil || len(numbers) == 0 {
		return nil
	}
	data, err := w.store.Workfile(numbers[len(numbers)-1])
	if err != nil {
		return nil
	}
	if d, g, _, err := graphml.Parse(data, graphml.Limits{}); err != nil || d.HasOutput() || anyStatus(g) {
		return nil
	}
	return data
}

// keepOrigin makes it that of a run that has just been made.
func (w *Workspace) keepOrigin(run int) {
	if err := w.store.LinkWorkfile(run, w.originPath()); err != nil {
		w.cfg.Log.Warn("the workfile without results cannot be kept", "workfile", w.path, "err", err)
	}
}

// beginsBare reports whether the run that is about to begin is the first to write into the file.
func (w *Workspace) beginsBare() bool {
	return w.results != api.ResultsNone && !anyStatus(w.g) && !w.doc.HasOutput()
}

// SaveAs copies the workfile with everything that is not on disk yet. It returns the copy's path.
func (w *Workspace) SaveAs(ctx context.Context, req api.SaveAsRequest) (string, error) {
	if !filepath.IsAbs(req.Path) {
		return "", invalid("the path of a copy must be absolute, not %q", req.Path)
	}
	return await(ctx, w, func(w *Workspace, reply func(string, error)) {
		w.publishStatuses()
		w.file.changed++ // the document has changed, if only by statuses that wait for a save
		pieces, err := w.rendered(req.Format)
		if err != nil {
			reply("", err)
			return
		}
		w.loop.Run(func() { reply(req.Path, writeNew(req.Path, pieces)) })
	})
}
