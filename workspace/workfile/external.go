package workfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"wf/api"
	"wf/graph"
	"wf/graphml"
	"wf/workspace/loop"
)

// quiet is how long a file must be unchanged before it is read, because programs write in several steps.
const quiet = 30 * time.Millisecond

// Watch watches the file for changes by other programs. It is called after Load and before the loop starts. It also compares
// the file with what was read, so that no change is missed. Without a watch, the file is still checked before each save.
func (f *File) Watch() error {
	w, err := newWatch(f.cfg.Path)
	if err != nil {
		f.cfg.Loop.Run(func() { f.look() })
		return err
	}
	f.cfg.Loop.Run(func() {
		defer w.close()
		if f.look() {
			f.follow(w)
		}
	})
	return nil
}

// follow checks the file after each burst of events, until the loop ends.
func (f *File) follow(w *watch) {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case <-w.changes:
			timer.Reset(quiet)
		case <-timer.C:
			if err := w.renew(); err != nil {
				f.cfg.Log.Warn("the workfile is no longer watched for changes by other programs", "err", err)
			}
			if !f.look() {
				return
			}
		case <-f.cfg.Loop.Ending():
			return
		}
	}
}

// look reads the file's identity from the disk. It is called on a helper and returns false if the loop has ended.
func (f *File) look() bool {
	info, err := os.Stat(f.cfg.Path)
	return f.cfg.Loop.Post(func() { f.noticed(info, err) })
}

// noticed schedules a read if the file differs from the one that was read or written last. info and err are the result of stat.
func (f *File) noticed(info fs.FileInfo, err error) {
	if err == nil && identify(info) == f.disk.id && f.disk.unreadable == "" {
		return
	}
	f.disk.wantRead = true
}

// Refresh returns when the file is known in its present state. A user who changes a file and runs it at once expects the
// changed one, even if the watch has not noticed the change. A file that cannot be read is not an error of Refresh, see
// Unreadable. The goroutine of the caller asks the disk.
func (f *File) Refresh(ctx context.Context) error {
	info, statErr := os.Stat(f.cfg.Path)
	changed := false
	if seen := f.seen.Load(); seen != nil {
		changed = seen.changed()
	}
	_, err := loop.Await(ctx, f.cfg.Loop, func(reply func(struct{}, error)) {
		f.disk.wantRead = f.disk.wantRead || changed
		if f.noticed(info, statErr); !f.disk.wantRead {
			reply(struct{}{}, nil)
			return
		}
		f.disk.readers = append(f.disk.readers, func() { reply(struct{}{}, nil) })
	})
	return err
}

// reread is the file after a change by another program.
type reread struct {
	id       identity
	content  *Content
	doc      *graphml.Document
	g        *graph.Graph
	parts    *inclusion // nil if it names no other files
	warnings []graphml.Warning
	same     bool // the file is the one that is known already
	err      error
}

// startRead reads and parses the file on a helper.
func (f *File) startRead() {
	d := &f.disk
	d.busy, d.wantRead = true, false
	known, readable, seen := d.id, d.unreadable == "", f.seen.Load()
	readAnew := func() (m reread) {
		var data []byte
		data, m.id, m.err = read(f.cfg.Path)
		if m.same = m.err == nil && readable && m.id == known && (seen == nil || !seen.changed()); !m.same && m.err == nil {
			m.content = contentOf(graphml.Pieces{data})
			m.doc, m.g, m.warnings, m.err = graphml.Parse(data, limits())
			if m.err == nil && len(graph.Includes(m.g)) > 0 {
				m.parts = newInclusion(f.cfg.Path)
				m.parts.whole(m.g)
			}
		}
		return m
	}
	loop.Go(f.cfg.Loop, readAnew, f.reread)
}

// reread takes over what was read.
func (f *File) reread(m reread) {
	d := &f.disk
	d.busy = false
	switch {
	case m.same:
	case m.err != nil:
		d.unreadable = f.unreadable(m.err)
		f.Trouble(d.unreadable)
	default:
		d.id, d.content, d.unreadable = m.id, m.content, ""
		f.useChanged(m)
		f.Recovered()
	}
	if d.wantRead {
		return // the file has changed again, and the waiting readers need that version
	}
	readers := d.readers
	d.readers = nil
	for _, done := range readers {
		done()
	}
}

// unreadable returns a message about a file that cannot be used at present.
func (f *File) unreadable(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "the workfile is gone: " + f.cfg.Path
	}
	var memory *graphml.MemoryError
	if errors.As(err, &memory) {
		return "the workfile cannot be read: " + Plain(err) + "; " + memoryFix(memory)
	}
	return "the workfile cannot be read: " + Plain(err)
}

// useChanged replaces the graph by that of a changed file. It keeps the statuses of nodes and edges that still exist, and applies
// edits that are not in the file yet again.
func (f *File) useChanged(m reread) {
	known := f.statuses.kept()
	collapse(f)
	old := f.g
	f.g, f.raw, f.doc, f.warnings, f.handles = m.g, m.g, m.doc, m.warnings, nil
	clear(f.disk.nodes)
	clear(f.disk.edges)
	running := f.cfg.Host.Running()
	publish := running || f.disk.unwritten()
	lost := f.edits.redoUnsaved()
	f.statuses.settleResults()
	if !running && !known.about(f.g) {
		f.statuses.forgetAll()
	}
	f.statuses.carryOver(old, publish)
	f.statuses.carryMarks(old, publish)
	f.parts = m.parts
	expand(f)
	f.cfg.Host.Relink()
	ev := api.Event{Type: api.GraphUpdated, Op: "reload", Structure: true}
	if lost > 0 {
		ev.Message = "the file was changed by another program; edits that no longer fit were dropped"
	}
	f.cfg.Host.Publish(ev)
}

// carryOver gives the nodes of the new graph the statuses of this machine. It writes them to the file only while runs are
// active: if a user removes results from a file, for example with git, the file stays like that until the next run starts.
func (s *Statuses) carryOver(old *graph.Graph, publish bool) {
	fromFile := map[string]struct{}{}
	for _, n := range s.f.g.Nodes() {
		status := n.Status
		was := old.Node(n.ID)
		switch {
		case was != nil && s.known(n.ID):
			status = was.Status
		case s.results == api.ResultsNone:
			status = graph.Idle
		case status != graph.Idle:
			if fromFile[n.ID] = struct{}{}; status == graph.Running {
				s.f.cfg.Host.Lost(n)
			}
			continue
		}
		if status == n.Status {
			continue
		}
		s.f.g.SetStatus(n, status)
		if s.behind = true; publish && s.results != api.ResultsNone {
			s.f.disk.touch(n, changedStatus)
		}
	}
	s.fromFile = fromFile
}

// carryMarks gives the edges of the new graph the marks of the old one. The n-th edge between two nodes corresponds to the
// n-th edge between them in the new graph.
func (s *Statuses) carryMarks(old *graph.Graph, publish bool) {
	for _, e := range s.f.g.Edges() {
		src, dst := old.Node(e.Source.ID), old.Node(e.Target.ID)
		if src == nil || dst == nil {
			continue
		}
		was := old.EdgesBetween(src, dst)
		if k := nth(s.f.g.EdgesBetween(e.Source, e.Target), e); k < len(was) && was[k].Mark != e.Mark {
			s.f.g.SetMark(e, was[k].Mark)
			if s.behind = true; publish && s.results != api.ResultsNone {
				s.f.disk.touchEdge(e)
			}
		}
	}
}

// nth returns the index of an edge in a list, or the length of the list.
func nth(edges []*graph.Edge, e *graph.Edge) int {
	if i := slices.Index(edges, e); i >= 0 {
		return i
	}
	return len(edges)
}
