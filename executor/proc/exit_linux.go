package proc

import (
	"errors"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// wait(2) works only for children. The functions below find out how a process ended that is not a child of this one,
// because an earlier runner of the same run has started it.

// ZombieExit returns how p ended if its parent has not reaped it yet, and otherwise nil.
func ZombieExit(p Process) *Death {
	const exitCode = 49 // field 52 of /proc/PID/stat
	now, err := Read(p.PID)
	if err != nil || now.StartTicks != p.StartTicks || !now.Dead {
		return nil
	}
	fields, err := statFields(p.PID)
	if err != nil || len(fields) <= exitCode {
		return nil
	}
	status, err := strconv.Atoi(fields[exitCode])
	if err != nil {
		return nil
	}
	return deathOf(p.PID, unix.WaitStatus(status))
}

// AwaitExit waits until p has ended and returns how, or nil if that is unknown.
func AwaitExit(p Process) *Death {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err != nil {
		return pollExit(p)
	}
	defer unix.Close(fd)
	// The descriptor is certainly that of p only if the start time is compared after it is opened.
	if now, err := Read(p.PID); err != nil || now.StartTicks != p.StartTicks {
		return nil
	}
	watch := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(watch, -1); err == nil {
			break
		} else if !errors.Is(err, unix.EINTR) {
			return pollExit(p)
		}
	}
	return handleExit(fd, p)
}

// handleExit asks the kernel (6.15 and later) how the process with the pidfd fd ended. The kernel answers only after the
// parent has reaped the process, so a zombie is read first.
func handleExit(fd int, p Process) *Death {
	const timeout, interval = 2 * time.Second, 2 * time.Millisecond
	for waited := time.Duration(0); waited < timeout; waited += interval {
		if d := ZombieExit(p); d != nil {
			return d
		}
		info := unix.PidfdInfo{Mask: unix.PIDFD_INFO_EXIT}
		if err := unix.IoctlPidfdInfo(fd, &info); err != nil && !errors.Is(err, unix.ESRCH) {
			return nil
		}
		if info.Mask&unix.PIDFD_INFO_EXIT != 0 {
			return deathOf(p.PID, unix.WaitStatus(info.Exit_code))
		}
		time.Sleep(interval)
	}
	return nil
}

// pollExit is AwaitExit for kernels without pidfds.
func pollExit(p Process) *Death {
	const interval = 200 * time.Millisecond
	for {
		now, err := Read(p.PID)
		if err != nil || now.StartTicks != p.StartTicks {
			return nil
		}
		if now.Dead {
			return ZombieExit(p)
		}
		time.Sleep(interval)
	}
}

// OpenHandle returns a pidfd of the process if it was started within the window, or -1. The caller closes it.
func OpenHandle(pid int, window Window) int {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1
	}
	if now, err := Read(pid); err != nil || !window.Contains(now.StartTicks) {
		unix.Close(fd)
		return -1
	}
	return fd
}

// HandleExit returns how the process with a pidfd ended, which must have ended already, or nil if that is unknown.
func HandleExit(handle, pid int) *Death {
	return handleExit(handle, Process{PID: pid, StartTicks: -1}) // no process has this start time, so only the kernel is asked
}

// IsSubreaper reports whether orphaned descendants of this process become its children.
func IsSubreaper() bool {
	var yes int32
	err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&yes)), 0, 0, 0)
	return err == nil && yes == 1
}
