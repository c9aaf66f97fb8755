package main

import (
	"context"
	"os/signal"
	"sync"
	"time"

	"wf/api"
	"wf/client"
)

// redraw is how often status --watch asks at most: a fast run has thousands of events a second
// and people read one line.
const redraw = 200 * time.Millisecond

// follow prints the state now and after every change, until Ctrl-C, which ends it with status 0.
func (o *statusOptions) follow(ctx context.Context, e *env, s *session) error {
	ctx, stop := signal.NotifyContext(ctx, interrupt)
	var reader sync.WaitGroup
	defer reader.Wait()
	defer stop()
	watch, err := s.ws.Watch(ctx, api.WatchOptions{})
	if err != nil {
		return err
	}
	defer watch.Close()
	changes, failed := changesOf(ctx, watch, &reader)
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			if ctx.Err() != nil {
				return nil
			}
			return err
		case <-changes:
		}
		if err := o.show(ctx, e, s); err != nil || ctx.Err() != nil {
			return ignoreCancel(ctx, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(redraw):
		}
	}
}

// show prints the state once, without the nodes where people read it as it scrolls by.
func (o *statusOptions) show(ctx context.Context, e *env, s *session) error {
	status, err := s.ws.Status(ctx, o.json)
	if err != nil {
		return err
	}
	return o.print(e, status)
}

// ignoreCancel is err, or nil when it only says that the user has left.
func ignoreCancel(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// changesOf turns the frames of watch into a mark "something has changed", however many they
// are. Its goroutine, one of group, ends with ctx or with the
// watch, whose error it hands over.
func changesOf(ctx context.Context, watch *client.Watch, group *sync.WaitGroup) (changes chan struct{}, failed chan error) {
	changes, failed = make(chan struct{}, 1), make(chan error, 1)
	group.Go(func() {
		for {
			frame, err := watch.Next(ctx)
			if err != nil {
				failed <- err
				return
			}
			if !changed(frame) {
				continue
			}
			select {
			case changes <- struct{}{}:
			default: // one mark waits already
			}
		}
	})
	return changes, failed
}

// changed says whether a frame changes what status shows.
func changed(frame api.Frame) bool { return frame.Snapshot != nil || len(frame.Events) > 0 }
