package workspace

import (
	"context"
	"errors"
	"strings"

	"wf/api"
	"wf/executor"
	"wf/graph"
)

// logPlace names an execution.
type logPlace struct {
	id, name  string // of the node; for a node of an instance both are its path
	run       int    // 0 = the latest one that has executed it
	execution int    // 0 = the latest one in the run
}

// located is where the output of a place is: at hand, or in the history.
type located struct {
	o    *output
	past *logPlace
}

// outputWait is somebody who waits until an execution begins, or cannot begin any more.
type outputWait struct {
	ctx   context.Context
	p     logPlace
	reply func(located, error)
}

// output finds an execution, of a run that is going or of the past. With wait it returns once the output
// is there to be read: of a node that a run is still to execute, when that has begun.
func (w *Workspace) output(ctx context.Context, node, run string, execution int, wait bool) (*output, error) {
	var unknown error // the workfile has no such node: only the run may have known it, by id or name
	f, err := await(ctx, w, func(w *Workspace, reply func(located, error)) {
		p, err := w.placeOf(node, run, execution)
		if unknown = err; err != nil && p.run > 0 {
			reply(located{past: &p}, nil)
			return
		}
		if err != nil {
			reply(located{}, err)
			return
		}
		r := w.stillToRun(p)
		if wait && r != nil {
			p.run = r.n // or, should that not execute it, an earlier run's output would be taken for its own
			w.outputWaits = append(w.outputWaits, outputWait{ctx, p, reply})
			return
		}
		f, err := w.locate(p)
		if f.o != nil && r != nil {
			f.o.info.Pending = r.id
		}
		reply(f, err)
	})
	if err != nil || f.o != nil {
		return f.o, err
	}
	p := f.past
	if unknown != nil {
		if p.id, p.name, err = w.pastNode(p.run, p.id); err != nil {
			return nil, unknown
		}
	}
	return w.pastOutput(p.run, p.id, p.name, p.execution)
}

// placeOf resolves what a client has named. With an error only a past run can know the node; then the
// place bears the text as it was given.
func (w *Workspace) placeOf(node, run string, execution int) (logPlace, error) {
	p := logPlace{id: node, name: node, execution: execution}
	var err error
	if p.run, err = w.runNumber(run); err != nil {
		return logPlace{}, err
	}
	if isPath(node) {
		p.id = w.numbered(node)
		return p, nil
	}
	n, err := w.find(node)
	if err != nil {
		return p, err
	}
	if n.Home() != nil {
		if p.id, err = w.onlyInstance(n); err != nil && p.run > 0 {
			p.run = 0 // its instances in that run have names of their own
		}
		p.name = p.id
		return p, err
	}
	p.id, p.name = n.ID, w.handle(n)
	return p, nil
}

// isPath reports whether a text names a node of an instance.
func isPath(text string) bool { return strings.Contains(text, "]/") }

// locate finds the output of a place, as far as the workspace knows it.
func (w *Workspace) locate(p logPlace) (located, error) {
	rec := w.last[p.id].rec
	executed := rec != nil && rec.executions > 0
	if p.run == 0 && !executed {
		if o := w.outputInFile(p); o != nil && (rec == nil || !rec.mocked && rec.reason == "") {
			return located{o: o}, nil
		}
		return located{}, whyNoOutput(p, rec)
	}
	if p.run == 0 {
		p.run = rec.run
	}
	if executed && rec.run == p.run && (p.execution == 0 || p.execution == rec.executions) {
		return located{o: w.liveOutput(p.id, rec)}, nil
	}
	if executed && rec.run == p.run && p.execution > rec.executions {
		return located{}, noOutput("node %s has no execution %d in run %d", p.name, p.execution, p.run)
	}
	return located{past: &p}, nil
}

// whyNoOutput says why a node has none.
func whyNoOutput(p logPlace, rec *nodeRecord) error {
	switch {
	case rec != nil && rec.mocked:
		return noOutput("node %s has no output: its end was given (--mock, --skip), and nothing was executed", p.name)
	case rec != nil && rec.reason != "" && rec.message != "":
		return noOutput("node %s has no output: it was not executed (%s)", p.name, rec.message)
	case rec != nil && rec.reason != "":
		return noOutput("node %s has no output: it was not executed (%s)", p.name, rec.reason)
	}
	return noOutput("node %s has no output: it has not run here yet", p.name)
}

// stillToRun returns the run that is still to begin the execution, nil if there is none.
func (w *Workspace) stillToRun(p logPlace) *run {
	for _, r := range w.runs {
		if (p.run == 0 || p.run == r.n) && w.covers(r, p.id) && w.toBegin(r, p) {
			return r
		}
	}
	return nil
}

// covers reports whether a node belongs to a run. Of an instance that does not exist yet its sub-flow must.
func (w *Workspace) covers(r *run, id string) bool {
	if _, ok := r.sched.Index(id); ok || !isPath(id) {
		return ok
	}
	container, _, _ := strings.Cut(id, "[")
	n, err := w.find(container)
	if err != nil {
		return false
	}
	_, ok := r.sched.Index(n.ID)
	return ok
}

// toBegin reports whether a run that covers the node is still to begin the execution.
func (w *Workspace) toBegin(r *run, p logPlace) bool {
	if r.phase == ended || r.phase == complete {
		return false
	}
	rec, begun := w.last[p.id].rec, 0
	if rec != nil && rec.run == r.n {
		begun = rec.executions
	}
	switch {
	case p.execution > 0 && p.execution < begun:
		return false
	case begun > 0 && (p.execution == 0 || p.execution == begun):
		return rec.live && rec.out.File == "" // it is with the executor, which has not said that it runs
	}
	i, ok := r.sched.Index(p.id)
	if !ok {
		return true // its instance has not begun
	}
	switch r.sched.Status(i) {
	case graph.Idle, graph.Queued, graph.Running:
		return true
	}
	return false
}

// answerOutputWaits tells those who wait for an execution to begin what has become of it.
func (w *Workspace) answerOutputWaits() {
	left := w.outputWaits[:0]
	for _, o := range w.outputWaits {
		switch {
		case o.ctx.Err() != nil:
		case w.stillToRun(o.p) != nil:
			left = append(left, o)
		default:
			o.reply(w.locate(o.p))
		}
	}
	clear(w.outputWaits[len(left):])
	w.outputWaits = left
}

// pastNode finds a node by the id or the name that it had when a run began. The error is
// errNotThere, or why the record cannot be read.
func (w *Workspace) pastNode(run int, text string) (id, name string, err error) {
	if run == 0 {
		return "", "", errNotThere
	}
	if isPath(text) {
		return text, text, nil // what the journal has of it, the caller finds
	}
	req, err := w.store.Request(run)
	if err != nil {
		return "", "", err
	}
	for i := range req.Scope {
		if req.Scope[i] == text || req.Names[i] == text {
			return req.Scope[i], req.Names[i], nil
		}
	}
	return "", "", errNotThere
}

// errNotThere says that a run did not cover a node.
var errNotThere = errors.New("the run has no such node")

func (w *Workspace) liveOutput(id string, rec *nodeRecord) *output {
	o := &output{dir: w.store.Dir(rec.run), out: rec.out, err: rec.err, pid: rec.pid, span: span{started: rec.started}}
	if !rec.live {
		o.ended = rec.ended
	}
	name := id
	if n := w.g.Node(id); n != nil {
		name = w.handle(n)
	}
	o.info = api.LogInfo{Node: id, Name: name, Run: runID(rec.run), Execution: rec.executions, Over: !rec.live}
	if rec.live {
		if rec.ending == nil {
			rec.ending = &ending{done: make(chan struct{})}
		}
		o.ending = rec.ending
	}
	return o
}

// pastOutput looks an execution up in the history.
func (w *Workspace) pastOutput(run int, id, name string, execution int) (*output, error) {
	past, err := w.store.Load(run)
	if err != nil {
		return nil, notFound("run %d: %s", run, err)
	}
	for i := len(past.Executions) - 1; i >= 0; i-- {
		e := past.Executions[i]
		if e.ID != id || execution != 0 && e.Number != execution {
			continue
		}
		o := &output{dir: w.store.Dir(run), out: executorRange(e.Out), err: executorRange(e.Err), span: span{e.Started, e.Ended}}
		o.info = api.LogInfo{Node: id, Name: name, Run: runID(run), Execution: e.Number, Over: true}
		return o, nil
	}
	if execution != 0 {
		return nil, noOutput("node %s has no execution %d in run %d", name, execution, run)
	}
	return nil, noOutput("node %s has no output in run %d: it did not run there", name, run)
}

// merged reports whether both streams were written into one file.
func (o *output) merged() bool { return o.out.File != "" && o.err.File == "" }

// stream returns where a stream lies, and where it will when the execution is over. Of a merged output
// standard output is all of it.
func (o *output) stream(name string) (r executor.Range, final func() executor.Range, err error) {
	out := func() executor.Range { return o.ending.out }
	switch name {
	case "stdout":
		return o.out, out, nil
	case "stderr":
		return o.err, func() executor.Range { return o.ending.err }, nil
	case "output":
		if o.out.File != "" && !o.merged() {
			return r, nil, invalid("standard output and standard error of %s are apart: ask for stdout or stderr", o.info.Name)
		}
		return o.out, out, nil
	}
	return r, nil, invalid("unknown stream %q (stdout, stderr, output)", name)
}
