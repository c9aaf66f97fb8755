package proc

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"wf/executor/ownfile"
)

// StartBeside starts a program as a sibling of this process: its parent is the parent of this process. Its output is
// appended to the file log.
func StartBeside(argv, env []string, log string) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	out, err := ownfile.Open(log, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	defer out.Close()
	_, err = syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Dir: "/", Env: env, Files: []uintptr{null.Fd(), out.Fd(), out.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true, Cloneflags: unix.CLONE_PARENT},
	})
	return err
}
