package executor

import (
	"errors"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// A foreign process was started by an earlier runner of the same run and is not our child, so
// wait does not work on it.

// deathOf turns a status as wait(2) gives it into a death.
func deathOf(pid int, status unix.WaitStatus) *death {
	d := &death{pid: pid}
	if status.Signaled() {
		d.signal = int(status.Signal())
	} else {
		d.code = status.ExitStatus()
	}
	return d
}

// foreignFate returns how p ended while it is a zombie that its parent has not taken yet, and nil
// when that cannot be known any more.
func foreignFate(p process) *death {
	const exitCode = 49 // field 52 of /proc/PID/stat
	now, err := readProcess(p.pid)
	if err != nil || now.born != p.born || !now.dead {
		return nil
	}
	fields, err := statFields(p.pid)
	if err != nil || len(fields) <= exitCode {
		return nil
	}
	status, err := strconv.Atoi(fields[exitCode])
	if err != nil {
		return nil
	}
	return deathOf(p.pid, unix.WaitStatus(status))
}

// awaitForeign waits until p has ended and returns how, or nil when nobody can say.
func awaitForeign(p process) *death {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		return pollForeign(p)
	}
	defer unix.Close(fd)
	// Only what is compared after opening is sure to be the process behind the descriptor.
	if now, err := readProcess(p.pid); err != nil || now.born != p.born {
		return nil
	}
	watch := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(watch, -1); err == nil {
			break
		} else if !errors.Is(err, unix.EINTR) {
			return pollForeign(p)
		}
	}
	return fateBehind(fd, p)
}

// fateBehind asks the kernel (6.15 and later) how the process behind the descriptor ended. It
// answers only after the parent has reaped, which is why a zombie is asked first.
func fateBehind(fd int, p process) *death {
	const patience, interval = 2 * time.Second, 2 * time.Millisecond
	for waited := time.Duration(0); waited < patience; waited += interval {
		if d := foreignFate(p); d != nil {
			return d
		}
		info := unix.PidfdInfo{Mask: unix.PIDFD_INFO_EXIT}
		if err := unix.IoctlPidfdInfo(fd, &info); err != nil && !errors.Is(err, unix.ESRCH) {
			return nil
		}
		if info.Mask&unix.PIDFD_INFO_EXIT != 0 {
			return deathOf(p.pid, unix.WaitStatus(info.Exit_code))
		}
		time.Sleep(interval)
	}
	return nil
}

// pollForeign is for kernels without pidfd.
func pollForeign(p process) *death {
	const interval = 200 * time.Millisecond
	for {
		now, err := readProcess(p.pid)
		if err != nil || now.born != p.born {
			return nil
		}
		if now.dead {
			return foreignFate(p)
		}
		time.Sleep(interval)
	}
}
