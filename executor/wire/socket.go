package wire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"path/filepath"
)

// The socket of a runner is in the folder of its run, beside the runner log, so that any daemon that opens the run finds
// it. If the file system of that folder has no sockets (as some network and shared folders), the runner listens in the
// folder of Local.Sockets, where runners of earlier versions listen, too.

// SocketFile is the socket in the folder of a run.
const SocketFile = "socket"

// socketLimit is the longest path in bytes that a unix socket can have on all supported systems.
const socketLimit = 103

// SecondSocket returns the path at which the runner of the run in dir listens if it cannot listen in dir.
func SecondSocket(folder, dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(folder, "r-"+hex.EncodeToString(sum[:8])+".sock")
}

// SocketPaths returns the paths to try for the socket of the run in dir, in order.
func SocketPaths(dir, second string) []string {
	return []string{filepath.Join(dir, SocketFile), second}
}

// Dial connects to the runner of the run in dir. It tries the paths of SocketPaths, and returns an error if the process
// at the other end belongs to another user.
func Dial(ctx context.Context, dir, second string) (conn net.Conn, err error) {
	for _, path := range SocketPaths(dir, second) {
		err = WithShortPath(path, func(short string) error {
			conn, err = dialPath(ctx, short)
			return err
		})
		if err == nil {
			return conn, nil
		}
	}
	return nil, err
}

func dialPath(ctx context.Context, path string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := checkPeer(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}
