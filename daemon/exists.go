package daemon

import (
	"errors"
	"syscall"
)

// exists reports whether some process has this pid. Signal 0 checks and sends nothing.
func exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
