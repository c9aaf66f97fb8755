package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// reaching limits what reach does, in addition to Options.NoStart.
type reaching struct {
	start bool // start a daemon if there is none
	// replace a daemon of another version. Only the first contact does: otherwise two long-lived clients of
	// different versions would replace each other's daemons for ever.
	replace bool
}

// reach returns when a daemon answers that this client can work with.
func (c *Client) reach(ctx context.Context, may reaching) error {
	may.start = may.start && !c.opt.NoStart
	may.replace = may.replace && may.start
	bounded, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	s := starting{c: c, allowed: may.start}
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		done, err := c.meet(bounded, may)
		if done {
			s.announce()
			return nil
		}
		if err == nil || errors.Is(err, errNoDaemon) {
			var started bool
			if started, err = s.tend(bounded); started {
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

// dismissed reports whether the daemon that was found last was stopped on purpose, so that this client starts no other
// one. Either it has announced that to a watch, or it is about to: an open watch keeps it from being idle, and only an
// orderly end removes the registry.
func (c *Client) dismissed() bool {
	if c.daemon.Load().dismissed.Load() {
		return true
	}
	if c.watches.Load() == 0 {
		return false
	}
	_, err := os.Lstat(filepath.Join(c.opt.Runtime, api.FileRegistry))
	return errors.Is(err, fs.ErrNotExist)
}

// meet asks the daemon in the registry for its version and checks that the client can work with it.
func (c *Client) meet(ctx context.Context, may reaching) (done bool, err error) {
	reg, err := readRegistry(c.opt.Runtime)
	if err != nil {
		return false, err
	}
	info, err := askVersion(ctx, reg.Socket)
	if err != nil {
		return false, err
	}
	c.daemon.Store(&daemon{socket: reg.Socket, info: info})
	return c.agree(ctx, info, may)
}

// askVersion requests the version of the daemon that listens on socket. It uses a connection of its own, so that no
// connection to an ending daemon is reused.
func askVersion(ctx context.Context, socket string) (api.VersionInfo, error) {
	c := &Client{}
	c.daemon.Store(&daemon{socket: socket})
	transport := &http.Transport{DialContext: c.dial, DisableKeepAlives: true}
	c.http = &http.Client{Transport: transport}
	defer transport.CloseIdleConnections()
	var info api.VersionInfo
	answer, err := c.attempt(ctx, &question{method: api.GetVersion.Method, path: api.GetVersion.Path})
	if notDialled(err) || brokenOff(err) || code(err) == api.CodeGone {
		return info, errNoDaemon
	}
	if err != nil {
		return info, err
	}
	defer answer.Close()
	if err := json.NewDecoder(answer).Decode(&info); err != nil && ctx.Err() == nil {
		return info, errNoDaemon
	}
	return info, ctx.Err()
}

// agree decides about a daemon of another version: if it has no runs, it is replaced if that is allowed; otherwise it is
// used if it has the same protocol. False without an error means that it was stopped and a new one may be started.
func (c *Client) agree(ctx context.Context, info api.VersionInfo, may reaching) (done bool, err error) {
	same := c.opt.Version == "" || info.Version == c.opt.Version
	speaks := info.Protocol == api.Version
	if same && speaks {
		return true, nil
	}
	if info.Runs == 0 && may.replace {
		c.opt.Note(fmt.Sprintf("the daemon is %s, this client %s: restarting it", info.Version, c.opt.Version))
		err := c.end(ctx, api.ServerStop{})
		if err == nil || code(err) != api.CodeRefused {
			return false, err
		}
		info.Runs = 1 // one has started since
	}
	if speaks {
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
