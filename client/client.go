// Package client is how every other part of wf talks to the daemon: it finds the daemon, starts
// one if none answers, and has a method for each of its routes. It knows no workfile and no run
// by itself, prints nothing and keeps nothing on disk.
package client

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"wf/api"
)

// Options say which daemon is meant and what to do when it does not answer.
type Options struct {
	// Runtime is the folder of lock, registry and socket. The caller has checked that nobody
	// else can enter it.
	Runtime string
	// Version of this binary. A daemon of another one is replaced when no run is going in it.
	// "" takes any daemon that speaks our protocol.
	Version string
	// User is who uses the client, for those who are told of edits; "" tells nobody.
	User string
	// Results is what the user's configuration says about what runs write into workfiles, see
	// api.OpenRequest; "" says nothing.
	Results string
	// Start starts a daemon; see Detached. nil is NoStart.
	Start Starter
	// NoStart leaves things as they are: no daemon is started or replaced.
	NoStart bool
	// Timeout bounds the wait for a daemon to answer, to start and to end; 0 means 10 s.
	Timeout time.Duration
	// Log is the path of the daemon's log, quoted when its start fails; "" for none.
	Log string
	// Note gets sentences for people about what happened on the way; nil drops them. It may be
	// called from the goroutine of a Watch.
	Note func(string)
	// Lost is told when a Watch has lost its connection and begins to look for the daemon. The next
	// frame, a snapshot, or the end of the Watch says how that went. nil tells nobody. It is called
	// from the goroutine of the Watch.
	Lost func(why error)
	// Guard runs what a goroutine of the client does, so that its owner can have the last word when
	// it panics; nil just runs it.
	Guard func(work func())
	// Trace gets an entry for each request and each frame; nil for none.
	Trace *slog.Logger
}

// A Client is a connection to the daemon. Its methods may be called from any goroutine. What the
// daemon answers instead of a result is an *api.Error, and a daemon that cannot be reached, or is
// lost on the way, an *UnreachableError. A context that ends, ends every method promptly with the
// context's error.
type Client struct {
	opt     Options
	id      string
	http    *http.Client
	daemon  atomic.Pointer[daemon]
	watches atomic.Int32 // that are not closed
}

// daemon is the daemon that answered last.
type daemon struct {
	socket    string
	info      api.VersionInfo
	dismissed atomic.Bool // it has told a watch that it ends
}

// Connect finds the daemon, or starts it and waits until it answers. The caller closes the Client.
func Connect(ctx context.Context, opt Options) (*Client, error) {
	c := newClient(opt)
	if err := c.reach(ctx, reaching{start: true, replace: true}); err != nil {
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
	opt.NoStart = opt.NoStart || opt.Start == nil
	c := &Client{opt: opt, id: newID()}
	c.http = &http.Client{Transport: &http.Transport{
		DialContext:         c.dial,
		DisableCompression:  true,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     time.Minute,
	}}
	return c
}

// newID names a client on the events it causes. It only has to differ from the others.
func newID() string {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return "c" + hex.EncodeToString(b[:])
}

// trace notes what is said to the daemon.
func (c *Client) trace(msg string, args ...any) {
	if c.opt.Trace != nil {
		c.opt.Trace.Debug(msg, args...)
	}
}

// Close lets go of the connections. Watches and outputs are closed by whoever opened them.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// ID is the name of this client on the events it causes.
func (c *Client) ID() string { return c.id }

// Version is what the daemon said about itself when it was found.
func (c *Client) Version() api.VersionInfo { return c.daemon.Load().info }

// Server describes the daemon and its open workspaces.
func (c *Client) Server(ctx context.Context) (api.ServerStatus, error) {
	return call(ctx, c, api.GetServer, api.None{})
}

// New creates a workfile and opens it.
func (c *Client) New(ctx context.Context, req api.NewRequest) (api.WorkspaceInfo, error) {
	return call(ctx, c, api.CreateWorkfile, req)
}

// Open opens the workspace of a workfile; path is absolute.
func (c *Client) Open(ctx context.Context, path string) (*Workspace, error) {
	info, err := c.open(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Workspace{ID: info.ID, Workfile: info.Workfile, Problem: info.Problem, c: c}, nil
}

// Retry opens a workspace that is held, see api.HeldWorkspace. For one that is not it is Open.
func (c *Client) Retry(ctx context.Context, path string) error {
	_, err := call(ctx, c, api.OpenWorkspace, api.OpenRequest{Path: path, Retry: true})
	return err
}

func (c *Client) open(ctx context.Context, path string) (api.WorkspaceInfo, error) {
	return call(ctx, c, api.OpenWorkspace, api.OpenRequest{Path: path, Results: c.opt.Results})
}
