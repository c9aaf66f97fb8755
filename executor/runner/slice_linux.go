package runner

import "golang.org/x/sys/unix"

// shortSlice is the slice of processor time that the loop asks for, in nanoseconds: the least that the kernel takes.
const shortSlice = 100_000

// askForShortSlice makes the calling thread, when it wakes up, take the processor from a command that runs there. Otherwise, if
// Linux lets the thread wake up where a command has just been started, it waits until that command ends or its slice is over,
// even if other processors are idle: docs/decisions/short-slice.md.
//
// The thread gets no more time than before. The commands do not inherit this, because of SCHED_FLAG_RESET_ON_FORK, which would also
// take a real-time policy and a nice value below 0 away from them: with these, askForShortSlice does nothing. Before Linux
// 6.12 the kernel ignores the slice.
func askForShortSlice() {
	a, err := unix.SchedGetAttr(0, 0)
	if err != nil || a.Policy != unix.SCHED_NORMAL || a.Nice < 0 {
		return
	}
	a.Runtime = shortSlice
	a.Flags |= unix.SCHED_FLAG_RESET_ON_FORK
	_ = unix.SchedSetAttr(0, a, 0) // a kernel or a container that forbids it costs time only
}
