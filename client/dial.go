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
	conn, _, err := dialSocket(ctx, c.daemon.Load().socket)
	return conn, err
}

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
