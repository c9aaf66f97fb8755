package wire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"path/filepath"
)

// The socket of a runner lies beside its record: whoever can take up the run can find its runner. A file
// system that has no sockets (some network and shared folders) leaves the folder of Local.Sockets, where
// runners of earlier versions listen, too.

// SocketFile is the socket in the folder of a run.
const SocketFile = "socket"

// socketLimit is the longest path a unix socket can have on every system we run on, in bytes.
const socketLimit = 103

// SecondSocket returns where the runner of the run in dir listens when it cannot in dir itself.
func SecondSocket(folder, dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(folder, "r-"+hex.EncodeToString(sum[:8])+".sock")
}

// SocketPaths returns the places of the socket of the run in dir, the usual one first.
func SocketPaths(dir, second string) []string {
	return []string{filepath.Join(dir, SocketFile), second}
}

// Dial connects to the runner of the run in dir, whose second address is second. It refuses a socket
// behind which there is a process of another user.
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
