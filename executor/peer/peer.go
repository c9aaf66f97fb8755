// Package peer asks the kernel which user is at the other end of a unix socket. Daemon, clients and runners check
// it before they trust a connection. It decides nothing: the callers compare the user with their own.
package peer

import (
	"fmt"
	"net"
)

// UID returns the user id of the process at the other end of a unix socket.
func UID(conn net.Conn) (int, error) {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, fmt.Errorf("peer of %s: not a unix socket", conn.RemoteAddr())
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, err
	}
	var uid int
	var uidErr error
	if err := raw.Control(func(fd uintptr) { uid, uidErr = DescriptorUID(int(fd)) }); err != nil {
		return 0, err
	}
	return uid, uidErr
}
