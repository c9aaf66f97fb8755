package runner

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
	"wf/executor/rundir"
	"wf/executor/shell"
	"wf/executor/wire"
)

// A box is a container that the daemon of an engine executes. It is no descendant of this process: a signal to the program that
// started it reaches it only as long as that program lives, and KILL never does. So the id of the box is in a file, which the
// engine writes before it starts the box, and an execution has ended only when its box has:
//
//	TERM to the processes ─▶ the engine's program passes it on ─▶ the box ends ─▶ the program ends
//	KILL to the processes ─▶ the program is gone ─▶ ender: engine kill ID ─▶ the execution has ended
//
// The same holds if the program dies of something else, and for executions of an earlier runner: what the ender needs is in a file
// that is written before the fork.

// boxTimeout is how long an ender may take before the run goes on without it. Engines give a box 10 s to die of KILL.
const boxTimeout = 30 * time.Second

// A boxEnd is the progress of ending a box.
type boxEnd struct {
	pid    int // of the ender; 0 = it has ended, or was not necessary
	handle int
	began  time.Time
	failed string      // why the box may still run
	as     *wire.Entry // how the execution ends if it is not being stopped
}

// boxes are the boxes that were to be ended, and the enders that run.
type boxes struct {
	ends   map[*execution]*boxEnd
	enders map[int]*execution // by pid
}

// noteBox writes what can kill the box that e is about to start.
func (c *commands) noteBox(e *execution) error {
	text, err := rundir.NewBox(e.job.Box.Program, e.job.Env)
	if err != nil {
		return fmt.Errorf("its container: %w", err)
	}
	e.files = append(e.files, c.fileOf(e, rundir.BoxIDFile))
	_, err = c.keepFile(e, rundir.BoxFile, string(text))
	return err
}

// launched returns the program and the arguments of a job with a launcher.
func (c *commands) launched(e *execution, env []string) (string, []string, error) {
	words, err := shell.Words(e.job.Shell)
	if err != nil {
		return "", nil, err
	}
	argv := append(append(append([]string(nil), e.job.Launcher...), words...), "-c", e.job.Command)
	program := argv[0]
	if !strings.Contains(program, "/") {
		list, _ := shell.Value(env, "PATH")
		found := false
		if program, found = shell.FindProgram(argv[0], list); !found {
			return "", nil, fmt.Errorf("%s: not found in PATH", argv[0])
		}
	}
	if e.job.Box != nil {
		err = c.noteBox(e)
	}
	return program, argv, err
}

// boxOf returns what can kill the box of e, nil if e has no box or none that can run.
func (c *commands) boxOf(e *execution) *rundir.Box {
	if e.job.Box == nil && !e.adopted {
		return nil
	}
	return rundir.ReadBox(c.dir, e.job.ID.Node, e.job.ID.Execution)
}

// mayLeaveBox reports whether the program of an engine may have ended before its box: it was killed, or reports a problem of its
// own.
func mayLeaveBox(e *execution, d *proc.Death) bool {
	const engineFailed = 125 // of docker and podman
	return (e.job.Box != nil || e.adopted) && (d == nil || d.Signal != 0 || d.Code == engineFailed)
}

// endBox makes sure that the box of e has ended, whose processes are gone. It returns false while an ender runs.
func endBox(r *runner, e *execution) (ended bool) {
	if x := r.boxes.ends[e]; x != nil {
		return x.pid == 0
	}
	n := r.commands.boxOf(e)
	if n == nil {
		return true
	}
	x := &boxEnd{began: time.Now()}
	if r.boxes.ends == nil {
		r.boxes.ends, r.boxes.enders = map[*execution]*boxEnd{}, map[int]*execution{}
	}
	r.boxes.ends[e] = x
	argv := []string{"sh", "-c", rundir.EndBox, "sh", n.Program, n.ID}
	env := append(append([]string(nil), r.commands.env.base...), n.Env...)
	null := r.commands.null
	child, err := forkExec("/bin/sh", argv, env, [3]int{null, null, null})
	if err != nil {
		x.failed = err.Error()
		return true
	}
	r.poller.watch(child)
	x.pid, x.handle = child.pid, child.handle
	r.boxes.enders[child.pid] = e
	return false
}

// endAfterBox ends e as the entry says, when its box has ended.
func endAfterBox(r *runner, e *execution, as *wire.Entry) {
	if endBox(r, e) {
		r.end(e, withBox(r, e, as))
		return
	}
	r.boxes.ends[e].as = as
}

// enderDied handles the death of an ender, and returns false if the process was none.
func enderDied(r *runner, d *proc.Death) bool {
	e := r.boxes.enders[d.PID]
	if e == nil {
		return false
	}
	delete(r.boxes.enders, d.PID)
	x := r.boxes.ends[e]
	r.poller.forget(x.handle)
	proc.Reap(d.PID)
	if x.pid = 0; d.Code != 0 || d.Signal != 0 {
		x.failed = "it could not be killed"
	}
	r.stops.look = true
	if e.stop == nil && x.as != nil {
		r.end(e, withBox(r, e, x.as))
	}
	return true
}

// withBox adds to an entry that a box may still run.
func withBox(r *runner, e *execution, as *wire.Entry) *wire.Entry {
	x := r.boxes.ends[e]
	if x == nil || x.failed == "" {
		return as
	}
	text := "its container may still run: " + x.failed
	if b := r.commands.boxOf(e); b != nil {
		text += fmt.Sprintf(" (%s kill %s)", b.Program, b.ID)
	}
	if as.Message != "" {
		text = as.Message + "; " + text
	}
	as.Message = text
	return as
}

// expire kills the enders that take too long, and returns when the next one does; zero if none runs.
func (b *boxes) expire(now time.Time) (next time.Time) {
	for pid, e := range b.enders {
		due := b.ends[e].began.Add(boxTimeout)
		if !now.Before(due) {
			unix.Kill(-pid, unix.SIGKILL) // its death follows
			due = now.Add(time.Second)
		}
		if next.IsZero() || due.Before(next) {
			next = due
		}
	}
	return next
}
