package workspace

import (
	"fmt"
	"time"

	"wf/api"
	"wf/workspace/activerun"
	"wf/workspace/history"
)

// Recovering the runs of an earlier daemon is the only thing that a daemon does without being asked. If it crashes the daemon (a
// history too large for the machine, a bug), it crashes the next one as well, and every other workfile suffers. So each recovery
// attempt is noted before it starts, and the note is removed when the workspace serves. After history.RecoveryLimit attempts
// in a row without success the workspace is quarantined: its runs are not recovered until a user asks for it. Its runners
// keep the results of its commands.

// heedTime is how long the first reports of a recovered run may take. Handling them is part of the attempt.
const heedTime = time.Second

// trial is the recovery attempt of this workspace. It belongs to the loop, and to Open before that.
type trial struct {
	retry bool // a user has asked for the attempt although the workspace is quarantined
	noted bool
}

// try notes a recovery attempt, or finds that the workspace is quarantined.
func (w *Workspace) try() {
	if w.trial.noted || w.held.why != "" {
		return
	}
	before, err := history.ReadRecovery(w.cfg.State, w.id, w.path)
	if err != nil {
		w.cfg.Log.Warn("a note of trials cannot be read: they are counted anew", "workspace", w.id, "err", err)
	}
	if before.Quarantined() {
		h, may := w.mayTry(before)
		if !may {
			w.keepHeld(h)
			return
		}
	}
	w.noteTrial(before)
}

// noteTrial writes the note of an attempt.
func (w *Workspace) noteTrial(before history.Recovery) {
	if err := history.BeginRecovery(w.disk(), w.cfg.State, before, time.Now()); err != nil {
		// A full disk must not keep runs from continuing.
		w.cfg.Log.Warn("a trial cannot be noted", "workspace", w.id, "err", err)
		return
	}
	w.trial.noted = true
}

func heldWhat(t history.Recovery) string {
	return fmt.Sprintf("the workfile is quarantined: %d daemons in a row crashed while they recovered its runs", t.Tries)
}

func heldWhy(t history.Recovery) string {
	return fmt.Sprintf("the last one, pid %d, tried at %s; wf server logs shows how it ended. Nothing is lost: running commands continue, and their results are kept",
		t.PID, t.Last.Local().Format(time.DateTime))
}

// heldFix is the command that makes another attempt.
const heldFix = "wf server retry"

// passTrial removes the note when every recovered run has been followed and its reports handled.
func (w *Workspace) passTrial() {
	if !w.trial.noted || len(w.untaken) > 0 {
		return
	}
	for _, r := range w.runs {
		if r.Recovering() {
			return
		}
	}
	w.trial.noted = false
	w.loop.Run(w.endTrial)
}

func (w *Workspace) endTrial() {
	if err := history.EndRecovery(w.disk(), w.cfg.State, w.id); err != nil {
		w.cfg.Log.Warn("a note of trials cannot be removed", "workspace", w.id, "err", err)
	}
}

// countCrash counts a panic of the loop as a failed attempt, as if the daemon had crashed.
func (w *Workspace) countCrash() {
	if w.trial.noted {
		return // the note was written when the workspace was opened
	}
	before, err := history.ReadRecovery(w.cfg.State, w.id, w.path)
	if err == nil {
		err = history.BeginRecovery(w.disk(), w.cfg.State, before, time.Now())
	}
	if err != nil {
		w.cfg.Log.Warn("a trial cannot be noted", "workspace", w.id, "err", err)
	}
}

// heed waits for the first reports of a recovered run.
func (w *Workspace) heed(r *activerun.Run) {
	if !w.trial.noted {
		return
	}
	w.loop.Run(func() {
		timer := time.NewTimer(heedTime)
		defer timer.Stop()
		select {
		case <-timer.C:
			w.loop.Post(r.StopRecovering)
		case <-w.loop.Ending():
		}
	})
}

// Held lists the quarantined workspaces below the state folder. With an error the list is incomplete.
func Held(state string) ([]api.HeldWorkspace, error) {
	trials, err := history.Quarantined(state)
	var held []api.HeldWorkspace
	for _, t := range trials {
		held = append(held, api.HeldWorkspace{ID: t.Workspace, Workfile: t.Workfile, Tries: t.Tries,
			Since: t.Last.UTC().Format(time.RFC3339), Why: heldWhat(t) + ". " + heldWhy(t)})
	}
	return held, err
}
