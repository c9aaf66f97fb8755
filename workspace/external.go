package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"wf/api"
	"wf/graph"
	"wf/graphml"
)

// quiet is how long a file must have been left alone before it is read: programs write in pieces.
const quiet = 30 * time.Millisecond

// dirWatch tells the loop when something happens to the workfile. It watches the folder, because
// editors replace files.
type dirWatch struct{ fs *fsnotify.Watcher }

// watchFolder begins watching. Without a watch the file is still looked at before each save.
func (w *Workspace) watchFolder() (*dirWatch, error) {
	fsw, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	if err := fsw.Add(filepath.Dir(w.path)); err != nil {
		fsw.Close()
		return nil, err
	}
	d := &dirWatch{fs: fsw}
	w.loop.Run(func() { d.follow(w) })
	return d, nil
}

// follow passes events on, a burst of them once, until the workspace ends.
func (d *dirWatch) follow(w *Workspace) {
	defer d.fs.Close()
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case ev, ok := <-d.fs.Events:
			if ok && filepath.Base(ev.Name) == filepath.Base(w.path) && ev.Op != fsnotify.Chmod {
				timer.Reset(quiet)
			}
		case <-timer.C:
			if !w.send(call((*Workspace).looked)) {
				return
			}
		case <-d.fs.Errors: // an overflow: look, to be sure
			timer.Reset(quiet)
		case <-w.loop.Ending():
			return
		}
	}
}

// looked asks for a look at the file unless it is the one that is known.
func (w *Workspace) looked() { w.saw(os.Stat(w.path)) }

// saw is looked for somebody who has asked the disk already.
func (w *Workspace) saw(info fs.FileInfo, err error) {
	if err == nil && identify(info) == w.file.id && w.file.unreadable == "" {
		return
	}
	w.file.wantRead = true
}

// refresh returns when the file is known as it was when refresh was called: who changes a file and
// runs it in the next breath means what it says now, whether or not the watch has noticed. That it
// cannot be read is not an error here, see usable. The disk is asked in the caller's goroutine: it
// may be one that does not answer.
func (w *Workspace) refresh(ctx context.Context) error {
	info, statErr := os.Stat(w.path)
	_, err := await(ctx, w, func(w *Workspace, reply func(struct{}, error)) {
		if w.saw(info, statErr); !w.file.wantRead {
			reply(struct{}{}, nil)
			return
		}
		w.file.readers = append(w.file.readers, func() { reply(struct{}{}, nil) })
	})
	return err
}

// askNow is ask about the file as it is now.
func askNow[T any](ctx context.Context, w *Workspace, f func(*Workspace) (T, error)) (T, error) {
	if err := w.refresh(ctx); err != nil {
		var none T
		return none, err
	}
	return ask(ctx, w, f)
}

// reread comes back with the file as others left it.
type reread struct {
	id       fileID
	content  *fileContent
	doc      *graphml.Document
	g        *graph.Graph
	warnings []graphml.Warning
	same     bool // it is what is known already
	err      error
}

func (w *Workspace) beginRead() {
	f := &w.file
	f.busy, f.wantRead = true, false
	known, readable := f.id, f.unreadable == ""
	w.loop.Run(func() {
		m := reread{}
		var data []byte
		data, m.id, m.err = readFile(w.path)
		if m.same = m.err == nil && readable && m.id == known; !m.same && m.err == nil {
			m.content = contentOf(graphml.Pieces{data})
			m.doc, m.g, m.warnings, m.err = graphml.Parse(data, limits())
		}
		w.send(m)
	})
}

func (m reread) handle(w *Workspace) {
	f := &w.file
	f.busy = false
	defer func() {
		if f.wantRead {
			return // it has changed again: those who wait mean that
		}
		readers := f.readers
		f.readers = nil
		for _, tell := range readers {
			tell()
		}
	}()
	switch {
	case m.same:
		return
	case m.err != nil:
		f.unreadable = w.unreadable(m.err)
		w.trouble(f.unreadable)
		return
	}
	f.id, f.content, f.unreadable = m.id, m.content, ""
	w.adopt(m)
	w.recovered()
}

// unreadable words why the file cannot be used at present.
func (w *Workspace) unreadable(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "the workfile is gone: " + w.path
	}
	var memory *graphml.MemoryError
	if errors.As(err, &memory) {
		return "the workfile cannot be read: " + plain(err) + "; " + memoryFix(memory)
	}
	return "the workfile cannot be read: " + plain(err)
}

// adopt takes the file of others as the truth about the graph and keeps what is known about the
// statuses of nodes and edges that still exist. Edits of ours that are not in it are made again.
func (w *Workspace) adopt(m reread) {
	old, known := w.g, w.statuses()
	w.g, w.doc, w.warnings, w.handles = m.g, m.doc, m.warnings, nil
	clear(w.file.nodes)
	clear(w.file.edges)
	publish := len(w.runs) > 0 || w.unwritten()
	lost := w.edits.redoUnsaved(w)
	w.settleResults()
	if len(w.runs) == 0 && !w.sameWorkflow(known) {
		clear(w.last)
		w.before, w.statusesStale = nil, true
	}
	w.keepKnown(old, publish)
	w.keepMarks(old, publish)
	for _, r := range w.runs {
		r.link(w)
	}
	ev := api.Event{Type: api.GraphUpdated, Op: "reload", Structure: true}
	if lost > 0 {
		ev.Message = "the file was changed by another program; edits that no longer fit were dropped"
	}
	w.publish(ev)
}

// keepKnown carries the statuses of this machine over to the new graph. They are written into the file
// only while runs go on: whoever takes results out of a file, with git for instance, finds it as he left
// it until something runs again.
func (w *Workspace) keepKnown(old *graph.Graph, publish bool) {
	foreign := map[string]struct{}{}
	for _, n := range w.g.Nodes() {
		status := n.Status
		was := old.Node(n.ID)
		switch {
		case was != nil && w.known(n.ID):
			status = was.Status
		case w.results == api.ResultsNone:
			status = graph.Idle
		case status != graph.Idle:
			if foreign[n.ID] = struct{}{}; status == graph.Running {
				w.lose(n, true)
			}
			continue
		}
		if status == n.Status {
			continue
		}
		w.g.SetStatus(n, status)
		if w.behind = true; publish && w.results != api.ResultsNone {
			w.file.touch(n)
		}
	}
	w.foreign = foreign
}

// keepMarks carries the marks of edges over to the new graph: the n-th edge between two nodes is
// the n-th edge between them still.
func (w *Workspace) keepMarks(old *graph.Graph, publish bool) {
	for _, e := range w.g.Edges() {
		src, dst := old.Node(e.Source.ID), old.Node(e.Target.ID)
		if src == nil || dst == nil {
			continue
		}
		was := old.EdgesBetween(src, dst)
		if k := nth(w.g.EdgesBetween(e.Source, e.Target), e); k < len(was) && was[k].Mark != e.Mark {
			w.g.SetMark(e, was[k].Mark)
			if w.behind = true; publish && w.results != api.ResultsNone {
				w.file.touchEdge(e)
			}
		}
	}
}

func nth(edges []*graph.Edge, e *graph.Edge) int {
	for i, x := range edges {
		if x == e {
			return i
		}
	}
	return len(edges)
}
