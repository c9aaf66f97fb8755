package client

import (
	"context"
	"errors"
	"sync"
	"time"

	"wf/api"
)

// The back-off of a Watch that has lost its connection.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = time.Second
	retryLimit = 10 * time.Second
)

// A Watch yields the frames of a workspace: a snapshot, then every later event of the requested types, once and in order.
// After a lost connection, a drop or a gap it connects again and continues with a new snapshot; so any frame may have a
// Snapshot. One goroutine at a time may call Next, any may call Close.
type Watch struct {
	c      *Client
	frames chan api.Frame // from the pump; unbuffered, so that the daemon notices a slow reader
	cancel context.CancelFunc
	pump   sync.WaitGroup
	close  sync.Once
	err    error // why frames was closed; set before that
}

// errClosed is the end of a Watch that its owner has closed.
var errClosed = errors.New("the watch is closed")

// Watch starts to watch. It returns when the daemon has accepted; ctx bounds only that.
func (w *Workspace) Watch(ctx context.Context, opt api.WatchOptions) (*Watch, error) {
	own, cancel := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, cancel)
	q := &request{method: api.WatchEvents.Method, path: api.WatchEvents.At(w.ID)}
	conn, err := sendUntilAnswered(own, w.c, q, w.reopen(own), func() (*wire, error) { return w.c.watch(own, w.ID, opt, startPolicy{start: true}) })
	if !stop() || err != nil {
		if conn != nil {
			conn.close()
		}
		cancel()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	w.c.watches.Add(1)
	v := &Watch{c: w.c, frames: make(chan api.Frame), cancel: cancel}
	v.pump.Go(func() {
		w.c.opt.Guard(func() {
			defer close(v.frames)
			v.err = v.run(own, w, opt, conn)
		})
	})
	return v, nil
}

// Next returns the next frame. An error other than that of ctx is the end of the Watch.
func (v *Watch) Next(ctx context.Context) (api.Frame, error) {
	select {
	case f, ok := <-v.frames:
		if !ok {
			return api.Frame{}, v.err
		}
		return f, nil
	case <-ctx.Done():
		return api.Frame{}, ctx.Err()
	}
}

// Close ends the Watch and waits for its goroutine. It may be called more than once.
func (v *Watch) Close() {
	v.cancel()
	v.pump.Wait()
	v.close.Do(func() { v.c.watches.Add(-1) })
}

// run is the pump: it forwards frames and replaces lost connections until ctx ends or no daemon is found.
func (v *Watch) run(ctx context.Context, w *Workspace, opt api.WatchOptions, conn *wire) error {
	for {
		end := v.forward(ctx, conn)
		if ctx.Err() != nil {
			return errClosed
		}
		v.c.opt.Lost(end)
		var err error
		if conn, err = w.reconnect(ctx, opt, end); err != nil {
			if ctx.Err() != nil {
				return errClosed
			}
			return err
		}
	}
}

// forward passes on the frames of one connection and returns why it ended. When ctx ends, closing the connection
// interrupts the read.
func (v *Watch) forward(ctx context.Context, conn *wire) error {
	stop := context.AfterFunc(ctx, conn.close)
	defer func() {
		stop()
		conn.close()
	}()
	for {
		f, err := conn.next()
		if err != nil {
			v.c.trace("the watch is interrupted", "err", err)
			return err
		}
		v.c.trace("frame", "snapshot", f.Snapshot != nil, "events", len(f.Events), "seq", conn.seq)
		select {
		case v.frames <- f:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// reconnect connects again after end. After a stop on purpose it searches for a daemon, because a successor may come, but
// starts none.
func (w *Workspace) reconnect(ctx context.Context, opt api.WatchOptions, end error) (*wire, error) {
	policy := startPolicy{start: !w.c.stoppedOnPurpose()}
	err := end
	p := newReconnectLimit(time.Now(), w.c.daemon.Load().info.PID)
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		bounded, cancel := context.WithDeadline(ctx, p.until)
		if sleep(bounded, wait) != nil {
			cancel()
			return nil, watchLost(err)
		}
		var conn *wire
		conn, err = w.reconnectOnce(bounded, ctx, opt, policy)
		cancel()
		if err == nil {
			return conn, nil
		}
		if final(err) {
			return nil, err
		}
		p.restart(time.Now(), w.c.daemon.Load().info.PID)
	}
}

// A reconnectLimit is the time limit for connecting again. It starts again whenever a new daemon answers: if daemons
// die one after the other, the watch continues with the next one.
type reconnectLimit struct {
	until  time.Time
	daemon int // pid of the daemon that answered last
}

func newReconnectLimit(now time.Time, daemon int) *reconnectLimit {
	return &reconnectLimit{now.Add(retryLimit), daemon}
}

// restart starts the limit again if daemon is not the one that answered before.
func (p *reconnectLimit) restart(now time.Time, daemon int) {
	if daemon != p.daemon {
		p.until, p.daemon = now.Add(retryLimit), daemon
	}
}

// reconnectOnce finds the daemon, opens the workspace and watches it. ctx bounds the attempt, life the connection.
func (w *Workspace) reconnectOnce(ctx, life context.Context, opt api.WatchOptions, policy startPolicy) (*wire, error) {
	if err := w.c.reach(ctx, policy); err != nil {
		return nil, err
	}
	if _, err := w.c.open(ctx, w.Workfile); err != nil {
		return nil, err
	}
	conn, err := w.c.watch(ctx, w.ID, opt, policy)
	if err == nil && life.Err() != nil {
		conn.close()
		return nil, life.Err()
	}
	return conn, err
}

// final reports whether another attempt cannot help, because the daemon has refused.
func final(err error) bool {
	c := code(err)
	return c != "" && c != api.CodeGone && c != api.CodeNotFound
}

// watchLost returns the error of a Watch that found no daemon again.
func watchLost(err error) error {
	var u *UnreachableError
	if errors.As(err, &u) || code(err) != "" {
		return err
	}
	return &UnreachableError{Doing: "watch the workfile any longer", Err: err}
}
