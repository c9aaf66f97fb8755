package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"wf/api"
)

// The pause between two attempts to reach a starting daemon: short at first, because a start takes only some
// milliseconds.
const (
	firstWait = 2 * time.Millisecond
	lastWait  = 200 * time.Millisecond
)

// A startPolicy limits what reach does, in addition to Options.NoStart.
type startPolicy struct {
	start bool // start a daemon if there is none
	// replace a daemon of another version. Only the first contact does: otherwise two long-lived clients of
	// different versions would replace each other's daemons for ever.
	replace bool
}

// reach returns when a daemon answers that this client can work with.
func (c *Client) reach(ctx context.Context, policy startPolicy) error {
	policy.start = policy.start && !c.opt.NoStart
	policy.replace = policy.replace && policy.start
	if c.opt.Dial != nil {
		return c.reachThrough(ctx, policy.start)
	}
	bounded, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	s := startAttempt{c: c, allowed: policy.start}
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		done, err := c.tryRegistered(bounded, policy)
		if done {
			s.announce()
			return nil
		}
		if err == nil || errors.Is(err, errNoDaemon) {
			var started bool
			if started, err = s.ensureStarted(bounded); started {
				wait = firstWait
			}
		}
		if err == nil {
			err = sleep(bounded, wait)
		}
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case bounded.Err() != nil:
			return s.failure(fmt.Errorf("no answer within %v", c.opt.Timeout))
		default:
			return s.failure(err)
		}
	}
}

// reachThrough is reach with Options.Dial.
func (c *Client) reachThrough(ctx context.Context, start bool) error {
	end := time.Now().Add(c.opt.Timeout)
	var info api.VersionInfo
	for attempt := 1; ; attempt++ {
		var err error
		if info, err = c.askThrough(ctx, start); err == nil {
			break
		}
		ended := connectionBroke(err) || code(err) == api.CodeGone // or an ssh connection was lost
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case ended && !start:
			return ErrNoDaemon
		case !ended || attempt == dialAttempts || time.Now().After(end):
			return err
		}
	}
	c.daemon.Store(&daemon{info: info})
	_, err := c.checkVersion(ctx, info, startPolicy{})
	return err
}

// askThrough requests the version of the daemon that Options.Dial leads to, through the connection that the next request uses.
func (c *Client) askThrough(ctx context.Context, start bool) (info api.VersionInfo, err error) {
	c.Close() // an earlier daemon may be at the other end of its connections
	conn, err := c.opt.Dial(ctx, start)
	if err != nil {
		return info, &UnreachableError{Doing: "connect to the other machine", Err: err}
	}
	if other := c.dialed.Swap(&conn); other != nil {
		(*other).Close()
	}
	asker := &Client{http: c.http}
	asker.daemon.Store(&daemon{})
	err = receive(ctx, asker, &request{method: api.GetVersion.Method, path: api.GetVersion.Path}, &info)
	if err != nil {
		c.Close()
	}
	return info, err
}

// stoppedOnPurpose reports whether the daemon that was found last was stopped on purpose, so that this client starts no other
// one. Either it has announced that to a watch, or it is about to: an open watch keeps it from being idle, and only an
// orderly end removes the registry.
func (c *Client) stoppedOnPurpose() bool {
	if c.daemon.Load().announcedEnd.Load() {
		return true
	}
	if c.watches.Load() == 0 || c.opt.Dial != nil {
		return false
	}
	_, err := os.Lstat(filepath.Join(c.opt.Runtime, api.FileRegistry))
	return errors.Is(err, fs.ErrNotExist)
}

// tryRegistered asks the daemon in the registry for its version and checks that the client can work with it.
func (c *Client) tryRegistered(ctx context.Context, policy startPolicy) (done bool, err error) {
	reg, err := readRegistry(c.opt.Runtime)
	if err != nil {
		return false, err
	}
	if c.opt.TrustRegistry && c.trusts(ctx, reg) {
		return true, nil
	}
	info, err := c.askVersion(ctx, reg.Socket)
	if err != nil {
		return false, err
	}
	c.daemon.Store(&daemon{socket: reg.Socket, info: info})
	return c.checkVersion(ctx, info, policy)
}

// askVersion requests the version of the daemon that listens on socket. The first daemon of c is asked through the connection
// that the next request uses, later ones through a connection of their own, so that none to an ending daemon is reused.
func (c *Client) askVersion(ctx context.Context, socket string) (info api.VersionInfo, err error) {
	asker := &Client{http: c.http}
	if c.daemon.CompareAndSwap(nil, &daemon{socket: socket}) {
		defer func() {
			if err != nil {
				c.daemon.Store(nil)
				c.http.CloseIdleConnections()
			}
		}()
	} else {
		transport := &http.Transport{DialContext: asker.dial, DisableKeepAlives: true}
		asker.http = &http.Client{Transport: transport}
		defer transport.CloseIdleConnections()
	}
	asker.daemon.Store(&daemon{socket: socket})
	answer, err := asker.attempt(ctx, &request{method: api.GetVersion.Method, path: api.GetVersion.Path})
	if notConnected(err) || connectionBroke(err) || code(err) == api.CodeGone {
		return info, errNoDaemon
	}
	if err != nil {
		return info, err
	}
	defer answer.Close()
	data, err := io.ReadAll(answer)
	if err == nil {
		err = decode(data, &info)
	}
	if err != nil && ctx.Err() == nil {
		return info, errNoDaemon
	}
	return info, ctx.Err()
}

// checkVersion decides about a daemon of another version: if it has no runs, it is replaced if that is allowed; otherwise
// it is used if it has the same protocol. False without an error means that it was stopped and a new one may be started.
func (c *Client) checkVersion(ctx context.Context, info api.VersionInfo, policy startPolicy) (done bool, err error) {
	sameVersion := c.opt.Version == "" || info.Version == c.opt.Version
	sameProtocol := info.Protocol == api.Version
	if sameVersion && sameProtocol {
		return true, nil
	}
	if info.Runs == 0 && policy.replace {
		c.opt.Note(fmt.Sprintf("the daemon is %s, this client %s: restarting it", info.Version, c.opt.Version))
		err := c.StopServer(ctx, api.ServerStop{})
		if err == nil || code(err) != api.CodeRefused {
			return false, err
		}
		info.Runs = 1 // one has started since
	}
	if sameProtocol {
		return true, nil
	}
	return false, versionError(info, c.opt.Version)
}

func versionError(info api.VersionInfo, own string) error {
	e := &api.Error{Code: api.CodeVersion, Fix: "wf server restart",
		Message: fmt.Sprintf("the daemon (%s) and this client (%s) do not understand each other", info.Version, own)}
	if info.Runs > 0 {
		e.Why = "it cannot be replaced while runs are active in it"
		e.Fix = "wait for the runs, or wf server stop --cancel"
	}
	return e
}

// sleep waits for d, or for the end of ctx and returns its error.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
