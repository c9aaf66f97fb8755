package inquiry

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"

	"wf/api"
	"wf/executor"
	"wf/workspace/runstate"
	"wf/workspace/secrets"
)

// output is the output of one execution.
type output struct {
	info     api.LogInfo
	dir      string
	out, err executor.Range
	pid      int                 // of the process while the execution runs
	inFile   *fileOutput         // set if only the workfile contains the output, otherwise nil
	ending   *runstate.OutputEnd // nil after the execution has ended
	span
}

// LogInfo describes the output of an execution. The default (run "", execution 0) is the latest execution in the latest run.
// With wait it waits until an active run has started the execution, or returns an error when that will not happen any more.
func (q *Reader) LogInfo(ctx context.Context, node, run string, execution int, wait bool) (api.LogInfo, error) {
	o, err := q.output(ctx, node, run, execution, wait)
	if err != nil {
		return api.LogInfo{}, err
	}
	if f := o.inFile; f != nil {
		o.info.OutBytes, o.info.ErrBytes, o.info.Merged = int64(len(f.out)), int64(len(f.err)), f.merged
		return o.info, nil
	}
	o.info.OutBytes, o.info.ErrBytes, o.info.Merged = o.size(o.out), o.size(o.err), o.merged()
	masks, err := q.masksOf(o.dir)
	o.info.Masked = err != nil || masks.Any()
	return o.info, nil
}

// Output returns the bytes of an output from an offset on. The stream is stdout, stderr, or output if both are merged. With Follow
// the reader waits for the execution to start, like LogInfo, and ends when the execution has ended. Secret values are covered
// unless the query says otherwise. The caller closes the reader.
func (q *Reader) Output(ctx context.Context, ask api.OutputQuery) (io.ReadCloser, error) {
	stream, offset, follow := ask.Stream, ask.Offset, ask.Follow
	o, err := q.output(ctx, ask.Node, ask.Run, ask.Execution, follow)
	if err != nil {
		return nil, err
	}
	if o.inFile != nil {
		return o.inFile.read(stream, offset)
	}
	r, final, err := o.stream(stream)
	if err != nil {
		return nil, err
	}
	if offset < 0 {
		return nil, api.Invalid("offset %d is negative", offset)
	}
	if r.File == "" {
		return io.NopCloser(eof{}), nil
	}
	var masks *secrets.Masks
	if !ask.Unmasked {
		if masks, err = q.masksOf(o.dir); err != nil {
			return nil, err
		}
	}
	pos := r.Start + offset
	begin := masks.Before(r, pos)
	out, err := openOutput(o.dir, r, begin)
	if err != nil {
		return nil, err
	}
	if r.End < 0 && o.ending != nil {
		out.pid, out.alone, out.over, out.final = o.pid, o.info.Engine != nil, o.ending.Done, final
	}
	if out.over != nil && follow {
		err = out.follow()
	} else {
		err = out.stopHere()
	}
	if err != nil {
		return nil, err
	}
	return masks.Stream(out, secrets.View{Skip: pos - begin, Aligned: ask.Aligned, Grows: out.over != nil && !follow}), nil
}

// masksOf returns the masks of the run with the folder dir, nil if it has none.
func (q *Reader) masksOf(dir string) (*secrets.Masks, error) {
	masks, err := q.secrets.Of(dir)
	if err != nil {
		return nil, &api.Error{Code: api.CodeRefused, Message: "the output may contain secrets, and they are not known", Where: dir,
			Why: err.Error(), Fix: "wf logs --raw --yes shows the output as it is"}
	}
	return masks, nil
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// size returns the present number of bytes of a range.
func (o *output) size(r executor.Range) int64 {
	end := r.End
	if r.File == "" {
		return 0
	}
	if end < 0 {
		var err error
		if end, _, err = secrets.Size(o.dir, r); err != nil {
			return 0
		}
	}
	return end - r.Start
}

// outputReader reads a range of an output file that may still grow.
type outputReader struct {
	f       *os.File
	pos     int64
	end     int64 // -1 while it grows
	pid     int   // of the process that writes the output
	alone   bool  // no other execution writes to the file: it is of a job at an engine, whose pid is of another machine
	over    <-chan struct{}
	final   func() executor.Range // valid after over is closed
	changes *fsnotify.Watcher
	closed  chan struct{}
}

// openOutput opens an output as it is. Output covers the secret values.
func openOutput(dir string, r executor.Range, pos int64) (*outputReader, error) {
	f, err := secrets.OpenRaw(dir, r)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, api.NotFound("the output is gone: %s", dir+"/"+r.File)
	}
	if err != nil {
		return nil, api.Internal("output", err)
	}
	return &outputReader{f: f, pos: pos, end: r.End, closed: make(chan struct{})}, nil
}

// stopHere makes the present end of a growing output its final end.
func (r *outputReader) stopHere() error {
	if r.end >= 0 {
		return nil
	}
	info, err := r.f.Stat()
	if err != nil {
		r.f.Close()
		return api.Internal("output", err)
	}
	r.end = info.Size()
	if r.isForeign() {
		select {
		case <-r.over:
			r.end = r.final().End
		case <-time.After(reportPatience):
		}
	}
	return nil
}

// reportPatience bounds the wait for the report of an execution's end after its process has gone. The report takes longer only
// if the runner has died as well; then no other execution writes to the file.
const reportPatience = time.Second

// isForeign reports whether the bytes just read from a growing output, or its size, may belong to another execution. When a
// process has ended, its runner reuses the file for the next execution, and the workspace gets the report a little later.
func (r *outputReader) isForeign() bool {
	return r.over != nil && !r.alone && (r.pid <= 1 || errors.Is(unix.Kill(r.pid, 0), unix.ESRCH))
}

// awaitEnd waits until the end of the output is known.
func (r *outputReader) awaitEnd() error {
	select {
	case <-r.over:
		r.end = r.final().End
	case <-r.closed:
		return fs.ErrClosed
	}
	return nil
}

// follow makes Read wait at the present end of the output until the execution is over.
func (r *outputReader) follow() error {
	var err error
	if r.changes, err = fsnotify.NewWatcher(); err == nil {
		err = r.changes.Add(r.f.Name())
	}
	if err != nil {
		r.Close()
		return api.Internal("follow the output", err)
	}
	return nil
}

// Read returns the bytes that exist. At the present end of a growing output it waits for more.
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

// wait waits until there may be more to read, or the end is known.
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
