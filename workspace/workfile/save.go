package workfile

import (
	"slices"
	"time"

	"wf/api"
	"wf/graph"
	"wf/graphml"
	"wf/workspace/loop"
)

// saveLate is how long a change waits for further ones. A run that ends within that time writes the file once, at its end,
// and its commands do not compete with a save for the disk. saveShare keeps large files from being written all the time: the
// pause between two saves is at least that multiple of the duration of the last one.
const (
	saveLate  = time.Second
	saveShare = 100
	retryIn   = 2 * time.Second // after a failed save
)

// outputTail bounds how much of a node's output is copied into the workfile, in bytes per stream.
const outputTail = 4096

// onDisk is the file on disk as the loop knows it, and the changes that are not in it yet. At most one read or write is in
// progress at any time. Helpers do both.
type onDisk struct {
	id      identity // of what was read or written last
	content *Content // likewise

	changed   uint64 // counts the changes
	written   uint64 // the value of changed that is on disk
	nodes     map[*graph.Node]change
	edges     map[*graph.Edge]struct{}
	busy      bool     // a save or a read is in progress
	wantRead  bool     // another program changed the file
	wantSave  bool     // a save starts as soon as it can
	savers    []func() // wait for a save
	readers   []func() // wait for a read
	lastTook  time.Duration
	lastEnded time.Time

	bare       bool   // the file was reset, so its bytes may be correct already
	problem    string // why the file cannot be read or written at present; "" if it can
	unreadable string // why it cannot be read; such a file is not overwritten

	timer *loop.Timer
	armed bool // timer is set
	due   bool // the timer has fired
}

// change is the part of a node that has to be published in the file.
type change uint8

const (
	changedStatus change = 1 << iota
	changedOutput
)

// touch notes that a node's status is to be published in the file.
func (d *onDisk) touch(n *graph.Node, what change) {
	if n.Included() { // the file has no such node
		return
	}
	d.changed++
	d.nodes[n] |= what
}

func (d *onDisk) touchEdge(e *graph.Edge) {
	if e.Source.Included() {
		return
	}
	d.changed++
	d.edges[e] = struct{}{}
}

// unwritten reports whether a change is not in the file yet.
func (d *onDisk) unwritten() bool { return d.changed != d.written }

// Problem returns why the file cannot be read or written at present, for people; "" if it can.
func (f *File) Problem() string { return f.disk.problem }

// Unreadable returns why the file cannot be read at present, for people; "" if it can.
func (f *File) Unreadable() string { return f.disk.unreadable }

// PublishStatuses updates the statuses and marks in the document. Outputs wait for a save.
func (f *File) PublishStatuses() {
	d := &f.disk
	if f.statuses.results == api.ResultsNone { // the setting may have changed since they were touched
		clear(d.nodes)
		clear(d.edges)
	}
	for n, what := range d.nodes {
		if f.g.Node(n.ID) == n { // it was not deleted
			f.put(n, "status", n.Status.String())
		}
		if what &^= changedStatus; what == 0 {
			delete(d.nodes, n)
		} else {
			d.nodes[n] = what
		}
	}
	for e := range d.edges {
		if f.g.Edge(e.Key) == e {
			f.note(f.doc.SetEdge(e.Key, "status", e.Mark.String()))
		}
	}
	clear(d.edges)
}

// put sets a value in the document. It does not add an empty value to an element without one.
func (f *File) put(n *graph.Node, attr, value string) {
	f.note(f.doc.SetNode(n.ID, attr, value))
}

// note logs a value that the document cannot contain, because another program uses the attribute for a drawing.
func (f *File) note(err error) {
	if err != nil {
		f.cfg.Log.Warn("a value cannot be written to the workfile", "workfile", f.cfg.Path, "err", err)
	}
}

// output is the output of a node's last execution, to be shown in the file.
type output struct {
	node           *graph.Node
	name           string // its handle
	x              *Execution
	stdout, stderr string // the tails, once read
}

// publishOutputs updates everything in the document that was touched, including outputs, and then calls then. A helper reads
// the outputs. If there are none, then is called at once.
func (f *File) publishOutputs(then func()) {
	var outputs []output
	for n, what := range f.disk.nodes {
		if what&changedOutput == 0 {
			continue
		}
		f.disk.nodes[n] = what &^ changedOutput
		if f.statuses.results != api.ResultsFile || f.g.Node(n.ID) != n {
			continue
		}
		if x := f.cfg.Host.Execution(n); x != nil {
			outputs = append(outputs, output{node: n, name: f.Handle(n), x: x})
		}
	}
	if len(outputs) == 0 {
		f.PublishStatuses()
		then()
		return
	}
	read := func() []output {
		for i := range outputs {
			o := &outputs[i]
			masks, err := f.cfg.Secrets.Of(o.x.Dir)
			if err != nil {
				f.cfg.Log.Warn("the workfile does not show an output", "node", o.name, "err", err)
				continue
			}
			o.stdout, o.stderr = tail(masks, o.x.Dir, o.x.Out, o.name), tail(masks, o.x.Dir, o.x.Err, o.name)
		}
		return outputs
	}
	loop.Go(f.cfg.Loop, read, func(outputs []output) {
		for _, o := range outputs {
			f.publishOutput(o)
		}
		f.PublishStatuses()
		then()
	})
}

// publishOutput shows the last execution of a node and the tails of its output.
func (f *File) publishOutput(o output) {
	if f.g.Node(o.node.ID) != o.node || f.statuses.results != api.ResultsFile {
		return // the node was deleted or read again
	}
	f.put(o.node, "command", graphml.Sanitize([]byte(o.x.Command), len(o.x.Command), 0, ""))
	f.put(o.node, "error_code", o.x.ErrorCode)
	f.put(o.node, "pid", o.x.PID)
	f.put(o.node, "stdout", o.stdout)
	f.put(o.node, "stderr", o.stderr)
}

// SaveThen calls done when all changes so far are on disk, or cannot be written.
func (f *File) SaveThen(done func()) {
	f.disk.savers = append(f.disk.savers, done)
	f.disk.wantSave = true
}

// Tend starts reading or writing the file when it is due. It is called after each burst of functions on the loop.
func (f *File) Tend() {
	d := &f.disk
	if d.busy {
		return
	}
	if d.wantRead {
		f.startRead()
		return
	}
	clean := !d.unwritten()
	if d.wantSave && (clean || d.unreadable != "") {
		d.wantSave = false
		d.answerSavers()
		return
	}
	if clean || d.unreadable != "" {
		return
	}
	if d.wantSave || d.due {
		f.startSave()
		return
	}
	if !d.armed {
		d.armed = true
		d.timer.Reset(d.pause())
	}
}

// pause returns the time to wait before the next save.
func (d *onDisk) pause() time.Duration {
	every := saveShare * d.lastTook
	if d.problem != "" {
		every = max(every, retryIn)
	}
	return max(saveLate, every-time.Since(d.lastEnded))
}

// answerSavers calls the functions that wait for a save.
func (d *onDisk) answerSavers() {
	savers := d.savers
	d.savers = nil
	for _, done := range savers {
		done()
	}
}

// save is a save in progress, and later its result.
type save struct {
	version uint64   // the file will contain at least the changes up to this value of changed
	savers  []func() // callers that wait for it
	pieces  graphml.Pieces
	expect  identity // identity of the file that is replaced
	bare    bool
	note    madeNote

	id      identity
	content *Content
	err     error
	took    time.Duration
}

func (f *File) startSave() {
	d := &f.disk
	d.busy, d.due, d.armed, d.wantSave = true, false, false, false
	d.timer.Stop()
	s := &save{version: d.changed, savers: d.savers}
	d.savers = nil
	f.publishOutputs(func() { f.write(s) })
}

// write replaces the file on a helper.
func (f *File) write(s *save) {
	s.pieces, s.expect, s.bare = f.doc.Render(), f.disk.id, f.disk.bare
	f.disk.bare = false
	s.note = madeNote{Newest: f.made.unsaved, Made: slices.Clone(f.made.saved)}
	f.made.unsaved = nil
	replace := func() *save {
		start := time.Now()
		s.id = s.expect
		if !s.bare || !sameBytes(f.cfg.Path, s.pieces, s.expect) {
			s.id, s.err = replaceFile(f.cfg.Path, s.pieces, s.expect, func(next identity) { f.made.write(s.note, s.expect, next) })
		}
		s.content, s.took = contentOf(s.pieces), time.Since(start)
		return s
	}
	loop.Go(f.cfg.Loop, replace, f.saved)
}

// saved handles the result of a save.
func (f *File) saved(s *save) {
	d := &f.disk
	f.made.settle(s.note.Newest, s.err)
	d.busy, d.lastTook, d.lastEnded = false, s.took, time.Now()
	if s.err == errChanged {
		// Another program changed the file: read what it wrote, then save on top of it.
		d.wantRead, d.wantSave = true, true
		d.savers = append(s.savers, d.savers...)
		return
	}
	if s.err != nil {
		f.Trouble("the workfile cannot be written: " + s.err.Error())
	} else {
		d.id, d.content, d.written = s.id, s.content, s.version
		f.edits.saved(s.version)
		f.statuses.inFile()
		f.Recovered()
	}
	for _, done := range s.savers {
		done()
	}
}

// Trouble logs and publishes a problem with the file or the records of its runs, once.
func (f *File) Trouble(problem string) {
	if f.disk.problem == problem {
		return
	}
	f.disk.problem = problem
	f.cfg.Log.Warn("trouble with a workfile", "workfile", f.cfg.Path, "problem", problem)
	f.cfg.Host.Publish(api.Event{Type: api.FileProblem, Message: problem})
}

// Recovered publishes that the problem is over.
func (f *File) Recovered() {
	if f.disk.problem == "" {
		return
	}
	f.disk.problem = ""
	f.cfg.Host.Publish(api.Event{Type: api.FileProblem})
}
