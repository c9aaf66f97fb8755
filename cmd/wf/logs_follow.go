package main

import (
	"context"
	"errors"
	"io"
	"os/signal"
	"sync"

	"wf/client"
)

// followAll prints what the executions write, as it comes, until all have ended or Ctrl-C,
// which ends it with status 0: the nodes are not touched.
func (o *logsOptions) followAll(ctx context.Context, e *env, s *session, queries []client.LogQuery) error {
	ctx, stop := signal.NotifyContext(ctx, interrupt)
	defer stop()
	var (
		group sync.WaitGroup
		mu    sync.Mutex // guards standard output and errs
		errs  []error
	)
	for _, q := range queries {
		info, err := s.ws.LogInfo(ctx, q)
		if err != nil {
			return err
		}
		q.Run, q.Execution = info.Run, info.Execution // stay with it when a later one begins
		for _, stream := range o.chosen(info) {
			offset, err := o.offset(ctx, s, q, stream)
			if err != nil {
				return err
			}
			group.Go(func() {
				e.guard(func() {
					w := o.writer(e, lockedWriter{&mu, e.stdout}, info, stream.name)
					if err := copyStream(ctx, w, s, q, stream.name, offset, true); err != nil {
						mu.Lock()
						errs = append(errs, err)
						mu.Unlock()
					}
				})
			})
		}
	}
	group.Wait()
	return ignoreCancel(ctx, errors.Join(errs...))
}

// lockedWriter lets several streams write to one place, a piece at a time.
type lockedWriter struct {
	mu *sync.Mutex
	w  io.Writer
}

// Write takes turns.
func (l lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
