// Package client connects the other parts of wf to the daemon: it finds the daemon, starts one if none answers, and
// has a method for each of its routes. It prints nothing and stores nothing on disk.
package client

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"wf/api"
)

// Options selects the daemon and says what to do when it does not answer.
type Options struct {
	// Runtime is the folder of lock, registry and socket. The caller has checked that other users cannot
	// access it.
	Runtime string
	// Version of this binary. A daemon of another version is replaced if it has no active run. "" accepts any
	// daemon with the same protocol.
	Version string
	// User is the name of the user, which the events of edits have; "" for none.
	User string
	// Origin is where requests come from, for the audit log.
	Origin api.Origin
	// Results is the user's configuration of what runs write into workfiles, see api.OpenRequest; "" for none.
	Results string
	// Start starts a daemon; see Detached. nil is NoStart.
	Start Starter
	// Dial, if not nil, connects to the daemon of another machine, and starts it if start is set. Runtime, Start, Log and
	// TrustRegistry are not used then, and a daemon of another version is not replaced.
	Dial func(ctx context.Context, start bool) (net.Conn, error)
	// NoStart keeps the client from starting or replacing a daemon.
	NoStart bool
	// TrustRegistry takes the version of the daemon from the registry, without a request, if the process that wrote the registry
	// serves the socket. Then Client.Version has no number of runs.
	TrustRegistry bool
	// Timeout bounds the wait for a daemon to answer, to start and to end; 0 means 10 s.
	Timeout time.Duration
	// Log is the path of the daemon's log, quoted when its start fails; "" for none.
	Log string
	// Note, if not nil, is called with messages for people, such as the start of a daemon. It may be called from
	// the goroutine of a Watch.
	Note func(string)
	// Lost, if not nil, is called when a Watch has lost its connection and starts to search for the daemon. Either the
	// next frame, a snapshot, follows, or the Watch ends. It is called from the goroutine of the Watch.
	Lost func(why error)
	// Guard, if not nil, runs the work of each goroutine of the client, so that its owner can handle a panic.
	Guard func(work func())
	// Trace, if not nil, gets an entry for each request and each frame.
	Trace *slog.Logger
}

// A Client is a connection to the daemon. Its methods may be called from any goroutine. A refusal by the daemon is an
// *api.Error; a daemon that cannot be reached, or is lost during a request, an *UnreachableError. Every method
// returns promptly with the error of its context when that ends.
type Client struct {
	opt     Options
	id      string
	origin  string // Options.Origin as a header
	http    *http.Client
	daemon  atomic.Pointer[daemon]
	dialed  atomic.Pointer[net.Conn] // for the next request; nil if it connects itself
	watches atomic.Int32             // number of open watches
}

// daemon is the daemon that answered last.
type daemon struct {
	socket       string
	info         api.VersionInfo
	announcedEnd atomic.Bool // it has announced its end to a watch
	silent       atomic.Bool // it has not answered anything yet
}

// Connect finds the daemon, or starts it and waits until it answers. The caller closes the Client.
func Connect(ctx context.Context, opt Options) (*Client, error) {
	c := newClient(opt)
	if err := c.reach(ctx, startPolicy{start: true, replace: true}); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func newClient(opt Options) *Client {
	if opt.Timeout == 0 {
		opt.Timeout = 10 * time.Second
	}
	if opt.Note == nil {
		opt.Note = func(string) {}
	}
	if opt.Lost == nil {
		opt.Lost = func(error) {}
	}
	if opt.Guard == nil {
		opt.Guard = func(work func()) { work() }
	}
	opt.NoStart = opt.NoStart || opt.Start == nil && opt.Dial == nil
	c := &Client{opt: opt, id: newID(), origin: api.EncodeQuery(opt.Origin).Encode()}
	c.http = &http.Client{Transport: &http.Transport{
		DialContext:         c.dial,
		DisableCompression:  true,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     time.Minute,
	}}
	return c
}

// newID returns a random id for a client, which the events that it causes have.
func newID() string {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return "c" + hex.EncodeToString(b[:])
}

// trace logs a request or a frame.
func (c *Client) trace(msg string, args ...any) {
	if c.opt.Trace != nil {
		c.opt.Trace.Debug(msg, args...)
	}
}

// Close closes the connections. The callers of Watch and Output close those themselves.
func (c *Client) Close() {
	if conn := c.dialed.Swap(nil); conn != nil {
		(*conn).Close()
	}
	c.http.CloseIdleConnections()
}

// ID returns the id of this client, which the events that it causes have.
func (c *Client) ID() string { return c.id }

// Version returns the description of the daemon from when it was found.
func (c *Client) Version() api.VersionInfo { return c.daemon.Load().info }

// Open opens the workspace of a workfile; path is absolute.
func (c *Client) Open(ctx context.Context, path string) (*Workspace, error) {
	info, err := c.open(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Workspace{ID: info.ID, Workfile: info.Workfile, Problem: info.Problem, c: c}, nil
}

// Retry opens a quarantined workspace, see api.HeldWorkspace, and any other like Open.
func (c *Client) Retry(ctx context.Context, path string) error {
	_, err := call(ctx, c, api.OpenWorkspace, api.OpenRequest{Path: path, Retry: true})
	return err
}

func (c *Client) open(ctx context.Context, path string) (api.WorkspaceInfo, error) {
	return call(ctx, c, api.OpenWorkspace, api.OpenRequest{Path: path, Results: c.opt.Results})
}
