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

// FileLimits are those of open files: the Go runtime raises the soft one when a program starts, and
// syscall.ForkExec gives back to each child what there was before, which it tells nobody else. (Until
// the program sets one itself, which this one never does.)
type FileLimits struct {
	Known          bool
	before, raised unix.Rlimit
}

// Find asks a child of syscall.ForkExec. It is a shell that has nothing to execute and so does not
// change what is asked for; without a session of its own it is never taken for a command, see search.
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

// limitVariable tells a runner what its daemon has found: "SOFT:HARD".
const limitVariable = "WF_RUNNER_NOFILE"

// FileLimitVariable returns the variable for runners, or "". It is found once, while no child is reaped.
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

// Inherit takes what the daemon has found. Both were started with the same limits.
func (l *FileLimits) Inherit() {
	n, err := fmt.Sscanf(os.Getenv(limitVariable), "%d:%d", &l.before.Cur, &l.before.Max)
	l.Known = n == 2 && err == nil && unix.Getrlimit(unix.RLIMIT_NOFILE, &l.raised) == nil
}

// filesBefore is the limit of open files that this process began with, see limits.
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

// ToRestore returns what a child must set, or nil: nothing was raised, or somebody has changed our
// limits since, and means the children by it.
func (l *FileLimits) ToRestore() *unix.Rlimit {
	var now unix.Rlimit
	if l.before == l.raised || unix.Getrlimit(unix.RLIMIT_NOFILE, &now) == nil && now != l.raised {
		return nil
	}
	return &l.before
}
