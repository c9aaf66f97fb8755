package client

import (
	"context"
	"fmt"
	"net"
	"os"

	"wf/executor/peer"
)

// dial connects to the daemon that was found last, whatever address the HTTP client asks for.
func (c *Client) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if conn := c.dialed.Swap(nil); conn != nil {
		return *conn, nil
	}
	if c.opt.Dial != nil {
		return c.opt.Dial(ctx, false)
	}
	conn, _, err := dialSocket(ctx, c.daemon.Load().socket)
	return conn, err
}

// DialDaemon finds the daemon, or starts it, and returns a connection to it: for a caller that passes on the bytes of another
// client.
func DialDaemon(ctx context.Context, opt Options) (conn net.Conn, err error) {
	for range dialAttempts { // an idle daemon may end after it was found
		var c *Client
		if c, err = Connect(ctx, opt); err != nil {
			return nil, err
		}
		conn, err = c.dial(ctx, "", "")
		c.Close()
		if err == nil || ctx.Err() != nil {
			return conn, err
		}
	}
	return nil, err
}

// dialAttempts is how many daemons DialDaemon finds at most.
const dialAttempts = 3

// dialSocket connects to a daemon and checks that it runs as this user before a byte is sent. It returns the pid of the daemon,
// see peer.IDs.
func dialSocket(ctx context.Context, path string) (conn net.Conn, pid int, err error) {
	var d net.Dialer
	conn, err = d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, 0, err
	}
	uid, pid, err := peer.IDs(conn)
	if err == nil {
		err = checkPeer(path, uid, os.Geteuid())
	}
	if err != nil {
		conn.Close()
		return nil, 0, &UnreachableError{Doing: "trust the daemon", Err: err}
	}
	return conn, pid, nil
}

// checkPeer returns an error unless the daemon at path runs as the user own.
func checkPeer(path string, uid, own int) error {
	if uid != own {
		return fmt.Errorf("%s is served by user %d, not by you (%d)", path, uid, own)
	}
	return nil
}
