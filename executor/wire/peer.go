package wire

import (
	"fmt"
	"net"
	"os"

	"wf/executor/peer"
)

// checkPeer returns an error if the process at the other end of conn, a unix socket, belongs to another user.
func checkPeer(conn net.Conn) error {
	uid, err := peer.UID(conn)
	return checkUser(uid, err)
}

// CheckPeerFD is checkPeer for the descriptor of a connected unix socket.
func CheckPeerFD(fd int) error {
	uid, err := peer.DescriptorUID(fd)
	return checkUser(uid, err)
}

func checkUser(uid int, err error) error {
	if err == nil && uid != os.Geteuid() {
		err = fmt.Errorf("it belongs to user %d, not to user %d", uid, os.Geteuid())
	}
	if err != nil {
		return fmt.Errorf("peer of the runner's socket: %w", err)
	}
	return nil
}
