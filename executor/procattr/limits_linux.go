//go:build linux && (amd64 || arm64)

package procattr

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
)

// FileLimits are the limits of open files. The Go runtime raises the soft limit when a program starts, and
// syscall.ForkExec restores the original one in each child, unless the program has set the limit itself, which this one
// never does. The runtime does not report the original limit to other packages.
type FileLimits struct {
	Known          bool
	before, raised unix.Rlimit
}

// Find reads the limit of a child of syscall.ForkExec. The child is a shell without a script, which does not change the
// limit. It has no session of its own, so the runner's search for a lost child never takes it for a command.
func (l *FileLimits) Find(null int) error {
	const shell = "/bin/sh"
	pid, err := syscall.ForkExec(shell, []string{shell}, &syscall.ProcAttr{
		Env: []string{}, Files: []uintptr{uintptr(null), uintptr(null), uintptr(null)},
	})
	if err != nil {
		return err
	}
	err = errors.Join(
		unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &l.before), // a zombie has its limits, too
		unix.Getrlimit(unix.RLIMIT_NOFILE, &l.raised),
	)
	unix.Kill(pid, unix.SIGKILL)
	proc.Reap(pid)
	l.Known = err == nil
	return err
}

// limitVariable passes the limits from the daemon to its runners, as "SOFT:HARD".
const limitVariable = "WF_RUNNER_NOFILE"

// FileLimitVariable returns limitVariable with its value, or "". The first call forks, and no child may be reaped
// meanwhile.
var FileLimitVariable = sync.OnceValue(func() string {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(null)
	var l FileLimits
	if l.Find(null) != nil {
		return ""
	}
	return fmt.Sprintf("%s=%d:%d", limitVariable, l.before.Cur, l.before.Max)
})

// Inherit uses the limits that the daemon has found and passed on: daemon and runners are started with the same ones.
func (l *FileLimits) Inherit() {
	n, err := fmt.Sscanf(os.Getenv(limitVariable), "%d:%d", &l.before.Cur, &l.before.Max)
	l.Known = n == 2 && err == nil && unix.Getrlimit(unix.RLIMIT_NOFILE, &l.raised) == nil
}

// filesBefore returns the limit of open files with which this process was started, see FileLimits.
var filesBefore = sync.OnceValues(func() (unix.Rlimit, bool) {
	var l FileLimits
	if l.Inherit(); l.Known {
		return l.before, true
	}
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return l.before, false
	}
	defer unix.Close(null)
	return l.before, l.Find(null) == nil
})

// ToRestore returns the limit that a child must set. It returns nil if the runtime has not raised the limit, or if the
// limits of this process were changed since then: in that case the new ones are meant for the children, too.
func (l *FileLimits) ToRestore() *unix.Rlimit {
	var now unix.Rlimit
	if l.before == l.raised || unix.Getrlimit(unix.RLIMIT_NOFILE, &now) == nil && now != l.raised {
		return nil
	}
	return &l.before
}
