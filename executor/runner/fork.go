package runner

import (
	"errors"
	"fmt"
	"syscall"

	"wf/executor/fault"
	"wf/executor/shell"
)

// commands start the commands of the run.
type commands struct {
	dir    string // of the run
	env    *environment
	marker string // of the run, see rundir.Marker; "" while it is not known
	null   int    // /dev/null, the standard input of all
	forker forker
}

// fork starts the command of e: directly where no shell is needed, else through its shell. When a
// direct start fails the shell gets its chance: it knows what to make of a file that is not a
// program, and has messages for everything else.
func (c *commands) fork(e *execution) (forked child, err error) {
	values, err := c.values(e)
	if err != nil {
		return child{}, err
	}
	env := c.env.with(values)
	if !c.env.hooked {
		if path, argv, ok := shell.Direct(e.job.Shell, e.job.Command, env); ok {
			if argv, err = c.scriptCall(e, argv); err != nil {
				return child{}, err
			}
			forked, err = c.exec(e, path, argv, env)
			if err == nil || fault.Shortage(err) {
				return forked, err
			}
		}
	}
	shell, argv, err := shell.Find(e.job.Shell, env)
	if err != nil {
		return child{}, err
	}
	if argv, err = c.scriptCall(e, append(argv, "-c", e.job.Command)); err != nil {
		return child{}, err
	}
	if forked, err = c.exec(e, shell, argv, env); errors.Is(err, syscall.E2BIG) {
		err = tooMuch(argv, env)
	}
	return forked, err
}

// A child is a process that has just been forked.
type child struct {
	pid    int
	handle int // a descriptor that can be read once the child has ended; -1 where there is no such thing
}

// exec starts the program. It inherits the runner's folder.
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

// forkExec starts the program at path in a session, and so a group, of its own, with files as its
// standard three: the way that works everywhere.
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
