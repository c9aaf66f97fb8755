package peer

import "golang.org/x/sys/unix"

// descriptorIDs is IDs for the descriptor of a socket.
func descriptorIDs(fd int) (uid, pid int, err error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil {
		pid = 0
	}
	return int(cred.Uid), pid, nil
}
