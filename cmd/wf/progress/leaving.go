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

// cancelling and killing answer a signal with exactly one line.
func (v *Display) cancelling(grace time.Duration) {
	detach := ""
	if v.hasKeys() {
		detach = ", d to detach"
	}
	v.say("cancelling %s (%s grace): Ctrl-C again to kill%s", v.whatRuns(), seconds(grace), detach)
}

func (v *Display) killing() { v.say("killing %s", v.whatRuns()) }

// hasKeys says whether somebody can press d.
func (v *Display) hasKeys() bool { return v.live != nil && v.live.Listens() }

// whatRuns counts what a stop ends. What has just been started may not be announced yet.
func (v *Display) whatRuns() string {
	if n := len(v.Run.Running); n > 0 {
		return words.Plural(n, "node")
	}
	return "the run"
}

// stopAnswered shows why a stop was not done. That the run is over already is no news.
func (v *Display) stopAnswered(err error) {
	var pending *unrecordedError
	if errors.As(err, &pending) {
		v.say("note: %s", words.Unrecorded(pending.res))
		return
	}
	if err != nil && !exit.IsCode(err, api.CodeNotFound) && !exit.IsCode(err, api.CodeConflict) {
		v.say("note: cannot stop the run: %s", plain.Line(err.Error()))
	}
}

// Detached prints what is needed to come back; the number of the run is the answer.
func (v *Display) Detached(run string, asJSON bool) error {
	if !v.opt.Quiet {
		file := v.s.FileFlag
		v.say("run %s goes on without you. back: wf attach %s%s   stop: wf stop %s%s", run, run, file, run, file)
	}
	if asJSON {
		if err := console.WriteJSON(v.out, map[string]string{"schema": api.SchemaRunID, "run": run}); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(v.out, run)
	}
	return v.flush()
}

// DetachedQueued is for a run that has to wait in line: its name there stands for the number that it will get.
func (v *Display) DetachedQueued(name string, asJSON bool) error {
	if !v.opt.Quiet {
		v.say("%s waits in line without you, and begins when its turn comes.   stop: wf stop %s%s", name, name, v.s.FileFlag)
	}
	if asJSON {
		if err := console.WriteJSON(v.out, map[string]string{"schema": api.SchemaRunID, "queued": name}); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(v.out, name)
	}
	return v.flush()
}

// Goodbye is the last line of somebody who does not stay to the end: who only watched, or pressed d.
func (v *Display) Goodbye(run string, stopped bool) {
	v.endLive()
	file, count := v.s.FileFlag, ""
	if v.progress() { // else it was not told of all ends
		count = " (" + v.ended() + ")"
	}
	if stopped {
		v.say("left run %s%s while it is being stopped.   how it ended: wf runs show %s%s", run, count, run, file)
	} else {
		v.say("left run %s%s. It goes on.   back: wf attach %s%s   stop: wf stop %s%s", run, count, run, file, run, file)
	}
	v.flush()
}
