package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"wf/api"
	"wf/client"
)

// redraw is the shortest time between two requests of status --watch: a fast run has thousands of events a second.
const redraw = 200 * time.Millisecond

// follow shows the state now and after every change, until Ctrl-C, which ends it with status 0. On a terminal it redraws
// the state in place.
func (o *statusOptions) follow(ctx context.Context, e *env, s *target) error {
	return o.followOn(ctx, e, s, o.newStatusScreen)
}

// followOn is follow on another screen.
func (o *statusOptions) followOn(ctx context.Context, e *env, s *target, newScreen func(*env, *target) *statusScreen) (err error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT)
	var reader sync.WaitGroup
	defer reader.Wait()
	defer stop()
	watch, err := s.Workspace.Watch(ctx, api.WatchOptions{})
	if err != nil {
		return err
	}
	defer watch.Close()
	changes, failed := changesOf(ctx, e, watch, &reader)
	screen := newScreen(e, s)
	if screen != nil {
		defer func() {
			if closed := screen.close(); err == nil {
				err = closed
			}
		}()
	}
	e.Guard(func() { err = o.loop(ctx, e, s, screen, changes, failed) })
	return err
}

// loop is the loop of follow. screen is nil if lines are printed.
func (o *statusOptions) loop(ctx context.Context, e *env, s *target, screen *statusScreen, changes <-chan struct{}, failed <-chan error) error {
	due := changes // nil for a moment after each request
	var (
		ticks   <-chan time.Time
		signals <-chan os.Signal
		keys    <-chan byte
	)
	if screen != nil {
		ticks, signals, keys = screen.clock.C, screen.signals, screen.keys.Pressed
	}
	pause := time.NewTimer(redraw)
	defer pause.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case err = <-failed:
		case <-due:
			err = o.show(ctx, e, s, screen)
			if screen != nil && screen.over != nil && err == nil && screen.over(&screen.status) {
				return nil
			}
			due = nil
			pause.Reset(redraw)
		case <-pause.C:
			due = changes
		case <-ticks:
			err = screen.draw(time.Now())
		case sig := <-signals:
			err = screen.terminalSignal(sig)
		case key := <-keys:
			if key == 'q' {
				return nil
			}
		}
		if err != nil || ctx.Err() != nil {
			return ignoreCancel(ctx, err)
		}
	}
}

// show shows the state once. Scrolling text does without the single nodes.
func (o *statusOptions) show(ctx context.Context, e *env, s *target, screen *statusScreen) error {
	if screen != nil {
		status, err := screen.ask(ctx, s)
		if err != nil {
			return err
		}
		return screen.show(status)
	}
	status, err := s.Workspace.Status(ctx, o.json)
	if err != nil {
		return err
	}
	return o.print(e, s, status)
}

// ignoreCancel returns err, or nil if ctx was cancelled.
func ignoreCancel(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// changesOf sends at most one pending signal for any number of frames of watch. Its goroutine, one of group, ends with
// ctx or with the watch, whose error it sends to failed.
func changesOf(ctx context.Context, e *env, watch *client.Watch, group *sync.WaitGroup) (changes chan struct{}, failed chan error) {
	changes, failed = make(chan struct{}, 1), make(chan error, 1)
	group.Go(func() {
		e.Guard(func() {
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
				default: // a signal is already pending
				}
			}
		})
	})
	return changes, failed
}

// changed says whether a frame changes what status shows.
func changed(frame api.Frame) bool { return frame.Snapshot != nil || len(frame.Events) > 0 }
