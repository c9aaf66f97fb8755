package runner

import "syscall"

// forkAttributes returns the attributes of a command's process. This system has no pidfds.
func forkAttributes(*int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true}
}
