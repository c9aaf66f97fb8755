package inquiry

import (
	"context"
	"errors"
	"strings"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/scheduler/flow"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/runstate"
	"wf/workspace/workfile"
)

// logPlace names an execution.
type logPlace struct {
	id, name  string // of the node; for a node of an instance both are its path
	run       int    // 0 means the latest run that executed the node
	execution int    // 0 means the latest one in the run
}

// located is the result of a search for an output: found in memory, or to be read from the history.
type located struct {
	o    *output
	past *logPlace
}

// outputWait is a request that waits until an execution starts, or cannot start any more.
type outputWait struct {
	ctx   context.Context
	p     logPlace
	reply func(located, error)
}

// output finds the output of an execution of an active run or of the history. With wait it first waits until the active run
// has started the execution.
func (q *Reader) output(ctx context.Context, node, run string, execution int, wait bool) (*output, error) {
	var unknown error // the workfile has no such node, but the run may have had it
	f, err := loop.Await(ctx, q.loop, func(reply func(located, error)) {
		p, err := q.placeOf(node, run, execution)
		if unknown = err; err != nil && p.run > 0 {
			reply(located{past: &p}, nil)
			return
		}
		if err != nil {
			reply(located{}, err)
			return
		}
		r := q.stillToRun(p)
		if wait && r != nil {
			p.run = r.Number // if this run does not execute the node, the result must not be the output of an earlier run
			q.waits = append(q.waits, outputWait{ctx, p, reply})
			return
		}
		f, err := q.locate(p)
		if f.o != nil && r != nil && !f.o.info.Queued {
			f.o.info.Pending = r.ID
		}
		reply(f, err)
	})
	if err != nil || f.o != nil {
		return f.o, err
	}
	p := f.past
	if unknown != nil {
		if p.id, p.name, err = q.earlierNode(p.run, p.id); err != nil {
			return nil, unknown
		}
	}
	return q.pastOutput(p.run, p.id, p.name, p.execution)
}

// placeOf resolves the node that a client has named. If it returns an error, only an earlier run can have had the node, and
// the place contains the text of the client.
func (q *Reader) placeOf(node, run string, execution int) (logPlace, error) {
	p := logPlace{id: node, name: node, execution: execution}
	var err error
	if p.run, err = q.RunNumber(run); err != nil {
		return logPlace{}, err
	}
	if nodestate.IsPath(node) {
		p.id = q.nodes.Numbered(node)
		return p, nil
	}
	n, err := q.file.Find(node)
	if err != nil {
		return p, err
	}
	if n.Home() != nil {
		if p.id, err = q.nodes.OnlyInstance(n); err != nil && p.run > 0 {
			p.run = 0 // the instances of that run have their own paths
		}
		p.name = p.id
		return p, err
	}
	p.id, p.name = n.ID, q.file.Handle(n)
	return p, nil
}

// locate finds the output of a place without reading the history.
func (q *Reader) locate(p logPlace) (located, error) {
	rec := q.nodes.Latest[p.id].Execution
	executed := rec != nil && rec.Number > 0
	if p.run == 0 && !executed {
		if o := q.outputInFile(p); o != nil && (rec == nil || !rec.Mocked && !rec.UpToDate && rec.Reason == "") {
			return located{o: o}, nil
		}
		return located{}, whyNoOutput(p, rec)
	}
	if p.run == 0 {
		p.run = rec.Run
	}
	if executed && rec.Run == p.run && (p.execution == 0 || p.execution == rec.Number) {
		return located{o: q.liveOutput(p.id, rec)}, nil
	}
	if executed && rec.Run == p.run && p.execution > rec.Number {
		return located{}, nodestate.NoOutput("node %s has no execution %d in run %d", p.name, p.execution, p.run)
	}
	return located{past: &p}, nil
}

// whyNoOutput returns the error about a node without output.
func whyNoOutput(p logPlace, rec *runstate.Execution) error {
	switch {
	case rec != nil && rec.Mocked:
		return nodestate.NoOutput("node %s has no output: its end was given (--mock, --skip), and nothing was executed", p.name)
	case rec != nil && rec.UpToDate:
		return nodestate.NoOutput("node %s has no output in run %d: it was %s, and nothing was executed", p.name, rec.Run, rec.Message)
	case rec != nil && rec.Reason != "" && rec.Message != "":
		return nodestate.NoOutput("node %s has no output: it was not executed (%s)", p.name, rec.Message)
	case rec != nil && rec.Reason != "":
		return nodestate.NoOutput("node %s has no output: it was not executed (%s)", p.name, rec.Reason)
	}
	return nodestate.NoOutput("node %s has no output: it has not run here yet", p.name)
}

// stillToRun returns the active run that will start the execution, or nil.
func (q *Reader) stillToRun(p logPlace) *nodestate.Run {
	for _, r := range q.nodes.Runs {
		if (p.run == 0 || p.run == r.Number) && q.covers(r, p.id) && q.toBegin(r, p) {
			return r
		}
	}
	return nil
}

// covers reports whether a run covers a node. An instance that does not exist yet is covered if its sub-flow is.
func (q *Reader) covers(r *nodestate.Run, id string) bool {
	if _, ok := r.Sched.Index(id); ok || !nodestate.IsPath(id) {
		return ok
	}
	container, _, _ := strings.Cut(id, "[")
	n, err := q.file.Find(container)
	if err != nil {
		return false
	}
	_, ok := r.Sched.Index(n.ID)
	return ok
}

// toBegin reports whether a run that covers the node will start the execution.
func (q *Reader) toBegin(r *nodestate.Run, p logPlace) bool {
	if r.Phase == runstate.Ended || r.Phase == runstate.Complete {
		return false
	}
	rec, begun := q.nodes.Latest[p.id].Execution, 0
	if rec != nil && rec.Run == r.Number {
		begun = rec.Number
	}
	switch {
	case p.execution > 0 && p.execution < begun:
		return false
	case begun > 0 && (p.execution == 0 || p.execution == begun):
		return rec.Live && rec.Out.File == "" // the executor has it and has not reported its start
	}
	i, ok := r.Sched.Index(p.id)
	if !ok {
		return true // its instance has not started
	}
	switch r.Sched.Status(i) {
	case graph.Idle, graph.Queued, graph.Running:
		return true
	}
	return false
}

// Waiting returns the number of requests that wait for an output. Tests use it.
func (q *Reader) Waiting() int { return len(q.waits) }

// AnswerOutputWaits answers requests whose execution has started, or will not start any more.
func (q *Reader) AnswerOutputWaits() {
	left := q.waits[:0]
	for _, o := range q.waits {
		switch {
		case o.ctx.Err() != nil:
		case q.stillToRun(o.p) != nil:
			left = append(left, o)
		default:
			o.reply(q.locate(o.p))
		}
	}
	clear(q.waits[len(left):])
	q.waits = left
}

// earlierNode finds a node by the id or name that it had when a run started. The error is errNotThere, or says why the record
// cannot be read.
func (q *Reader) earlierNode(run int, text string) (id, name string, err error) {
	if run == 0 {
		return "", "", errNotThere
	}
	if nodestate.IsPath(text) {
		return text, text, nil // the caller looks for it in the journal
	}
	req, err := q.store.Request(run)
	if err != nil {
		return "", "", err
	}
	for i := range req.Scope {
		if req.Scope[i] != text && req.Names[i] != text {
			continue
		}
		if req.Outer > 0 && i >= req.Outer {
			if path := q.onlyPath(run, req.Scope[i]); path != "" {
				return path, req.Names[i], nil
			}
		}
		return req.Scope[i], req.Names[i], nil
	}
	return "", "", errNotThere
}

// onlyPath returns the path of a node of other workfiles that ran once in a run; "" if it may have several.
func (q *Reader) onlyPath(run int, id string) string {
	g, err := workfile.FrozenGraph(q.store, run)
	if err != nil || g.Node(id) == nil {
		return ""
	}
	f, _ := flow.Read(g)
	path := f.LocalName(g.Node(id))
	for h := g.Node(id).Home(); h != nil; h = h.Home() {
		if !h.Once() {
			return ""
		}
		path = f.LocalName(h) + "[0]/" + path
	}
	return path
}

// errNotThere means that a run did not cover a node.
var errNotThere = errors.New("the run has no such node")

func (q *Reader) liveOutput(id string, rec *runstate.Execution) *output {
	o := &output{dir: q.store.Dir(rec.Run), out: rec.Out, err: rec.Err, pid: rec.PID, span: span{started: rec.StartedAt}}
	if !rec.Live {
		o.ended = rec.EndedAt
	}
	name := id
	if n := q.file.Graph().Node(id); n != nil {
		name = q.file.Handle(n)
	}
	o.info = api.LogInfo{Node: id, Name: name, Run: history.RunID(rec.Run), Execution: rec.Number, Over: !rec.Live,
		Engine: rec.Engine(), Queued: rec.Live && !rec.Started && rec.Engine() != nil}
	if rec.Live {
		if rec.Ending == nil {
			rec.Ending = &runstate.OutputEnd{Done: make(chan struct{})}
		}
		o.ending = rec.Ending
	}
	return o
}

// pastOutput finds the output of an execution in the history.
func (q *Reader) pastOutput(run int, id, name string, execution int) (*output, error) {
	past, err := q.store.Load(run)
	if err != nil {
		return nil, api.NotFound("run %d: %s", run, err)
	}
	for i := len(past.Executions) - 1; i >= 0; i-- {
		e := past.Executions[i]
		if e.ID != id || execution != 0 && e.Number != execution {
			continue
		}
		o := &output{dir: q.store.Dir(run), out: e.Out, err: e.Err, span: span{e.Started, e.Ended}}
		o.info = api.LogInfo{Node: id, Name: name, Run: history.RunID(run), Execution: e.Number, Over: true,
			Engine: runstate.DescribeJob(e.Engine)}
		return o, nil
	}
	if execution != 0 {
		return nil, nodestate.NoOutput("node %s has no execution %d in run %d", name, execution, run)
	}
	return nil, nodestate.NoOutput("node %s has no output in run %d: it did not run there", name, run)
}

// merged reports whether both streams were written to one file.
func (o *output) merged() bool { return o.out.File != "" && o.err.File == "" }

// stream returns the present range of a stream, and a function that returns its final range after the execution has ended. A
// merged output is standard output.
func (o *output) stream(name string) (r executor.Range, final func() executor.Range, err error) {
	out := func() executor.Range { return o.ending.Out }
	switch name {
	case "stdout":
		return o.out, out, nil
	case "stderr":
		return o.err, func() executor.Range { return o.ending.Err }, nil
	case "output":
		if o.out.File != "" && !o.merged() {
			return r, nil, api.Invalid("standard output and standard error of %s are apart: ask for stdout or stderr", o.info.Name)
		}
		return o.out, out, nil
	}
	return r, nil, api.Invalid("unknown stream %q (stdout, stderr, output)", name)
}
