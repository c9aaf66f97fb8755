package executor

import (
	"fmt"
	"syscall"
)

// defaultShell runs the commands of jobs that name none.
const defaultShell = "/bin/sh"

// fork starts the command of e: directly where no shell is needed, else through its shell. When a
// direct start fails the shell gets its chance: it knows what to make of a file that is not a
// program, and has messages for everything else.
func (r *runner) fork(e *execution) (pid int, err error) {
	env := r.env.with(e.job.Env)
	if !r.env.hooked {
		if path, argv, ok := direct(e.job.Shell, e.job.Command, env); ok {
			pid, err = r.exec(e.slot, path, argv, env)
			if err == nil || shortage(err) {
				return pid, err
			}
		}
	}
	shell, err := findShell(e.job.Shell, env)
	if err != nil {
		return 0, err
	}
	return r.exec(e.slot, shell, []string{shell, "-c", e.job.Command}, env)
}

// exec forks with a session, and so a group, of its own. The commands inherit the runner's folder.
func (r *runner) exec(s *slot, path string, argv, env []string) (int, error) {
	handle := -1
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Env:   env,
		Files: []uintptr{uintptr(r.null), uintptr(s.out), uintptr(s.err)},
		Sys:   forkAttributes(&handle),
	})
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", path, err)
	}
	r.poller.watch(pid, handle)
	return pid, nil
}
