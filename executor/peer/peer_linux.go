package peer

import "golang.org/x/sys/unix"

// DescriptorUID is UID for the descriptor of a socket.
func DescriptorUID(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
