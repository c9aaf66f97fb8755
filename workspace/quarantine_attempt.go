package workspace

import (
	"fmt"
	"time"

	"wf/api"
	"wf/workspace/activerun"
	"wf/workspace/history"
)

// Recovery of an earlier daemon's runs is the only thing that a daemon does without a request. If it crashes the daemon (a
// history too large for the machine, a bug), it crashes the next daemon as well, and all other workfiles suffer. So the
// daemon notes each recovery attempt on disk before it starts, and removes the note when the workspace serves requests.
// After history.RecoveryLimit failed attempts in a row the workspace is quarantined: its runs are not recovered until a user
// asks for it. Their runners keep the results of their commands.

// firstReportsTime bounds the wait for the first reports of a recovered run. Processing them is part of the attempt.
const firstReportsTime = time.Second

// attempt is the recovery attempt of this workspace. It belongs to the loop, and to Open before the loop starts.
type attempt struct {
	retry bool // a user has requested the attempt although the workspace is quarantined
	noted bool
}

// try starts a recovery attempt, or quarantines the workspace.
func (q *quarantine) try() {
	if q.attempt.noted || q.state.why != "" {
		return
	}
	before, err := history.ReadRecovery(q.w.cfg.State, q.w.id, q.w.path)
	if err != nil {
		q.w.cfg.Log.Warn("a note of trials cannot be read: they are counted anew", "workspace", q.w.id, "err", err)
	}
	if before.Quarantined() {
		h, may := q.mayAttempt(before)
		if !may {
			q.keepQuarantine(h)
			return
		}
	}
	q.noteAttempt(before)
}

// noteAttempt writes the note of an attempt.
func (q *quarantine) noteAttempt(before history.Recovery) {
	if err := history.BeginRecovery(q.w.disk(), q.w.cfg.State, before, time.Now()); err != nil {
		// Runs continue even if the disk is full.
		q.w.cfg.Log.Warn("a recovery attempt cannot be noted", "workspace", q.w.id, "err", err)
		return
	}
	q.attempt.noted = true
}

func quarantineWhat(t history.Recovery) string {
	return fmt.Sprintf("the workfile is quarantined: %d daemons in a row crashed while they recovered its runs", t.Tries)
}

func quarantineWhy(t history.Recovery) string {
	return fmt.Sprintf("the last one, pid %d, tried at %s; wf server logs shows how it ended. Nothing is lost: running commands continue, and their results are kept",
		t.PID, t.Last.Local().Format(time.DateTime))
}

// retryCommand is the command for another attempt.
const retryCommand = "wf server retry"

// passAttempt removes the note when the first reports of all recovered runs were processed.
func (q *quarantine) passAttempt() {
	if !q.attempt.noted || len(q.w.retries.postponed) > 0 {
		return
	}
	for _, r := range q.w.runs {
		if r.Recovering() {
			return
		}
	}
	q.attempt.noted = false
	q.w.loop.Run(q.endAttempt)
}

func (q *quarantine) endAttempt() {
	if err := history.EndRecovery(q.w.disk(), q.w.cfg.State, q.w.id); err != nil {
		q.w.cfg.Log.Warn("a note of trials cannot be removed", "workspace", q.w.id, "err", err)
	}
}

// countCrash counts a panic of the loop as a failed attempt, as if the daemon had crashed.
func (q *quarantine) countCrash() {
	if q.attempt.noted {
		return // the note exists since the workspace was opened
	}
	before, err := history.ReadRecovery(q.w.cfg.State, q.w.id, q.w.path)
	if err == nil {
		err = history.BeginRecovery(q.w.disk(), q.w.cfg.State, before, time.Now())
	}
	if err != nil {
		q.w.cfg.Log.Warn("a recovery attempt cannot be noted", "workspace", q.w.id, "err", err)
	}
}

// awaitReports waits for the first reports of a recovered run.
func (q *quarantine) awaitReports(r *activerun.Run) {
	if !q.attempt.noted {
		return
	}
	q.w.loop.Run(func() {
		timer := time.NewTimer(firstReportsTime)
		defer timer.Stop()
		select {
		case <-timer.C:
			q.w.loop.Post(r.StopRecovering)
		case <-q.w.loop.Ending():
		}
	})
}

// Held lists the quarantined workspaces below the state folder. With an error the list is incomplete.
func Held(state string) ([]api.HeldWorkspace, error) {
	trials, err := history.Quarantined(state)
	var held []api.HeldWorkspace
	for _, t := range trials {
		held = append(held, api.HeldWorkspace{ID: t.Workspace, Workfile: t.Workfile, Tries: t.Tries,
			Since: t.Last.UTC().Format(time.RFC3339), Why: quarantineWhat(t) + ". " + quarantineWhy(t)})
	}
	return held, err
}
