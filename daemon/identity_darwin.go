package daemon

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// bootID is the time at which this boot began: macOS has no id, and the moment is as good.
func bootID() string {
	tv, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return strconv.FormatInt(tv.Sec, 10)
}

// startTime is when a process began, in microseconds since 1970; 0 when there is none.
func startTime(pid int) uint64 {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	t := p.Proc.P_starttime
	return uint64(t.Sec)*1e6 + uint64(t.Usec)
}
