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

// firstReportsTime is how long the first reports of a recovered run may take. Handling them is part of the attempt.
const firstReportsTime = time.Second

// attempt is the recovery attempt of this workspace. It belongs to the loop, and to Open before that.
type attempt struct {
	retry bool // a user has asked for the attempt although the workspace is quarantined
	noted bool
}

// try notes a recovery attempt, or finds that the workspace is quarantined.
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
		// A full disk must not keep runs from continuing.
		q.w.cfg.Log.Warn("a trial cannot be noted", "workspace", q.w.id, "err", err)
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

// retryCommand is the command that makes another attempt.
const retryCommand = "wf server retry"

// passAttempt removes the note when every recovered run has been followed and its reports handled.
func (q *quarantine) passAttempt() {
	if !q.attempt.noted || len(q.w.retries.untaken) > 0 {
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
		return // the note was written when the workspace was opened
	}
	before, err := history.ReadRecovery(q.w.cfg.State, q.w.id, q.w.path)
	if err == nil {
		err = history.BeginRecovery(q.w.disk(), q.w.cfg.State, before, time.Now())
	}
	if err != nil {
		q.w.cfg.Log.Warn("a trial cannot be noted", "workspace", q.w.id, "err", err)
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
