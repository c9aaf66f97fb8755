package client

import (
	"context"
	"errors"

	"wf/api"
)

// StopServer stops the daemon and returns when its lock is free. It waits for the runs, or for their stop, as long as
// they take. It starts no other daemon if this one has ended meanwhile.
func (c *Client) StopServer(ctx context.Context, req api.ServerStop) error {
	q, err := newRequest(api.StopServer, req)
	if err != nil {
		return err
	}
	answer, err := c.attempt(ctx, q)
	switch {
	case err == nil:
		answer.Close()
	case ctx.Err() != nil:
		return ctx.Err()
	case notConnected(err) || code(err) == api.CodeGone: // it is ending already
	default:
		return err
	}
	c.http.CloseIdleConnections()
	return c.awaitEnd(ctx)
}

// awaitEnd waits until the daemon that was found has released the lock. If the registry has another pid, another daemon has
// taken the lock since.
func (c *Client) awaitEnd(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	pid := c.Version().PID
	for wait := firstWait; Held(c.opt.Runtime); wait = min(2*wait, lastWait) {
		if reg, err := readRegistry(c.opt.Runtime); err == nil && reg.PID != pid {
			return nil
		}
		if err := sleep(bounded, wait); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &UnreachableError{Doing: "stop the daemon",
				Err: errors.New("it accepted the request to end, but it still runs")}
		}
	}
	return nil
}
