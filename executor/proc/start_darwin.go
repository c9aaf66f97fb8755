package proc

import "syscall"

// StartBeside starts a program that is not a child of this process: a shell starts it and ends. The output of the
// program is appended to the file log.
func StartBeside(argv, env []string, log string) error {
	shell := append([]string{"/bin/sh", "-c", `"$@" </dev/null >>"$0" 2>&1 &`, log}, argv...)
	_, err := syscall.ForkExec("/bin/sh", shell, &syscall.ProcAttr{
		Dir: "/", Env: env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	return err
}
