package activerun

import (
	"context"
	"strings"
	"time"

	"wf/api"
	"wf/scheduler"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// ending is the state of a run's end, and the leftover processes found until then.
type ending struct {
	run *Run
	// The steps of the end, in order. closed and saved do not wait for each other.
	sweeping, closed, saved, completing bool
	endedAt                             time.Time
	survivors                           []int
	remained                            []history.Leftover // processes that executions have left behind; a bounded part of all
	leftovers                           int
	unrecorded                          string // what is missing in the history of the run, as text; "" if nothing is
}

// swept notes that no process of the run is left, except survivors.
func (en *ending) swept(survivors []int, err error) {
	en.survivors = survivors
	if err != nil {
		en.run.host.Log.Error("executor did not close cleanly", "run", en.run.ID, "err", err)
	}
	en.closed = true
}

// EndReady lets a run that the scheduler has ended close its executor. It returns true when the end of the run can be
// recorded.
func (en *ending) EndReady() bool {
	if en.run.Phase != runstate.Ended || en.run.sess == nil {
		return false
	}
	if en.run.preparing.interrupt(); en.run.preparing.busy > 0 {
		return false
	}
	if !en.run.hooking.afterRun() || !en.run.reuse.Save() {
		return false
	}
	if !en.sweeping {
		en.sweeping = true
		en.sweep()
	}
	if !en.closed || !en.saved || en.run.nesting.leaving > 0 || en.run.journal.syncing != nil || en.completing || time.Now().Before(en.run.journal.holds.till) {
		return false
	}
	en.completing = true
	return true
}

// sweep closes the executor and saves the workfile. Helpers do both. Closing the executor removes the environment
// of the run. The runner log does not contain why the run ends (a stop, a cancellation, a moment), so the journal is synced
// first: otherwise, after a power cut, the next daemon would continue the run, and could not start its commands.
func (en *ending) sweep() {
	en.run.timer.Stop()
	en.run.notices.stop()
	en.run.setTimer(0)
	en.run.pooling.dropPools()
	closeSession := func(error) {
		en.run.host.Loop.Run(func() {
			survivors, err := en.run.sess.Close(context.Background())
			en.run.host.Loop.Post(func() { en.swept(survivors, err) })
		})
	}
	if en.run.journal.unique {
		en.run.journal.syncJournal(closeSession)
	} else {
		closeSession(nil)
	}
	en.run.host.File.SaveThen(func() { en.saved = true })
}

// RecordEnd writes the end of the run to the history on a helper. The helper calls before first, which returns the name of
// what it wrote for error messages. done is called on the loop when the end is durable. After an error the run is held and
// done is not called.
func (en *ending) RecordEnd(before func() (what string, err error), done func()) {
	if en.endedAt.IsZero() {
		en.endedAt = clock.Now()
	}
	res := history.Result{Result: string(en.run.resultWord()), Counts: historyCounts(en.run.CountAll()), Started: en.run.Request.Time,
		Ended: en.endedAt, DurationMS: en.run.Elapsed(en.endedAt), Cause: en.run.Cause, Survivors: en.survivors,
		Left: en.remained, LeftCount: en.leftovers}
	res = en.run.hiddenResult(res)
	tell := en.run.notices.atEnd(res)
	en.run.host.Loop.Run(func() {
		what, err := before()
		lost := ""
		if err == nil {
			tell()
		}
		if err == nil {
			what, err = "its end", en.run.journal.hist.Finish(res)
			if lost = lostRecord(en.run.Dir); lost != "" {
				err = nil // the folder of the run was removed
			}
		}
		if err == nil {
			en.run.journal.hist.Close()
		}
		en.run.host.Loop.Post(func() {
			if err != nil {
				en.run.host.File.Statuses().Changed()
				en.run.journal.notRecorded(what, err)
				return
			}
			en.unrecorded = lost
			en.run.journal.hold(&en.run.journal.holds.journal, "")
			done()
		})
		if err == nil {
			en.dropOutputs()
		}
	})
}

// Complete publishes the end of the run and answers the requests that wait for it.
func (en *ending) Complete() {
	en.run.Phase = runstate.Complete
	counts := en.run.CountAll()
	en.run.host.Marks.Flush()
	en.run.host.Out.Publish(api.Event{Type: api.RunComplete, Time: en.endedAt, Run: en.run.ID, Client: en.run.Request.Client, Result: en.run.resultWord(),
		Counts: &counts, DurationMS: new(en.run.Elapsed(en.endedAt)), ExitCode: new(runstate.ExitCode(en.run.resultWord(), en.run.Cause)), Reason: api.Reason(""),
		Message: en.stopText(), Survivors: en.survivors, Notes: en.endNotes()})
	en.run.host.Out.Hurry()
	en.run.stopping.answerStop(en.run.stopping.stopResult())
}

func (r *Run) resultWord() api.Result {
	switch {
	case r.Phase != runstate.Ended && r.Phase != runstate.Complete:
		return ""
	case r.Result == scheduler.Succeeded:
		return api.Succeeded
	case r.Result == scheduler.Failed || r.broken != "" || strings.HasPrefix(r.Cause, history.RefusedCause):
		return api.ResFailed
	}
	return api.Cancelled
}

func historyCounts(c api.Counts) history.Counts {
	return history.Counts{OK: c.OK, Failed: c.Failed, Cancelled: c.Cancelled, Blocked: c.Blocked, Idle: c.Idle, Kept: c.Kept, Skipped: c.Skipped, Handled: c.Handled, UpToDate: c.UpToDate}
}

// Summary describes the run for clients.
func (r *Run) Summary() api.RunSummary {
	s := api.RunSummary{Run: r.ID, Result: r.resultWord(), Mode: r.Request.Mode, Resumes: history.RunID(r.Request.Resumes),
		Selection: r.Request.Selection, Counts: r.CountAll(), Client: r.Request.Client, User: r.Request.User,
		Started: r.Request.Time, Stopping: r.Phase == runstate.Stopping, Exclude: r.Request.Exclude, Until: r.Request.Until, From: r.Request.From, Cause: r.Cause,
		Survivors: r.ending.survivors, Held: r.journal.holds.why(), Short: r.slotShare.Shortage()}
	s.Nodes = s.Counts.Total()
	s.Paused = r.paused(s.Counts)
	if !r.ending.endedAt.IsZero() {
		s.Ended, s.DurationMS = new(r.ending.endedAt), new(r.Elapsed(r.ending.endedAt))
	}
	if s.Result != "" { // the result is known before the end is recorded
		s.ExitCode = new(runstate.ExitCode(s.Result, s.Cause))
	}
	return s
}

// paused returns why nothing in the run is executing; "" if an execution runs or could start.
func (r *Run) paused(c api.Counts) api.Paused {
	switch {
	case r.Phase != runstate.Active || c.Running > 0:
		return ""
	case r.journal.holds.why() != "":
		return api.PausedHeld
	case c.Queued > 0:
		return ""
	}
	people, moments := 0, 0
	for i := range r.Since {
		switch kind, _, _ := r.Sched.Waits(i); kind {
		case scheduler.WaitApproval:
			people++
		case scheduler.WaitTime, scheduler.WaitRetry:
			moments++
		}
	}
	switch {
	case people+moments == 0 && c.Waiting+c.Retrying == 0 && r.Sched.NextTick() > 0: // a container waits for its rate
		return api.PausedTime
	case people+moments == 0 || people+moments < c.Waiting+c.Retrying: // a node in line for a pool can start at any time
		return ""
	case moments > 0:
		return api.PausedTime
	}
	return api.PausedApproval
}

// Detach ends the connection to the run, which continues without this daemon.
func (r *Run) Detach() {
	r.slotShare.leaveSlots()
	r.pooling.dropPools()
	r.reuse.saveNow()
	r.timer.Stop()
	r.notices.stop()
	r.stopping.patience.Stop()
	r.setTimer(0)
	if r.sess != nil {
		r.sess.Detach()
	}
	r.journal.closeJournal()
}
