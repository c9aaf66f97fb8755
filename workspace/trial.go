package workspace

import (
	"fmt"
	"time"

	"wf/api"
	"wf/workspace/history"
)

// To take up what an earlier daemon left going is the one thing that a daemon does without being
// asked to. If it dies of it (a history that is too large for the machine, a bug), so does the
// next, and with it everything else that it serves. So each try is noted before it begins and the
// note taken back when the workspace serves; after history.RecoveryLimit tries in a row that nobody
// survived the workspace is held: it opens no more until somebody says so. Its runners keep the
// results of its commands.

// heedTime is how long after a run's executor was found its news may take; they are what has to be
// survived, and one without any has none.
const heedTime = time.Second

// trial is the try of this workspace. It belongs to the loop, and to Open before that.
type trial struct {
	retry bool // somebody wants it although it is held
	noted bool
}

// try notes that the runs are going to be taken up, or finds that the workspace is held.
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

// noteTrial writes the note of a trial.
func (w *Workspace) noteTrial(before history.Recovery) {
	if err := history.BeginRecovery(w.disk(), w.cfg.State, before, time.Now()); err != nil {
		// A full disk must not keep runs from going on.
		w.cfg.Log.Warn("a trial cannot be noted", "workspace", w.id, "err", err)
		return
	}
	w.trial.noted = true
}

func heldWhat(t history.Recovery) string {
	return fmt.Sprintf("the workfile is held: %d daemons in a row died while they took up its runs", t.Tries)
}

func heldWhy(t history.Recovery) string {
	return fmt.Sprintf("the last one, pid %d, tried at %s; wf server logs has its last words. Nothing is lost: what runs goes on, and its results are kept",
		t.PID, t.Last.Local().Format(time.DateTime))
}

// heldFix is what tries again.
const heldFix = "wf server retry"

// passTrial takes the note back when every run that was taken up has been followed and heard.
func (w *Workspace) passTrial() {
	if !w.trial.noted || len(w.untaken) > 0 {
		return
	}
	for _, r := range w.runs {
		if r.tried && (r.sess == nil || !r.heard) {
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

// countCrash counts a panic of the loop as a trial, as if the daemon had died of it.
func (w *Workspace) countCrash() {
	if w.trial.noted {
		return // the note is there since the workspace was opened
	}
	before, err := history.ReadRecovery(w.cfg.State, w.id, w.path)
	if err == nil {
		err = history.BeginRecovery(w.disk(), w.cfg.State, before, time.Now())
	}
	if err != nil {
		w.cfg.Log.Warn("a trial cannot be noted", "workspace", w.id, "err", err)
	}
}

// heed gives the news of a run's executor their time.
func (w *Workspace) heed(r *run) {
	if !w.trial.noted {
		return
	}
	w.loop.Run(func() {
		timer := time.NewTimer(heedTime)
		defer timer.Stop()
		select {
		case <-timer.C:
			w.send(call(func(*Workspace) { r.heard = true }))
		case <-w.loop.Ending():
		}
	})
}

// Held lists the workspaces below the state folder that are held. With an error it is not the
// whole list.
func Held(state string) ([]api.HeldWorkspace, error) {
	trials, err := history.Quarantined(state)
	var held []api.HeldWorkspace
	for _, t := range trials {
		held = append(held, api.HeldWorkspace{ID: t.Workspace, Workfile: t.Workfile, Tries: t.Tries,
			Since: t.Last.UTC().Format(time.RFC3339), Why: heldWhat(t) + ". " + heldWhy(t)})
	}
	return held, err
}
