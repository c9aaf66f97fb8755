// Package peer asks the kernel which user is at the other end of a unix socket. Daemon, clients and runners check
// it before they trust a connection. It decides nothing: the callers compare the user with their own.
package peer

import (
	"fmt"
	"net"
)

// UID returns the user id of the process at the other end of a unix socket.
func UID(conn net.Conn) (int, error) {
	uid, _, err := IDs(conn)
	return uid, err
}

// IDs returns the user id and the pid of the process at the other end of a unix socket. For a client that is the process that
// listens. The pid is 0 if the kernel does not know it, or if it has none in the pid namespace of the caller.
func IDs(conn net.Conn) (uid, pid int, err error) {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, 0, fmt.Errorf("peer of %s: not a unix socket", conn.RemoteAddr())
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	var idsErr error
	if err := raw.Control(func(fd uintptr) { uid, pid, idsErr = descriptorIDs(int(fd)) }); err != nil {
		return 0, 0, err
	}
	return uid, pid, idsErr
}

// DescriptorUID is UID for the descriptor of a socket.
func DescriptorUID(fd int) (int, error) {
	uid, _, err := descriptorIDs(fd)
	return uid, err
}
