package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"wf/executor/fault"
	"wf/executor/rundir"
	"wf/executor/shell"
)

// commands forks the commands of the run.
type commands struct {
	dir    string // of the run
	env    *environment
	marker string // of the run, see rundir.Marker; "" while unknown
	null   int    // descriptor of /dev/null, the standard input of all commands
	forker forker

	programs programs
}

// fork starts the command of e: directly if it needs no shell, otherwise through its shell. If a direct start fails,
// fork tries the shell: it can run files that are not programs, and prints a message for every other mistake.
func (c *commands) fork(e *execution, now moment) (forked child, err error) {
	values, err := c.values(e)
	if err != nil {
		return child{}, err
	}
	env := c.env.with(values)
	if !c.env.hooked && e.job.Around == nil && e.job.Launcher == nil {
		find := func(name string) (string, bool) { return c.programs.find(name, env, e.readySince, now) }
		if path, argv, ok := shell.Direct(e.job.Shell, e.job.Command, find); ok {
			if argv, err = c.scriptCall(e, argv); err != nil {
				return child{}, err
			}
			forked, err = c.exec(e, path, argv, env)
			if err == nil || fault.Shortage(err) {
				return forked, err
			}
		}
	}
	program, argv, err := c.shellOf(e, env)
	if err != nil {
		return child{}, err
	}
	if argv, err = c.scriptCall(e, argv); err != nil {
		return child{}, err
	}
	if e.job.Around != nil {
		if program, argv, err = c.supervised(e, program, argv); err != nil {
			return child{}, err
		}
	}
	if forked, err = c.exec(e, program, argv, env); errors.Is(err, syscall.E2BIG) {
		err = shell.TooLarge(argv, env)
	}
	return forked, err
}

// shellOf returns the program and the arguments that execute the command of e in its shell.
func (c *commands) shellOf(e *execution, env []string) (string, []string, error) {
	if e.job.Launcher != nil {
		return c.launched(e, env)
	}
	program, argv, err := shell.Find(e.job.Shell, env)
	return program, append(argv, "-c", e.job.Command), err
}

// removeFiles removes the files that must not outlive the run. It ignores most errors: nothing could act on them.
func (c *commands) removeFiles() {
	os.Remove(filepath.Join(c.dir, forkNoteFile))
	os.Remove(filepath.Join(c.dir, rundir.VariablesFile))
	if err := os.Remove(filepath.Join(c.dir, rundir.EnvironmentFile)); err != nil && !c.env.missing {
		fmt.Fprintln(os.Stderr, "runner:", err)
	}
	if info, err := os.Stderr.Stat(); err == nil && info.Size() == 0 {
		os.Remove(filepath.Join(c.dir, rundir.StderrFile)) // it is empty
	}
}

// A child is a process that has just been forked.
type child struct {
	pid    int
	handle int  // a pidfd, readable once the child has ended; -1 if the system has none
	noted  bool // the kernel has written the pid into the fork note
}

// exec starts the program in the working directory of the runner.
func (c *commands) exec(e *execution, path string, argv, env []string) (child, error) {
	var forked child
	err := fault.Check(fault.OpFork, path)
	if err == nil {
		forked, err = c.forker.fork(e.job.ID, path, argv, env, [3]int{c.null, e.slot.out, e.slot.err})
	}
	if err != nil {
		return child{}, fmt.Errorf("start %s: %w", path, err)
	}
	return forked, nil
}

// forkExec starts the program at path as the leader of a new session and process group, with files as its standard
// input, output and error. It works on every system.
func forkExec(path string, argv, env []string, files [3]int) (child, error) {
	c := child{handle: -1}
	var err error
	c.pid, err = syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Env:   env,
		Files: []uintptr{uintptr(files[0]), uintptr(files[1]), uintptr(files[2])},
		Sys:   forkAttributes(&c.handle),
	})
	return c, err
}
