package fence

import (
	"os"

	"golang.org/x/sys/unix"
)

func isShared(file *os.File) bool {
	var s unix.Statfs_t
	return unix.Fstatfs(int(file.Fd()), &s) != nil || s.Flags&unix.MNT_LOCAL == 0
}

// lock locks the file without waiting. EWOULDBLOCK means that another process has it locked.
func lock(file *os.File, _ bool) error {
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}
