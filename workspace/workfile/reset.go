package workfile

import (
	"context"
	"fmt"
	"path/filepath"

	"wf/api"
	"wf/executor/ownfile"
	"wf/graph"
	"wf/graphml"
	"wf/workspace/loop"
)

// Reset clears statuses, marks and captured output, and returns when the file no longer contains them. It refuses nodes of
// active runs.
func (f *File) Reset(ctx context.Context, client string, req api.ResetRequest) (api.ResetResult, error) {
	if err := f.Refresh(ctx); err != nil {
		return api.ResetResult{}, err
	}
	if err := f.edits.resume(ctx); err != nil { // after the reset the same edits can be undone as before
		return api.ResetResult{}, err
	}
	origin := f.origin()
	return loop.Await(ctx, f.cfg.Loop, func(reply func(api.ResetResult, error)) {
		nodes, err := f.resettable(req.Nodes)
		if err != nil {
			reply(api.ResetResult{}, err)
			return
		}
		f.reset(nodes, origin)
		f.updated("reset", api.Author{Client: client}, "reset "+counted(len(nodes)))
		f.SaveThen(func() {
			f.statuses.KeepThen(func() { reply(api.ResetResult{Nodes: len(nodes)}, nil) })
		})
	})
}

// resettable resolves the nodes to reset. Without selectors it returns all nodes.
func (f *File) resettable(selectors []string) ([]*graph.Node, error) {
	if err := f.cfg.Host.Refusal(); err != nil {
		return nil, err
	}
	nodes := f.g.Nodes()
	if len(selectors) > 0 {
		var err error
		if nodes, err = f.Select(selectors); err != nil {
			return nil, err
		}
	}
	for _, n := range nodes {
		if run := f.cfg.Host.RunOf(n); run != "" {
			return nil, &api.Error{Code: api.CodeConflict, Run: run, Nodes: []string{f.Handle(n)},
				Message: fmt.Sprintf("node %s takes part in run %s, which is active", f.Handle(n), run),
				Fix:     "wf stop " + run}
		}
	}
	return nodes, nil
}

// reset clears the statuses of nodes and removes from the file what runs on any machine have written about them. origin is
// the file without results, or nil if it is not known.
func (f *File) reset(nodes []*graph.Node, origin []byte) {
	f.cfg.Host.Forget(nodes)
	f.statuses.forget(nodes)
	for _, n := range nodes {
		f.g.SetStatus(n, graph.Idle)
		delete(f.disk.nodes, n)
		if f.doc.ClearNode(n.ID) {
			f.disk.changed++
		}
		for _, edges := range [][]*graph.Edge{n.In, n.Out} {
			for _, e := range edges {
				f.g.SetMark(e, graph.Unmarked)
				delete(f.disk.edges, e)
				if f.doc.ClearEdge(e.Key) {
					f.disk.changed++
				}
			}
		}
	}
	if len(nodes) == len(f.g.Nodes()) {
		f.doc.Bare(origin)
		f.disk.bare = true
		f.disk.changed++ // keys may be left of values that are gone already
	}
}

// OriginName is the name of a copy, in the folder of a workspace, of the workfile without results: as it was at the start of
// the latest run that found no results in it.
const OriginName = "origin"

// Origin returns the path of that copy.
func (f *File) Origin() string { return f.beside(OriginName) }

// origin reads the copy, or returns nil if there is none. Earlier versions did not keep it, but their first run may have
// started with it. It is called on any goroutine but the loop's.
func (f *File) origin() []byte {
	if data, err := ownfile.Read(f.Origin(), MaxSize); err == nil {
		return data
	}
	data := f.cfg.Host.FirstCopy()
	if data == nil {
		return nil
	}
	if d, g, _, err := graphml.Parse(data, graphml.Limits{}); err != nil || d.HasOutput() || anyStatus(g) {
		return nil
	}
	return data
}

// StartsBare reports whether the run that is about to start is the first to write into the file.
func (f *File) StartsBare() bool {
	return f.statuses.results != api.ResultsNone && !anyStatus(f.g) && !f.doc.HasOutput()
}

// SaveAs copies the workfile with everything that is not on disk yet. It returns the copy's path.
func (f *File) SaveAs(ctx context.Context, req api.SaveAsRequest) (string, error) {
	if !filepath.IsAbs(req.Path) {
		return "", api.Invalid("the path of a copy must be absolute, not %q", req.Path)
	}
	return loop.Await(ctx, f.cfg.Loop, func(reply func(string, error)) {
		f.disk.changed++ // the document changes, if only by statuses that wait for a save
		f.publishOutputs(func() {
			pieces, err := rendered(f.doc, f.cfg.Path, req.Format)
			if err != nil {
				reply("", err)
				return
			}
			f.cfg.Loop.Run(func() { reply(req.Path, WriteNew(req.Path, pieces)) })
		})
	})
}
