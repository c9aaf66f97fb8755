package daemon

import (
	"fmt"
	"net"
)

// peerUID is the user behind the other end. The client has a twin of this function: neither
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

// checkPeer lets in the daemon's own user only. Root is refused like everybody else: what it
// asked for would run as this user, which root can have without us.
func checkPeer(uid, own int) error {
	if uid != own {
		return fmt.Errorf("user %d may not use the daemon of user %d", uid, own)
	}
	return nil
}
