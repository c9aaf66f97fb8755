package runner

import "syscall"

// forkAttributes are those of a command. handle gets a descriptor that tells of the child's death,
// or -1 if the kernel gives none.
func forkAttributes(handle *int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, PidFD: handle}
}
