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

// swept is the message that no process of a run is left.
type swept struct {
	r         *run
	survivors []int
	err       error
}

func (m swept) handle(w *Workspace) {
	m.r.survivors = m.survivors
	if m.err != nil {
		w.cfg.Log.Error("executor did not close cleanly", "run", m.r.ID, "err", m.err)
	}
	m.r.closed = true
}

// finishRuns ends the runs that the scheduler has ended: sweep the processes, save the workfile, record the end, then publish
// run_complete, which is always the last event of a run. If a crash interrupts this, the next daemon does the rest again.
func (w *Workspace) finishRuns() {
	for _, r := range append([]*run(nil), w.runs...) {
		if r.Phase != runstate.Ended || r.sess == nil {
			continue
		}
		if !r.sweeping {
			r.sweeping = true
			w.sweep(r)
		}
		if r.closed && r.saved && r.leaving == 0 && r.syncing == nil && !r.completing && !time.Now().Before(r.holds.till) {
			r.completing = true
			w.conclude(r)
		}
	}
}

// sweep closes the executor and saves the workfile, both away from the loop.
func (w *Workspace) sweep(r *run) {
	if r.timer != nil {
		r.timer.Stop()
	}
	r.setTimer(nil, 0)
	r.dropPools(w)
	w.loop.Run(func() {
		survivors, err := r.sess.Close(context.Background())
		w.send(swept{r, survivors, err})
	})
	w.file.SaveThen(func() { r.saved = true })
}

// recorded is the message that the end of a run is durable, or cannot be made so.
type recorded struct {
	r    *run
	what string // was written last
	lost string // see lostRecord
	err  error
}

// conclude lets a helper write the end of the run to the history. Statuses that could not be put into the workfile are noted
// before, because later daemons do not read the journal of a run that is over.
func (w *Workspace) conclude(r *run) {
	if r.endedAt.IsZero() {
		r.endedAt = clock.Now()
	}
	res := history.Result{Result: string(r.resultWord()), Counts: historyCounts(r.CountAll()), Started: r.Request.Time,
		Ended: r.endedAt, DurationMS: r.Elapsed(r.endedAt), Cause: r.Cause, Survivors: r.survivors,
		Left: r.remained, LeftCount: r.leftovers}
	last, keepPrior := w.given(), r.keepPrior(w)
	w.file.Statuses().RunOver(r.Number)
	keepStatuses := w.file.Statuses().Keep()
	w.loop.Run(func() {
		m := recorded{r: r}
		if m.what, m.err = "what later runs need of it", w.keepFolder(last); m.err == nil && keepPrior != nil {
			m.err = keepPrior()
		}
		if m.err == nil {
			m.what, m.err = "the statuses of its nodes", keepStatuses()
		}
		if m.err == nil {
			m.what, m.err = "its end", r.hist.Finish(res)
			if m.lost = lostRecord(r.Dir); m.lost != "" {
				m.err = nil // its folder is gone
			}
		}
		if m.err == nil {
			r.hist.Close()
			r.dropOutputs(w)
		}
		w.send(m)
	})
}

func (m recorded) handle(w *Workspace) {
	r := m.r
	if m.err != nil {
		w.file.Statuses().Changed()
		r.notRecorded(w, m.what, m.err)
		return
	}
	r.unrecorded = m.lost
	r.hold(w, &r.holds.journal, "")
	w.complete(r)
}

// complete publishes the end of the run and forgets it.
func (w *Workspace) complete(r *run) {
	r.Phase = runstate.Complete
	w.drop(r)
	w.unmark()
	sum := r.Summary()
	w.latest = &sum
	counts := r.CountAll()
	w.marks.Flush()
	w.out.Publish(api.Event{Type: api.RunComplete, Time: r.endedAt, Run: r.ID, Client: r.Request.Client, Result: r.resultWord(),
		Counts: &counts, DurationMS: new(r.Elapsed(r.endedAt)), ExitCode: new(inquiry.ExitCode(r.resultWord(), r.Cause)), Reason: api.Reason(""),
		Message: r.stopText(), Survivors: r.survivors, Notes: r.endNotes()})
	w.out.Hurry()
	r.answerStop(r.stopResult())
	w.startWaiting()
	w.pruneLater()
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
	w.leaveTo(r)
	w.runs = slices.DeleteFunc(w.runs, func(x *run) bool { return x == r })
	w.nodes.Runs = slices.DeleteFunc(w.nodes.Runs, func(x *nodestate.Run) bool { return x == r.Run })
}

// detach lets go of a run, which continues without this daemon.
func (r *run) detach() {
	if r.timer != nil {
		r.timer.Stop()
	}
	r.setTimer(nil, 0)
	if r.sess != nil {
		r.sess.Detach()
	}
	r.closeJournal()
}
