package runner

import "syscall"

// forkAttributes are those of a command. There are no descriptors of processes here.
func forkAttributes(*int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true}
}
