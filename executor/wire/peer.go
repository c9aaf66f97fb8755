package wire

import (
	"fmt"
	"net"
	"os"
)

// checkPeer returns an error if the process at the other end of conn, a unix socket, belongs to another user.
func checkPeer(conn net.Conn) error {
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return fmt.Errorf("peer of %s: not a unix socket", conn.RemoteAddr())
	}
	raw, err := unixConn.SyscallConn()
	if err != nil {
		return err
	}
	var peerErr error
	if err := raw.Control(func(fd uintptr) { peerErr = CheckPeerFD(int(fd)) }); err != nil {
		return err
	}
	return peerErr
}

// CheckPeerFD is checkPeer for the descriptor of a connected unix socket.
func CheckPeerFD(fd int) error {
	uid, err := peerUID(fd)
	if err != nil {
		return fmt.Errorf("peer of the runner's socket: %w", err)
	}
	if uid != os.Geteuid() {
		return fmt.Errorf("peer of the runner's socket: it belongs to user %d, not to user %d", uid, os.Geteuid())
	}
	return nil
}
