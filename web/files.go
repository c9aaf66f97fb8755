package web

import (
	"context"
	"net/http"
	"path/filepath"
	"sync"

	"wf/api"
	"wf/client"
)

// workfiles answers with the workfiles that the visitor may see, with their active runs. It starts no daemon: without one,
// nothing is active.
func (s *Server) workfiles(w http.ResponseWriter, r *http.Request, v Visit) error {
	list := []Workfile{}
	active := s.active(r.Context())
	seen := map[string]bool{}
	for _, f := range s.opt.Workfiles() {
		if v.ReadOnly && v.File != "" && f.Path != v.File {
			continue
		}
		seen[f.Path] = true
		f.Active = active[f.Path]
		list = append(list, f)
	}
	for path, runs := range active { // one whose first run has no entry in the history yet
		if !seen[path] && len(runs) > 0 && v.mayOpen(path, s.opt.Workfiles) {
			list = append([]Workfile{{Path: path, Active: runs, When: s.opt.Now()}}, list...)
		}
	}
	writeJSON(w, http.StatusOK, list)
	return nil
}

// active returns the active runs by workfile.
func (s *Server) active(ctx context.Context) map[string][]string {
	c, err := s.clients.get(ctx, false)
	if err != nil {
		return nil
	}
	status, err := c.Server(ctx)
	if err != nil {
		return nil
	}
	runs := map[string][]string{}
	for _, w := range status.Workspaces {
		runs[w.Workfile] = w.Runs
	}
	return runs
}

// open opens a workfile for the requests about it.
func (s *Server) open(w http.ResponseWriter, r *http.Request, v Visit) error {
	var q struct {
		Path string `json:"path"`
	}
	if err := readJSON(w, r, &q); err != nil {
		return err
	}
	ws, err := s.openFile(r.Context(), q.Path, v, true)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, api.WorkspaceInfo{ID: ws.ID, Workfile: ws.Workfile, Problem: ws.Problem})
	return nil
}

// openFile opens a workfile that the visitor may see. With start it may start a daemon.
func (s *Server) openFile(ctx context.Context, path string, v Visit, start bool) (*client.Workspace, error) {
	if !filepath.IsAbs(path) {
		return nil, api.Invalid("%q is not an absolute path", path)
	}
	if !v.mayOpen(path, s.opt.Workfiles) {
		return nil, &api.Error{Code: api.CodeRefused, Message: "this page shows other workfiles only"}
	}
	c, err := s.clients.get(ctx, start)
	if err != nil {
		return nil, err
	}
	ws, err := c.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	if !start {
		return ws, nil
	}
	known, _ := s.clients.opened.LoadOrStore(ws.ID, opened{ws, path})
	return known.(opened).ws, nil
}

// An opened workfile, under the path by which it was opened: its own may be another one, behind a symlink.
type opened struct {
	ws   *client.Workspace
	path string
}

// openedFiles are the workfiles that pages have opened, by the id of their workspace.
type openedFiles struct{ sync.Map }

// find returns an open workfile that the visitor may see.
func (s *Server) find(id string, v Visit) (*client.Workspace, error) {
	known, ok := s.clients.opened.Load(id)
	if !ok || !v.mayOpen(known.(opened).path, s.opt.Workfiles) {
		return nil, api.NotFound("no such workfile is open in this page")
	}
	return known.(opened).ws, nil
}
