package proc

import (
	"cmp"

	"golang.org/x/sys/unix"
)

// CompareStart orders processes by their start: by ticks and, within one tick, by the number that the kernel (6.9 and
// later) gives to each process.
func CompareStart(a, b Process) int {
	return cmp.Or(cmp.Compare(a.StartTicks, b.StartTicks), cmp.Compare(startNumber(a.PID), startNumber(b.PID)),
		cmp.Compare(a.PID, b.PID))
}

// startNumber returns the inode of a pidfd, a counter of processes, or 0.
func startNumber(pid int) uint64 {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0
	}
	return st.Ino
}
