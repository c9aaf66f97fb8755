package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"

	"wf/api"
	"wf/executor"
	"wf/ownfile"
)

// output is one execution's output on disk.
type output struct {
	info     api.LogInfo
	dir      string
	out, err executor.Range
	pid      int     // while it is going
	ending   *ending // nil when it has ended
}

// ending tells those who follow an output where it ends. out and err are set before done is closed.
type ending struct {
	done     chan struct{}
	out, err executor.Range
}

// LogInfo describes the output of an execution: of the latest in the latest run unless told
// otherwise (run "", execution 0).
func (w *Workspace) LogInfo(ctx context.Context, node, run string, execution int) (api.LogInfo, error) {
	o, err := w.output(ctx, node, run, execution)
	if err != nil {
		return api.LogInfo{}, err
	}
	o.info.OutBytes, o.info.ErrBytes = o.size(o.out), o.size(o.err)
	return o.info, nil
}

// Output reads the bytes that an execution wrote to stdout or stderr, exactly, from offset on. With
// follow it goes on until the execution has ended; Close ends it before.
func (w *Workspace) Output(ctx context.Context, node, run string, execution int, stream string, offset int64, follow bool) (io.ReadCloser, error) {
	o, err := w.output(ctx, node, run, execution)
	if err != nil {
		return nil, err
	}
	r, final := o.out, func() executor.Range { return o.ending.out }
	switch stream {
	case "stdout":
	case "stderr":
		r, final = o.err, func() executor.Range { return o.ending.err }
	default:
		return nil, invalid("unknown stream %q (stdout, stderr)", stream)
	}
	if offset < 0 {
		return nil, invalid("offset %d is negative", offset)
	}
	if r.File == "" {
		return io.NopCloser(eof{}), nil
	}
	out, err := openOutput(filepath.Join(o.dir, filepath.FromSlash(r.File)), r.Start+offset, r.End)
	if err != nil {
		return nil, err
	}
	if r.End < 0 && o.ending != nil {
		out.pid, out.over, out.final = o.pid, o.ending.done, final
		if follow {
			return out, out.follow()
		}
	}
	return out, out.stopHere()
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// output finds an execution, of a run that is going or of the past.
func (w *Workspace) output(ctx context.Context, node, run string, execution int) (*output, error) {
	type found struct {
		o    *output
		n    int    // run to look up in the history instead
		id   string // of the node
		name string

		unknown error // the workfile has no such node: only the run may have known it, by id or name
	}
	f, err := ask(ctx, w, func(w *Workspace) (found, error) {
		number, err := w.runNumber(run)
		if err != nil {
			return found{}, err
		}
		if rec := w.last[node].rec; rec != nil && strings.Contains(node, "]/") {
			if number == 0 {
				number = rec.run
			}
			if rec.run == number && rec.executions > 0 && (execution == 0 || execution == rec.executions) {
				return found{o: w.liveOutput(node, rec)}, nil
			}
			return found{n: number, id: node, name: node}, nil
		}
		n, err := w.find(node)
		if err != nil {
			return found{n: number, id: node, unknown: err}, nil
		}
		rec := w.last[n.ID].rec
		if number == 0 && (rec == nil || rec.executions == 0) {
			return found{}, notFound("node %s has no output: it has not run here yet", w.handle(n))
		}
		if number == 0 {
			number = rec.run
		}
		if rec != nil && rec.run == number && rec.executions > 0 && (execution == 0 || execution == rec.executions) {
			return found{o: w.liveOutput(n.ID, rec)}, nil
		}
		return found{n: number, id: n.ID, name: w.handle(n)}, nil
	})
	switch {
	case err != nil || f.o != nil:
		return f.o, err
	case f.unknown != nil:
		if f.id, f.name, err = w.pastNode(f.n, f.id); err != nil {
			return nil, f.unknown
		}
	}
	return w.pastOutput(f.n, f.id, f.name, execution)
}

// pastNode finds a node by the id or the name that it had when a run began. The error is
// errNotThere, or why the record cannot be read.
func (w *Workspace) pastNode(run int, text string) (id, name string, err error) {
	if run == 0 {
		return "", "", errNotThere
	}
	req, err := w.store.Request(run)
	if err != nil {
		return "", "", err
	}
	if strings.Contains(text, "]/") {
		return text, text, nil // what the journal has of it, the caller finds
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
	o := &output{dir: w.store.Dir(rec.run), out: rec.out, err: rec.err, pid: rec.pid}
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
		o := &output{dir: w.store.Dir(run), out: executorRange(e.Out), err: executorRange(e.Err)}
		o.info = api.LogInfo{Node: id, Name: name, Run: runID(run), Execution: e.Number, Over: true}
		return o, nil
	}
	if execution != 0 {
		return nil, notFound("node %s has no execution %d in run %d", name, execution, run)
	}
	return nil, notFound("node %s has no output in run %d: it did not run there", name, run)
}

// size is how many bytes of a range there are now.
func (o *output) size(r executor.Range) int64 {
	end := r.End
	if end < 0 {
		info, err := os.Stat(filepath.Join(o.dir, filepath.FromSlash(r.File)))
		if err != nil {
			return 0
		}
		end = info.Size()
	}
	return end - r.Start
}

// outputReader reads a range of an output file that may still grow.
type outputReader struct {
	f       *os.File
	pos     int64
	end     int64 // -1 while it grows
	pid     int   // of who writes
	over    <-chan struct{}
	final   func() executor.Range // valid when over is closed
	changes *fsnotify.Watcher
	closed  chan struct{}
}

func openOutput(path string, pos, end int64) (*outputReader, error) {
	f, err := ownfile.Open(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound("the output is gone: %s", path)
	}
	if err != nil {
		return nil, internal("output", err)
	}
	return &outputReader{f: f, pos: pos, end: end, closed: make(chan struct{})}, nil
}

// stopHere makes the present end of a growing output its end.
func (r *outputReader) stopHere() error {
	if r.end >= 0 {
		return nil
	}
	info, err := r.f.Stat()
	if err != nil {
		r.f.Close()
		return internal("output", err)
	}
	r.end = info.Size()
	if r.isForeign() {
		select {
		case <-r.over:
			r.end = r.final().End
		case <-time.After(newsPatience):
		}
	}
	return nil
}

// newsPatience bounds the wait for the news that an execution is over whose process is gone. They take
// longer only where its runner has died as well; then nobody has got the file since.
const newsPatience = time.Second

// isForeign reports whether what has just been read of a growing output, or its size, may be another
// execution's: once a process is reaped its runner gives the file to the next one, which the workspace
// hears a little later.
func (r *outputReader) isForeign() bool {
	return r.over != nil && (r.pid <= 1 || errors.Is(unix.Kill(r.pid, 0), unix.ESRCH))
}

// awaitEnd returns when the end is known.
func (r *outputReader) awaitEnd() error {
	select {
	case <-r.over:
		r.end = r.final().End
	case <-r.closed:
		return fs.ErrClosed
	}
	return nil
}

// follow makes the reader wait at the end until the execution is over.
func (r *outputReader) follow() error {
	var err error
	if r.changes, err = fsnotify.NewWatcher(); err == nil {
		err = r.changes.Add(r.f.Name())
	}
	if err != nil {
		r.Close()
		return internal("follow the output", err)
	}
	return nil
}

// Read returns what is there; at the present end of a growing output it waits for more.
func (r *outputReader) Read(p []byte) (int, error) {
	for {
		if r.end >= 0 && r.end-r.pos < int64(len(p)) {
			p = p[:max(0, r.end-r.pos)]
		}
		if len(p) == 0 {
			return 0, io.EOF
		}
		n, err := r.f.ReadAt(p, r.pos)
		if err == io.EOF && (n > 0 || r.end < 0) {
			err = nil
		}
		if n > 0 && r.end < 0 && r.isForeign() {
			if err := r.awaitEnd(); err != nil {
				return 0, err
			}
			continue
		}
		if n > 0 || err != nil {
			r.pos += int64(n)
			return n, err
		}
		if err := r.wait(); err != nil {
			return 0, err
		}
	}
}

// wait returns when there may be more to read, or the end is known.
func (r *outputReader) wait() error {
	select {
	case <-r.changes.Events:
	case <-r.changes.Errors:
	case <-r.over:
		r.end = r.final().End
	case <-r.closed:
		return fs.ErrClosed
	}
	return nil
}

func (r *outputReader) Close() error {
	close(r.closed)
	if r.changes != nil {
		r.changes.Close()
	}
	return r.f.Close()
}

// notRun is the error about a word that should be the number of a run.
func notRun(name string) error {
	return &api.Error{Code: api.CodeInvalid, Message: strconv.Quote(name) + " is no run: runs have numbers", Fix: "wf runs lists them"}
}

// runNumber reads the name of a run; "" is 0.
func (w *Workspace) runNumber(name string) (int, error) {
	if name == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(name)
	if err != nil || n <= 0 {
		return 0, notRun(name)
	}
	return n, nil
}
