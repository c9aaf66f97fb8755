package client

import (
	"context"
	"fmt"
	"net"
	"os"
)

// dial connects to the daemon found last, whatever address the HTTP client has in mind.
func (c *Client) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return dialSocket(ctx, c.peer.Load().socket)
}

// dialSocket connects to a daemon and makes sure that it runs as this user, before a byte is sent.
func dialSocket(ctx context.Context, path string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	uid, err := peerUID(conn.(*net.UnixConn))
	if err == nil {
		err = checkPeer(path, uid, os.Geteuid())
	}
	if err != nil {
		conn.Close()
		return nil, &UnreachableError{Doing: "trust the daemon", Err: err}
	}
	return conn, nil
}

func checkPeer(path string, uid, own int) error {
	if uid != own {
		return fmt.Errorf("%s is served by user %d, not by you (%d)", path, uid, own)
	}
	return nil
}

// peerUID is the user behind the other end. The daemon has a twin of this function: neither
// package may import the other, and api does no I/O.
func peerUID(conn *net.UnixConn) (int, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var uid int
	var credErr error
	if err := raw.Control(func(fd uintptr) { uid, credErr = credentials(int(fd)) }); err != nil {
		return 0, err
	}
	return uid, credErr
}
