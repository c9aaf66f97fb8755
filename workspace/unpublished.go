package workspace

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"wf/graph"
	"wf/history"
	"wf/ownfile"
)

// Statuses that cannot be put into the workfile (the disk is full, the file is read-only, gone or
// garbage) must not be lost with the daemon: they wait beside the history until the next time.

// unpublished is the content of the file in which they wait.
type unpublished struct {
	Nodes map[string]string `json:"nodes"`          // id → status
	Marks []markedEdge      `json:"marks"`          // edges that bear a token
	Dead  []markedEdge      `json:"dead,omitempty"` // edges that are dead
}

// markedEdge is the N-th edge between two nodes, and bears a mark.
type markedEdge struct {
	Source string `json:"source"`
	Target string `json:"target"`
	N      int    `json:"n"`
}

func (w *Workspace) unpublishedPath() string {
	return filepath.Join(w.cfg.State, "workspaces", w.id, "unpublished.json")
}

// keepUnpublished writes down all statuses if some of them are not in the workfile, and takes the
// note back if all are. After an error an earlier note is as it was.
func (w *Workspace) keepUnpublished() error {
	if w.file.changed == w.file.written {
		if w.file.noted {
			w.dropUnpublished()
		}
		return nil
	}
	w.file.noted = true
	u := unpublished{Nodes: map[string]string{}}
	for _, n := range w.g.Nodes() {
		if n.Status != graph.Idle {
			u.Nodes[n.ID] = n.Status.String()
		}
	}
	for _, e := range w.g.Edges() {
		switch e.Mark {
		case graph.ToRun:
			u.Marks = append(u.Marks, w.markedEdge(e))
		case graph.Dead:
			u.Dead = append(u.Dead, w.markedEdge(e))
		}
	}
	data, err := json.Marshal(u)
	if err == nil {
		err = history.ReplaceFile(w.disk(), w.unpublishedPath(), data)
	}
	if err != nil {
		w.cfg.Log.Error("statuses are in neither the workfile nor the state folder", "workfile", w.path, "err", err)
	}
	return err
}

func (w *Workspace) markedEdge(e *graph.Edge) markedEdge {
	return markedEdge{e.Source.ID, e.Target.ID, nth(w.g.EdgesBetween(e.Source, e.Target), e)}
}

func (w *Workspace) dropUnpublished() {
	w.file.noted = false
	if err := os.Remove(w.unpublishedPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.cfg.Log.Warn("a note of statuses cannot be removed", "err", err)
	}
}

// recallUnpublished takes up the statuses that an earlier daemon could not put into the workfile,
// of the nodes and edges that still exist. They are in the file after the next save.
func (w *Workspace) recallUnpublished() {
	data, err := ownfile.Read(w.unpublishedPath(), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		w.cfg.Log.Warn("a note of statuses cannot be read", "path", w.unpublishedPath(), "err", err)
		return
	}
	w.file.noted = true
	var u unpublished
	if err := json.Unmarshal(data, &u); err != nil {
		w.cfg.Log.Warn("a note of statuses cannot be read", "path", w.unpublishedPath(), "err", err)
		return
	}
	for _, n := range w.g.Nodes() {
		if s, _ := graph.ParseStatus(u.Nodes[n.ID]); s != n.Status {
			w.g.SetStatus(n, s)
			w.file.touch(n)
		}
	}
	marked := map[markedEdge]graph.Mark{}
	for _, m := range u.Marks {
		marked[m] = graph.ToRun
	}
	for _, m := range u.Dead {
		marked[m] = graph.Dead
	}
	for _, e := range w.g.Edges() {
		if mark := marked[w.markedEdge(e)]; mark != e.Mark {
			w.g.SetMark(e, mark)
			w.file.touchEdge(e)
		}
	}
}
