package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// processCPU returns the CPU time that the threads of a process have used, including those that have ended,
// without its children. It works until the process has been reaped, and is exact to the nanosecond, while
// /proc/PID/stat counts ticks of 10 ms.
func processCPU(pid int) (time.Duration, error) {
	const schedulerClock = 2 // CPUCLOCK_SCHED, see clock_getcpuclockid(3)
	var t unix.Timespec
	err := unix.ClockGettime(int32(^pid<<3|schedulerClock), &t)
	return time.Duration(t.Nano()), err
}

// awaitEnd waits until a child has ended, without reaping it.
func awaitEnd(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err
		}
	}
}
