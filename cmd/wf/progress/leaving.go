package progress

import (
	"errors"
	"fmt"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/words"
)

// cancelling prints the one line about a first signal.
func (v *Display) cancelling(grace time.Duration) {
	detach := ""
	if v.hasKeys() {
		detach = ", d to detach"
	}
	v.print("cancelling %s (%s grace): Ctrl-C again to kill%s", v.whatRuns(), seconds(grace), detach)
}

// killing prints the one line about a second signal.
func (v *Display) killing() { v.print("killing %s", v.whatRuns()) }

// hasKeys reports whether keys are read.
func (v *Display) hasKeys() bool { return v.live != nil && v.live.Listens() }

// whatRuns returns the number of nodes that a stop ends, as text. Nodes that have just started may be missing.
func (v *Display) whatRuns() string {
	if n := len(v.Run.Running); n > 0 {
		return words.Plural(n, "node")
	}
	return "the run"
}

// stopAnswered shows why a stop failed, unless the run has already ended.
func (v *Display) stopAnswered(err error) {
	var pending *unrecordedError
	if errors.As(err, &pending) {
		v.print("note: %s", words.Unrecorded(pending.res))
		return
	}
	if err != nil && !exit.IsCode(err, api.CodeNotFound) && !exit.IsCode(err, api.CodeConflict) {
		v.print("note: cannot stop the run: %s", plain.Line(err.Error()))
	}
}

// Detached prints the number of the run, and how to attach to it.
func (v *Display) Detached(run string, asJSON bool) error {
	if !v.opt.Quiet {
		file := v.target.FileFlag
		v.print("run %s continues in the daemon. back: wf attach %s%s   stop: wf stop %s%s", run, run, file, run, file)
	}
	return v.printID("run", run, asJSON)
}

// DetachedQueued prints the name of a run in the queue, which is used until the run gets its number.
func (v *Display) DetachedQueued(name string, asJSON bool) error {
	if !v.opt.Quiet {
		v.print("%s is queued and starts when its turn comes.   stop: wf stop %s%s", name, name, v.target.FileFlag)
	}
	return v.printID("queued", name, asJSON)
}

// printID prints the number or the name of a run on standard output; member is its name in JSON.
func (v *Display) printID(member, id string, asJSON bool) (err error) {
	if asJSON {
		err = console.WriteJSON(v.out, map[string]string{"schema": api.SchemaRunID, member: id})
	} else {
		_, err = fmt.Fprintln(v.out, id)
	}
	return errors.Join(err, v.flush())
}

// Goodbye prints the last line if the command ends before the run.
func (v *Display) Goodbye(run string, stopped bool) {
	v.endLive()
	file, count := v.target.FileFlag, ""
	if v.progress() { // otherwise some events were not requested
		count = " (" + v.ended() + ")"
	}
	if stopped {
		v.print("left run %s%s while it is being stopped.   its end: wf runs show %s%s", run, count, run, file)
	} else {
		v.print("left run %s%s. It continues.   back: wf attach %s%s   stop: wf stop %s%s", run, count, run, file, run, file)
	}
	v.flush()
}
