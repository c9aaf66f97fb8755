package peer

import "golang.org/x/sys/unix"

// DescriptorUID is UID for the descriptor of a socket.
func DescriptorUID(fd int) (int, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
