package runner

import "syscall"

// forkAttributes returns the attributes of a command's process. The fork stores a pidfd of the child in handle, or -1 if
// the kernel has none.
func forkAttributes(handle *int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, PidFD: handle}
}
