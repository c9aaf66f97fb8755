package activerun

import (
	"context"
	"time"

	"wf/api"
	"wf/scheduler"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// swept notes that no process of the run is left.
func (r *Run) swept(survivors []int, err error) {
	r.survivors = survivors
	if err != nil {
		r.host.Log.Error("executor did not close cleanly", "run", r.ID, "err", err)
	}
	r.closed = true
}

// EndReady lets a run that the scheduler has ended close its executor, and returns true when its end is to be recorded.
func (r *Run) EndReady() bool {
	if r.Phase != runstate.Ended || r.sess == nil {
		return false
	}
	if !r.sweeping {
		r.sweeping = true
		r.sweep()
	}
	if !r.closed || !r.saved || r.leaving > 0 || r.syncing != nil || r.completing || time.Now().Before(r.holds.till) {
		return false
	}
	r.completing = true
	return true
}

// sweep closes the executor and saves the workfile, both away from the loop.
func (r *Run) sweep() {
	if r.timer != nil {
		r.timer.Stop()
	}
	r.setTimer(0)
	r.dropPools()
	r.host.Loop.Run(func() {
		survivors, err := r.sess.Close(context.Background())
		r.host.Loop.Post(func() { r.swept(survivors, err) })
	})
	r.host.File.SaveThen(func() { r.saved = true })
}

// RecordEnd lets a helper write the end of the run to the history, after what before writes. before returns what it wrote
// last. done is called on the loop when the end is durable; otherwise the run is held.
func (r *Run) RecordEnd(before func() (what string, err error), done func()) {
	if r.endedAt.IsZero() {
		r.endedAt = clock.Now()
	}
	res := history.Result{Result: string(r.resultWord()), Counts: historyCounts(r.CountAll()), Started: r.Request.Time,
		Ended: r.endedAt, DurationMS: r.Elapsed(r.endedAt), Cause: r.Cause, Survivors: r.survivors,
		Left: r.remained, LeftCount: r.leftovers}
	r.host.Loop.Run(func() {
		what, err := before()
		lost := ""
		if err == nil {
			what, err = "its end", r.hist.Finish(res)
			if lost = lostRecord(r.Dir); lost != "" {
				err = nil // its folder is gone
			}
		}
		if err == nil {
			r.hist.Close()
			r.dropOutputs()
		}
		r.host.Loop.Post(func() {
			if err != nil {
				r.host.File.Statuses().Changed()
				r.notRecorded(what, err)
				return
			}
			r.unrecorded = lost
			r.hold(&r.holds.journal, "")
			done()
		})
	})
}

// Complete publishes the end of the run and answers the requests that wait for it.
func (r *Run) Complete() {
	r.Phase = runstate.Complete
	counts := r.CountAll()
	r.host.Marks.Flush()
	r.host.Out.Publish(api.Event{Type: api.RunComplete, Time: r.endedAt, Run: r.ID, Client: r.Request.Client, Result: r.resultWord(),
		Counts: &counts, DurationMS: new(r.Elapsed(r.endedAt)), ExitCode: new(runstate.ExitCode(r.resultWord(), r.Cause)), Reason: api.Reason(""),
		Message: r.stopText(), Survivors: r.survivors, Notes: r.endNotes()})
	r.host.Out.Hurry()
	r.answerStop(r.stopResult())
}

func (r *Run) resultWord() api.Result {
	switch {
	case r.Phase != runstate.Ended && r.Phase != runstate.Complete:
		return ""
	case r.Result == scheduler.Succeeded:
		return api.Succeeded
	case r.Result == scheduler.Failed || r.broken != "":
		return api.ResFailed
	}
	return api.Cancelled
}

func historyCounts(c api.Counts) history.Counts {
	return history.Counts{OK: c.OK, Failed: c.Failed, Cancelled: c.Cancelled, Blocked: c.Blocked, Idle: c.Idle, Kept: c.Kept, Skipped: c.Skipped, Handled: c.Handled}
}

// Summary describes the run for clients.
func (r *Run) Summary() api.RunSummary {
	s := api.RunSummary{Run: r.ID, Result: r.resultWord(), Mode: r.Request.Mode, Resumes: history.RunID(r.Request.Resumes),
		Selection: r.Request.Selection, Counts: r.CountAll(), Client: r.Request.Client, User: r.Request.User,
		Started: r.Request.Time, Stopping: r.Phase == runstate.Stopping, Exclude: r.Request.Exclude, Cause: r.Cause,
		Survivors: r.survivors, Held: r.holds.why(), Short: r.Shortage()}
	s.Nodes = s.Counts.Total()
	s.Paused = r.paused(s.Counts)
	if !r.endedAt.IsZero() {
		s.Ended, s.DurationMS = new(r.endedAt), new(r.Elapsed(r.endedAt))
	}
	if s.Result != "" { // the result is known before the end is recorded
		s.ExitCode = new(runstate.ExitCode(s.Result, s.Cause))
	}
	return s
}

// paused says why nothing of a run goes; "" if something does or could.
func (r *Run) paused(c api.Counts) api.Paused {
	switch {
	case r.Phase != runstate.Going || c.Running > 0:
		return ""
	case r.holds.why() != "":
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
	case people+moments == 0 || people+moments < c.Waiting+c.Retrying: // a node in line for a pool can go at any time
		return ""
	case moments > 0:
		return api.PausedTime
	}
	return api.PausedApproval
}

// Detach lets go of a run, which continues without this daemon.
func (r *Run) Detach() {
	r.leaveSlots()
	r.dropPools()
	if r.timer != nil {
		r.timer.Stop()
	}
	r.setTimer(0)
	if r.sess != nil {
		r.sess.Detach()
	}
	r.closeJournal()
}
