package proc

import (
	"errors"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A foreign process was started by an earlier runner of the same run and is not our child, so
// wait does not work on it.

// deathOf turns a status as wait(2) gives it into a death.
func deathOf(pid int, status unix.WaitStatus) *Death {
	d := &Death{PID: pid}
	if status.Signaled() {
		d.Signal = int(status.Signal())
	} else {
		d.Code = status.ExitStatus()
	}
	return d
}

// ZombieExit returns how p ended while it is a zombie that its parent has not taken yet, and nil
// when that cannot be known any more.
func ZombieExit(p Process) *Death {
	const exitCode = 49 // field 52 of /proc/PID/stat
	now, err := Read(p.PID)
	if err != nil || now.Born != p.Born || !now.Dead {
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

// AwaitExit waits until p has ended and returns how, or nil when nobody can say.
func AwaitExit(p Process) *Death {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err != nil {
		return pollExit(p)
	}
	defer unix.Close(fd)
	// Only what is compared after opening is sure to be the process behind the descriptor.
	if now, err := Read(p.PID); err != nil || now.Born != p.Born {
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

// handleExit asks the kernel (6.15 and later) how the process behind the descriptor ended. It
// answers only after the parent has reaped, which is why a zombie is asked first.
func handleExit(fd int, p Process) *Death {
	const patience, interval = 2 * time.Second, 2 * time.Millisecond
	for waited := time.Duration(0); waited < patience; waited += interval {
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

// pollExit is for kernels without pidfd.
func pollExit(p Process) *Death {
	const interval = 200 * time.Millisecond
	for {
		now, err := Read(p.PID)
		if err != nil || now.Born != p.Born {
			return nil
		}
		if now.Dead {
			return ZombieExit(p)
		}
		time.Sleep(interval)
	}
}

// OpenHandle returns a pidfd of the process that was born within the window, or -1.
func OpenHandle(pid int, born Window) int {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1
	}
	if now, err := Read(pid); err != nil || !born.Contains(now.Born) {
		unix.Close(fd)
		return -1
	}
	return fd
}

// HandleExit tells how the process behind a handle ended, which is gone, or nil.
func HandleExit(handle, pid int) *Death {
	return handleExit(handle, Process{PID: pid, Born: -1}) // nobody has this birth: only the kernel is asked
}

// IsSubreaper reports whether orphans below this process become its children.
func IsSubreaper() bool {
	var yes int32
	err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&yes)), 0, 0, 0)
	return err == nil && yes == 1
}
