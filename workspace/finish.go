package workspace

import (
	"context"
	"errors"
	"slices"
	"time"

	"wf/api"
	"wf/scheduler"
	"wf/workspace/history"
)

// swept comes back when nothing of a run's processes is left.
type swept struct {
	r         *run
	survivors []int
	err       error
}

func (m swept) handle(w *Workspace) {
	m.r.survivors = m.survivors
	if m.err != nil {
		w.cfg.Log.Error("executor did not close cleanly", "run", m.r.id, "err", m.err)
	}
	m.r.closed = true
}

// finishRuns brings runs that the scheduler has ended to their end: processes swept, workfile saved,
// record complete, then run_complete, which is always the last event of a run. A crash before the
// record is complete makes the next daemon do the rest of it again.
func (w *Workspace) finishRuns() {
	for _, r := range append([]*run(nil), w.runs...) {
		if r.phase != ended || r.sess == nil {
			continue
		}
		if !r.sweeping {
			r.sweeping = true
			w.sweep(r)
		}
		if r.closed && r.saved && r.leaving == 0 && !r.completing && !time.Now().Before(r.holds.till) {
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
	w.saveThen(func() { r.saved = true })
}

// recorded comes back when the end of a run is durable.
type recorded struct {
	r    *run
	what string // was written last
	lost string // see run.lost
	err  error
}

// conclude writes the end of the run to the history. What of its statuses could not be put into the
// workfile is noted before, as the history will not be asked for it again.
func (w *Workspace) conclude(r *run) {
	if err := errors.Join(w.keepFolder(), r.keepPast(w)); err != nil {
		r.notRecorded(w, "what later runs need of it", err)
		return
	}
	if r.endedAt.IsZero() {
		r.endedAt = now()
	}
	res := history.Result{Result: string(r.resultWord()), Counts: historyCounts(r.countAll()), Started: r.req.Time,
		Ended: r.endedAt, DurationMS: r.elapsed(r.endedAt), Cause: r.cause, Survivors: r.survivors,
		Left: r.remained, LeftCount: r.leftovers}
	w.through = max(w.through, r.n)
	statuses, disk, path := w.statuses(), w.disk(), w.statusesPath()
	w.statusesStale, w.noted = false, statuses.Unwritten
	w.loop.Run(func() {
		if err := statuses.keep(disk, path); err != nil {
			w.send(recorded{r: r, what: "the statuses of its nodes", err: err})
			return
		}
		err := r.hist.Finish(res)
		lost := r.lost()
		if lost != "" {
			err = nil // nobody would find it
		}
		w.send(recorded{r, "its end", lost, err})
	})
}

func (m recorded) handle(w *Workspace) {
	r := m.r
	if m.err != nil {
		w.statusesStale = true
		r.notRecorded(w, m.what, m.err)
		return
	}
	r.unrecorded = m.lost
	r.hold(w, &r.holds.journal, "")
	w.complete(r)
}

// complete tells everybody that the run is over and forgets it.
func (w *Workspace) complete(r *run) {
	r.phase = complete
	r.hist.Close()
	r.dropOutputs(w)
	w.drop(r)
	w.unmark()
	sum := r.summary()
	w.latest = &sum
	counts := r.countAll()
	w.tellMarks(len(w.g.Edges()))
	w.publish(api.Event{Type: api.RunComplete, Time: r.endedAt, Run: r.id, Client: r.client, Result: r.resultWord(),
		Counts: &counts, DurationMS: ptr(r.elapsed(r.endedAt)), ExitCode: ptr(exitCode(r.resultWord(), r.cause)), Reason: api.Reason(""),
		Message: r.stopText(), Survivors: r.survivors, Notes: r.endNotes()})
	w.out.urgent = true
	r.answerStop(r.stopResult())
	w.startWaiting()
	w.pruneLater()
}

// exitCode is what an attached `wf run` exits with, as far as the daemon can know (`wf help exit-codes`), for the
// result of a run and the cause of its stop.
func exitCode(result api.Result, cause string) int {
	switch {
	case result == api.Succeeded:
		return 0
	case result == api.ResFailed:
		return 1
	case cause == "timeout":
		return 124
	case cause == "approval": // wf run --approval fail
		return 5
	case cause == "SIGINT":
		return 130
	case cause == "SIGTERM":
		return 143
	}
	return 6
}

func (r *run) resultWord() api.Result {
	switch {
	case r.phase != ended && r.phase != complete:
		return ""
	case r.result == scheduler.Succeeded:
		return api.Succeeded
	case r.result == scheduler.Failed || r.broken != "":
		return api.ResFailed
	}
	return api.Cancelled
}

// stateIn is what people see of a node in the run: one that has succeeded before is kept.
func (r *runState) stateIn(i int, blocked bool) api.State {
	rec := r.nodes[i].rec
	if s, _ := r.waitingState(i); s != "" {
		return s
	}
	s := stateOf(r.sched.Status(i), rec, blocked)
	if rec == nil && (s == api.StateOK || s == api.StateFailed && r.sched.Handled(i)) {
		return api.StateKept
	}
	return s
}

func historyCounts(c api.Counts) history.Counts {
	return history.Counts{OK: c.OK, Failed: c.Failed, Cancelled: c.Cancelled, Blocked: c.Blocked, Idle: c.Idle, Kept: c.Kept, Skipped: c.Skipped, Handled: c.Handled}
}

func (r *run) summary() api.RunSummary {
	s := api.RunSummary{Run: r.id, Result: r.resultWord(), Mode: r.req.Mode, Resumes: runID(r.req.Resumes),
		Selection: r.req.Selection, Counts: r.countAll(), Client: r.client, User: r.req.User,
		Started: r.req.Time, Stopping: r.phase == stopping, Exclude: r.req.Exclude, Cause: r.cause,
		Survivors: r.survivors, Held: r.holds.why(), Short: r.shortageNow()}
	s.Nodes = s.Counts.Total()
	s.Paused = r.paused(s.Counts)
	if !r.endedAt.IsZero() {
		s.Ended, s.DurationMS = ptr(r.endedAt), ptr(r.elapsed(r.endedAt))
	}
	if s.Result != "" { // of what ends it, which is known before its end is recorded
		s.ExitCode = ptr(exitCode(s.Result, s.Cause))
	}
	return s
}

// paused says why nothing of a run goes, "" if something does or could.
func (r *run) paused(c api.Counts) api.Paused {
	switch {
	case r.phase != going || c.Running > 0:
		return ""
	case r.holds.why() != "":
		return api.PausedHeld
	case c.Queued > 0:
		return ""
	}
	people, moments := 0, 0
	for i := range r.since {
		switch kind, _, _ := r.sched.Waits(i); kind {
		case scheduler.WaitApproval:
			people++
		case scheduler.WaitTime, scheduler.WaitRetry:
			moments++
		}
	}
	switch {
	case people+moments == 0 && c.Waiting+c.Retrying == 0 && r.sched.NextTick() > 0: // a container waits for its rate
		return api.PausedTime
	case people+moments == 0 || people+moments < c.Waiting+c.Retrying: // what waits for a pool can go at any time
		return ""
	case moments > 0:
		return api.PausedTime
	}
	return api.PausedApproval
}

// drop takes a run off the list of active ones.
func (w *Workspace) drop(r *run) {
	w.leaveTo(r)
	w.runs = slices.DeleteFunc(w.runs, func(x *run) bool { return x == r })
}

// unmark tells later daemons that nothing of this workspace needs them.
func (w *Workspace) unmark() {
	if len(w.runs) > 0 || len(w.inQueue()) > 0 {
		return
	}
	if err := history.ClearActive(w.cfg.State, w.id); err != nil {
		w.cfg.Log.Warn("cannot clear the mark of an active workspace", "workspace", w.id, "err", err)
	}
}

// detach lets go of a run that goes on without this daemon.
func (r *run) detach() {
	if r.timer != nil {
		r.timer.Stop()
	}
	r.setTimer(nil, 0)
	if r.sess != nil {
		r.sess.Detach()
	}
	if r.hist != nil && !r.completing { // else it is a helper's, which closes it with the last record
		r.hist.Close()
	}
}
