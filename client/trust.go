package client

import (
	"context"
	"fmt"
	"time"

	"wf/api"
)

// trusts reports whether the client can use the daemon without asking for its version: version and protocol in the registry
// are those of the client, and the process that wrote the registry serves the socket. If so, the next request uses the
// connection that trusts has opened. It returns false for every daemon after the first one of a client.
func (c *Client) trusts(ctx context.Context, reg api.Registry) bool {
	same := reg.Protocol == api.Version && (c.opt.Version == "" || reg.Version == c.opt.Version)
	if !same || c.daemon.Load() != nil {
		return false
	}
	conn, pid, err := dialSocket(ctx, reg.Socket)
	if err != nil {
		return false
	}
	if pid != reg.PID {
		conn.Close()
		return false
	}
	d := &daemon{socket: reg.Socket, info: api.VersionInfo{Version: reg.Version, Protocol: reg.Protocol, PID: reg.PID, Requests: reg.Requests}}
	d.silent.Store(true)
	c.dialed.Store(&conn)
	c.daemon.Store(d)
	return true
}

// limitSilence returns a context for the first request to a daemon that has not answered yet. A request may take long, so
// its own time is not limited. After a tenth of Options.Timeout without an answer, the client asks the daemon for its version.
// If that is not answered either within Options.Timeout, the context ends. The caller calls answered when the request has an
// answer.
func (c *Client) limitSilence(ctx context.Context) (_ context.Context, answered func()) {
	d := c.daemon.Load()
	if !d.silent.Load() {
		return ctx, func() {}
	}
	limited, cancel := context.WithCancelCause(ctx)
	patience := c.opt.Timeout / 10
	ask := func() {
		bounded, stop := context.WithTimeout(limited, c.opt.Timeout-patience)
		defer stop()
		if _, err := c.askVersion(bounded, d.socket); err != nil && bounded.Err() == context.DeadlineExceeded && d.silent.Load() {
			cancel(&UnreachableError{Doing: "reach the daemon", Err: fmt.Errorf("no answer within %v", c.opt.Timeout)})
		}
	}
	timer := time.AfterFunc(patience, func() { c.opt.Guard(ask) })
	return limited, func() {
		timer.Stop()
		d.silent.Store(false)
	}
}
