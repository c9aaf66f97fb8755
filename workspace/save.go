package workspace

import (
	"slices"
	"time"

	"wf/api"
	"wf/graph"
	"wf/graphml"
	"wf/workspace/loop"
)

// saveEvery is the least time between two saves of a small file; saveShare keeps large ones from
// being written all the time: the pause is that many times the last save's duration.
//
// saveLate is how long the first change waits for company: a run that is over by then writes the file
// once, at its end, and its commands do not begin in competition with that for the disk.
const (
	saveLate  = 100 * time.Millisecond
	saveEvery = 250 * time.Millisecond
	saveShare = 100
	retryIn   = 2 * time.Second // after a failed save
)

// outputTail bounds what of a node's output is copied into the workfile, per stream, in bytes.
const outputTail = 4096

// workfile is the file on disk as the loop knows it, and what of ours is not in it yet. At most one
// of reading and writing goes on at any time, both away from the loop.
type workfile struct {
	id fileID // of what was read or written last

	changed   uint64 // counts changes of ours
	written   uint64 // the value of changed that is on disk
	nodes     map[*graph.Node]touched
	edges     map[*graph.Edge]struct{}
	busy      bool     // a save or a read is under way
	wantRead  bool     // somebody else changed the file
	wantSave  bool     // a save shall begin as soon as it can
	waiters   []func() // of saves
	readers   []func() // of reads
	lastTook  time.Duration
	lastEnded time.Time

	content    *fileContent
	bare       bool   // it was reset, and may be as it shall be already
	problem    string // for people: the file cannot be read or written at present
	unreadable string // the reading half of it: nothing is written over a file that was not read

	timer *loop.Timer
	armed bool
	due   bool // the timer rang
	watch *dirWatch
}

// touched says what of a node is to be published.
type touched uint8

const (
	touchedStatus touched = 1 << iota
	touchedOutput
)

func (f *workfile) init(l *loop.Loop) {
	f.nodes, f.edges = map[*graph.Node]touched{}, map[*graph.Edge]struct{}{}
	f.timer = l.NewTimer(func() { f.due = true })
}

// touch notes that a node's status is to be published in the file.
func (f *workfile) touch(n *graph.Node) {
	f.changed++
	f.nodes[n] |= touchedStatus
}

func (f *workfile) touchOutput(n *graph.Node) {
	f.changed++
	f.nodes[n] |= touchedStatus | touchedOutput
}

func (f *workfile) touchEdge(e *graph.Edge) {
	f.changed++
	f.edges[e] = struct{}{}
}

// publishStatuses brings the document up to date with statuses, marks and outputs.
func (w *Workspace) publishStatuses() {
	if w.results == api.ResultsNone { // it was another word when they were touched
		clear(w.file.nodes)
		clear(w.file.edges)
	}
	for n, what := range w.file.nodes {
		if w.g.Node(n.ID) != n {
			continue // deleted meanwhile
		}
		w.put(n, "status", n.Status.String())
		if what&touchedOutput != 0 && w.results == api.ResultsFile {
			w.publishOutput(n)
		}
	}
	for e := range w.file.edges {
		if w.g.Edge(e.Key) != e {
			continue
		}
		w.note(w.doc.SetEdge(e.Key, "status", e.Mark.String()))
	}
	clear(w.file.nodes)
	clear(w.file.edges)
}

// put wants a value in the document. An empty one is left out of a file that has none.
func (w *Workspace) put(n *graph.Node, attr, value string) {
	w.note(w.doc.SetNode(n.ID, attr, value))
}

// note logs what the document cannot hold: an attribute that another program uses for a drawing.
func (w *Workspace) note(err error) {
	if err != nil {
		w.cfg.Log.Warn("a value cannot be written to the workfile", "workfile", w.path, "err", err)
	}
}

// publishOutput copies what the last execution was and the tail of what it said.
func (w *Workspace) publishOutput(n *graph.Node) {
	rec := w.last[n.ID].rec
	if rec == nil || !rec.over() {
		return
	}
	w.put(n, "command", graphml.Sanitize([]byte(rec.command), len(rec.command), 0, ""))
	w.put(n, "error_code", errorCode(rec))
	w.put(n, "pid", runID(rec.lastPID))
	dir := w.store.Dir(rec.run)
	w.put(n, "stdout", tail(dir, rec.out, w.handle(n)))
	w.put(n, "stderr", tail(dir, rec.err, w.handle(n)))
}

// errorCode is the exit status as Python Workforce writes it: negative for a signal.
func errorCode(rec *nodeRecord) string {
	switch {
	case rec.signal != 0:
		return "-" + runID(rec.signal)
	case rec.exitCode == 0 && rec.reason != "":
		return "" // cancelled, lost or never started: there is none
	case rec.exitCode == 0:
		return "0"
	}
	return runID(rec.exitCode)
}

// saveThen calls f when everything that has changed until now is on disk, or cannot be put there.
func (w *Workspace) saveThen(f func()) {
	w.file.waiters = append(w.file.waiters, f)
	w.file.wantSave = true
}

// tend starts reading or writing the file when it is time for it.
func (w *Workspace) tend() {
	f := &w.file
	if f.busy {
		return
	}
	if f.wantRead {
		w.beginRead()
		return
	}
	clean := f.changed == f.written
	if f.wantSave && (clean || f.unreadable != "") {
		f.wantSave = false
		f.settle()
		w.finishRuns()
		return
	}
	if clean || f.unreadable != "" {
		return
	}
	if f.wantSave || f.due {
		w.beginSave()
		return
	}
	if !f.armed {
		f.armed = true
		f.timer.Reset(f.pause())
	}
}

// pause is how long to wait before the next save.
func (f *workfile) pause() time.Duration {
	every := max(saveEvery, saveShare*f.lastTook)
	if f.problem != "" {
		every = max(every, retryIn)
	}
	return max(saveLate, every-time.Since(f.lastEnded))
}

// settle answers those who waited for the file.
func (f *workfile) settle() {
	waiters := f.waiters
	f.waiters = nil
	for _, done := range waiters {
		done()
	}
}

func (w *Workspace) beginSave() {
	f := &w.file
	f.busy, f.due, f.armed, f.wantSave = true, false, false, false
	f.timer.Stop()
	w.publishStatuses()
	pieces, version, expect := w.doc.Render(), f.changed, f.id
	waiters, bare := f.waiters, f.bare
	f.waiters, f.bare = nil, false
	made := madeNote{Newest: w.made.unsaved, Made: slices.Clone(w.made.saved)}
	w.made.unsaved = nil
	w.loop.Run(func() {
		begin := time.Now()
		id, err := expect, error(nil)
		if !bare || !sameBytes(w.path, pieces, expect) {
			id, err = replaceFile(w.path, pieces, expect, func(new fileID) { w.noteMade(made, expect, new) })
		}
		w.send(saved{id: id, err: err, content: contentOf(pieces), version: version, took: time.Since(begin), waiters: waiters, made: made.Newest})
	})
}

// saved comes back when a save is over.
type saved struct {
	id      fileID
	content *fileContent
	err     error
	version uint64
	took    time.Duration
	waiters []func()
	made    []madeEdit
}

func (m saved) handle(w *Workspace) {
	f := &w.file
	w.made.settle(m.made, m.err)
	f.busy, f.lastTook, f.lastEnded = false, m.took, time.Now()
	if m.err == errChanged {
		// Somebody was faster: read what they wrote, then save on top of it.
		f.wantRead, f.wantSave = true, true
		f.waiters = append(m.waiters, f.waiters...)
		return
	}
	if m.err != nil {
		w.trouble("the workfile cannot be written: " + m.err.Error())
	} else {
		f.id, f.content, f.written = m.id, m.content, m.version
		w.edits.saved(m.version)
		if w.noted && !w.unwritten() {
			w.keepStatuses()
			w.dropUnpublished()
		}
		w.recovered()
	}
	for _, done := range m.waiters {
		done()
	}
}

// trouble tells everybody once that the file or the records are in trouble.
func (w *Workspace) trouble(problem string) {
	if w.file.problem == problem {
		return
	}
	w.file.problem = problem
	w.cfg.Log.Warn("trouble with a workfile", "workfile", w.path, "problem", problem)
	w.publish(api.Event{Type: api.FileProblem, Message: problem})
}

// recovered tells everybody that it is over.
func (w *Workspace) recovered() {
	if w.file.problem == "" {
		return
	}
	w.file.problem = ""
	w.publish(api.Event{Type: api.FileProblem})
}
