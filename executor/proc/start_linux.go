package proc

import (
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"wf/executor/ownfile"
)

// StartBeside starts a daemon as a sibling of this process: its parent is the parent of this process. Its output is
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
	return WithDaemonSlack(func(own []string) error {
		_, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
			Dir: "/", Env: append(slices.Clone(env), own...), Files: []uintptr{null.Fd(), out.Fd(), out.Fd()},
			Sys: &syscall.SysProcAttr{Setsid: true, Cloneflags: unix.CLONE_PARENT},
		})
		return err
	})
}
