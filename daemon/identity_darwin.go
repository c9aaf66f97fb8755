package daemon

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// bootID returns the time of the boot, because macOS has no boot id.
func bootID() string {
	tv, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return strconv.FormatInt(tv.Sec, 10)
}

// startTime returns when a process started, in microseconds since 1970; 0 if there is no such process.
func startTime(pid int) uint64 {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	t := p.Proc.P_starttime
	return uint64(t.Sec)*1e6 + uint64(t.Usec)
}
