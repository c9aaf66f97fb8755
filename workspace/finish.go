package workspace

import (
	"context"
	"slices"
	"time"

	"wf/api"
	"wf/scheduler"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/inquiry"
	"wf/workspace/nodestate"
	"wf/workspace/runstate"
)

// swept notes that no process of the run is left.
func (r *run) swept(survivors []int, err error) {
	r.survivors = survivors
	if err != nil {
		r.host.log.Error("executor did not close cleanly", "run", r.ID, "err", err)
	}
	r.closed = true
}

// finishRuns ends the runs that the scheduler has ended: sweep the processes, save the workfile, record the end, then publish
// run_complete, which is always the last event of a run. If a crash interrupts this, the next daemon does the rest again.
func (w *Workspace) finishRuns() {
	for _, r := range append([]*run(nil), w.runs...) {
		if r.endReady() {
			w.conclude(r)
		}
	}
}

// endReady lets a run that the scheduler has ended close its executor, and returns true when its end is to be recorded.
func (r *run) endReady() bool {
	if r.Phase != runstate.Ended || r.sess == nil {
		return false
	}
	if !r.sweeping {
		r.sweeping = true
		r.sweep()
	}
	if !r.closed || !r.saved || r.leaving > 0 || r.completing || time.Now().Before(r.holds.till) {
		return false
	}
	r.completing = true
	return true
}

// sweep closes the executor and saves the workfile, both away from the loop.
func (r *run) sweep() {
	if r.timer != nil {
		r.timer.Stop()
	}
	r.setTimer(0)
	r.dropPools()
	r.host.loop.Run(func() {
		survivors, err := r.sess.Close(context.Background())
		r.host.loop.Post(func() { r.swept(survivors, err) })
	})
	r.host.file.SaveThen(func() { r.saved = true })
}

// conclude lets a helper write the end of a run to the history. Statuses that could not be put into the workfile are noted
// before, because later daemons do not read the journal of a run that is over.
func (w *Workspace) conclude(r *run) {
	last, keepPrior := w.given(), w.keepPrior(r)
	w.file.Statuses().RunOver(r.Number)
	keepStatuses := w.file.Statuses().Keep()
	r.recordEnd(func() (what string, err error) {
		if err = w.keepFolder(last); err == nil && keepPrior != nil {
			err = keepPrior()
		}
		if err != nil {
			return "what later runs need of it", err
		}
		return "the statuses of its nodes", keepStatuses()
	}, func() { w.complete(r) })
}

// recordEnd lets a helper write the end of the run to the history, after what before writes. before returns what it wrote
// last. done is called on the loop when the end is durable; otherwise the run is held.
func (r *run) recordEnd(before func() (what string, err error), done func()) {
	if r.endedAt.IsZero() {
		r.endedAt = clock.Now()
	}
	res := history.Result{Result: string(r.resultWord()), Counts: historyCounts(r.CountAll()), Started: r.Request.Time,
		Ended: r.endedAt, DurationMS: r.Elapsed(r.endedAt), Cause: r.Cause, Survivors: r.survivors,
		Left: r.remained, LeftCount: r.leftovers}
	r.host.loop.Run(func() {
		what, err := before()
		lost := ""
		if err == nil {
			what, err = "its end", r.hist.Finish(res)
			if lost = r.lost(); lost != "" {
				err = nil // its folder is gone
			}
		}
		if err == nil {
			r.hist.Close()
			r.dropOutputs()
		}
		r.host.loop.Post(func() {
			if err != nil {
				r.host.file.Statuses().Changed()
				r.notRecorded(what, err)
				return
			}
			r.unrecorded = lost
			r.hold(&r.holds.journal, "")
			done()
		})
	})
}

// complete forgets a run whose end is recorded.
func (w *Workspace) complete(r *run) {
	w.drop(r)
	w.unmark()
	w.latest = new(r.Summary())
	r.complete()
	w.startWaiting()
	w.pruneLater()
}

// complete publishes the end of the run and answers the requests that wait for it.
func (r *run) complete() {
	r.Phase = runstate.Complete
	counts := r.CountAll()
	r.host.marks.Flush()
	r.host.out.Publish(api.Event{Type: api.RunComplete, Time: r.endedAt, Run: r.ID, Client: r.Request.Client, Result: r.resultWord(),
		Counts: &counts, DurationMS: new(r.Elapsed(r.endedAt)), ExitCode: new(inquiry.ExitCode(r.resultWord(), r.Cause)), Reason: api.Reason(""),
		Message: r.stopText(), Survivors: r.survivors, Notes: r.endNotes()})
	r.host.out.Hurry()
	r.answerStop(r.stopResult())
}

func (r *run) resultWord() api.Result {
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
func (r *run) Summary() api.RunSummary {
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
		s.ExitCode = new(inquiry.ExitCode(s.Result, s.Cause))
	}
	return s
}

// paused says why nothing of a run goes; "" if something does or could.
func (r *run) paused(c api.Counts) api.Paused {
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

// addRun puts a run on the list of active runs.
func (w *Workspace) addRun(r *run) {
	w.runs, w.nodes.Runs = append(w.runs, r), append(w.nodes.Runs, r.Run)
	w.note.needed.Store(true)
}

// drop takes a run off the list of active runs.
func (w *Workspace) drop(r *run) {
	r.leaveTo()
	w.runs = slices.DeleteFunc(w.runs, func(x *run) bool { return x == r })
	w.nodes.Runs = slices.DeleteFunc(w.nodes.Runs, func(x *nodestate.Run) bool { return x == r.Run })
}

// detach lets go of a run, which continues without this daemon.
func (r *run) detach() {
	r.leaveSlots()
	r.dropPools()
	if r.timer != nil {
		r.timer.Stop()
	}
	r.setTimer(0)
	if r.sess != nil {
		r.sess.Detach()
	}
	if r.hist != nil && !r.completing { // else a helper closes it with the last record
		r.hist.Close()
	}
}
