package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/tail"
)

// awaitPatience is how long logs waits for a node to start before it prints a note.
const awaitPatience = 300 * time.Millisecond

// followAll prints the outputs of the executions until all nodes are done or the user presses Ctrl-C, which ends it
// with status 0 and does not affect the nodes.
func (o *logsOptions) followAll(ctx context.Context, e *env, s *target, queries []logQuery) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT)
	defer stop()
	f := &logFollower{o: o, e: e, s: s, titles: len(queries) > 1, out: lineStart{w: e.Stdout, at: true}}
	for _, q := range queries {
		f.group.Go(func() { e.Guard(func() { f.fail(f.follow(ctx, q)) }) })
	}
	f.group.Wait()
	return ignoreCancel(ctx, errors.Join(f.errs...))
}

// A logFollower prints the outputs of some nodes while they are written.
type logFollower struct {
	o      *logsOptions
	e      *env
	s      *target
	titles bool // there are several nodes
	group  sync.WaitGroup

	mu      sync.Mutex // guards the fields below, and standard output and standard error
	out     lineStart
	current string // the title of the output that was printed last
	errs    []error
}

func (f *logFollower) fail(err error) {
	if err == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errs = append(f.errs, err)
}

// follow prints the executions of a node one after the other, until there is none to come.
func (f *logFollower) follow(ctx context.Context, named logQuery) error {
	q := named.LogQuery
	for shown := 0; ; shown++ {
		info, err := f.await(ctx, q, named.name)
		if shown > 0 && exit.IsCode(err, api.CodeNoOutput) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f.o.permit(f.e, info.Masked, "the output of "+plain.Line(info.Name), info.Run); err != nil {
			return err
		}
		streams, err := f.o.chosen(f.e, f.s, info)
		if err != nil {
			return err
		}
		q.Run, q.Execution = info.Run, info.Execution // do not switch to a later execution that starts meanwhile
		title := ""
		if (f.titles || shown > 0) && !f.o.json {
			title = logTitle(info)
		}
		if err := f.copy(ctx, q, info, title, streams, shown == 0); err != nil {
			return err
		}
		if f.o.execution > 0 {
			return nil
		}
		q.Execution++
	}
}

// await returns when the execution has started. It prints a note if that takes longer than awaitPatience.
func (f *logFollower) await(ctx context.Context, q client.LogQuery, name string) (api.LogInfo, error) {
	slow := time.AfterFunc(awaitPatience, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		what := "to start"
		if q.Execution > 1 {
			what = fmt.Sprintf("for execution %d", q.Execution)
		}
		fmt.Fprintf(f.e.Stderr, "note: waiting for %s %s\n", plain.Line(name), what)
	})
	defer slow.Stop()
	return f.s.Workspace.AwaitLog(ctx, q)
}

// copy prints the streams of one execution concurrently, until it has ended.
func (f *logFollower) copy(ctx context.Context, q client.LogQuery, info api.LogInfo, title string, streams []tail.Stream, first bool) error {
	errs := make(chan error, len(streams))
	for _, stream := range streams {
		offset := int64(0)
		if first {
			var err error
			if offset, err = f.o.offset(ctx, f.s, q, stream); err != nil {
				return err
			}
		}
		f.group.Go(func() {
			f.e.Guard(func() {
				w := f.o.writer(f.e, followWriter{f, title}, info, stream, offset)
				errs <- copyStream(ctx, w, f.s, q, stream.Name, offset, true)
			})
		})
	}
	var failed []error
	for range streams {
		failed = append(failed, <-errs)
	}
	return errors.Join(failed...)
}

// followWriter writes the output of one execution.
type followWriter struct {
	f     *logFollower
	title string // "" = none
}

// Write writes p, after a title if the last output was that of another execution.
func (w followWriter) Write(p []byte) (int, error) {
	f := w.f
	f.mu.Lock()
	defer f.mu.Unlock()
	if w.title != "" && w.title != f.current {
		fmt.Fprintln(f.out.atLineStart(), w.title)
	}
	f.current = w.title
	return f.out.Write(p)
}
