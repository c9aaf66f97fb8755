package activerun

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"wf/executor"
	"wf/scheduler"
	"wf/workspace/history"
	"wf/workspace/nodestate"
	"wf/workspace/runstate"
	"wf/workspace/workfile"
)

// recovery is the progress of recovering a run of an earlier daemon.
type recovery struct {
	run      *Run
	tried    bool // the run was recovered as part of a recovery attempt
	notFound bool // its executor was not found yet
	reported bool // its executor has sent its first reports, or is lost
}

// Recovering reports whether the run was recovered and the first reports of its executor are still missing.
func (rc *recovery) Recovering() bool { return rc.tried && (rc.run.sess == nil || !rc.reported) }

// StopRecovering makes Recovering return false although not all first reports have arrived.
func (rc *recovery) StopRecovering() { rc.reported = true }

// Retry repeats failed writes at once and looks for the executor again.
func (rc *recovery) Retry() {
	rc.run.journal.holds.till = time.Time{}
	if rc.notFound {
		rc.notFound = false
		rc.Follow()
	}
}

// RetryExecutor makes a held executor try again at once.
func (rc *recovery) RetryExecutor() {
	if rc.run.journal.holds.executor != "" && rc.run.sess != nil {
		rc.run.sess.Retry()
	}
}

// Follow connects to the executor of a recovered run.
func (rc *recovery) Follow() {
	rc.run.host.Loop.Run(func() {
		sess, err := rc.run.OpenExecutor(rc.run.host.Store.Dir(rc.run.Number), rc.run.Number, nil)
		if !rc.run.host.Loop.Post(func() { rc.followed(sess, err) }) && err == nil {
			sess.Detach() // the workspace has been closed meanwhile
		}
	})
}

// ErrNotStarted is the error about a run that an earlier daemon prepared but did not start: neither the journal nor an
// executor contains anything about it.
var ErrNotStarted = errors.New("it was not started")

// Recover rebuilds run n from its frozen workfile and its journal.
func Recover(h *Host, n int) (*Run, error) {
	r := New(h, &nodestate.Run{}, func(error) {})
	r.recovery.tried = true
	r.Number, r.ID, r.Dir = n, history.RunID(n), h.Store.Dir(n)
	var records []history.Record
	hist, req, err := h.Store.Reopen(n, func(rec history.Record) error {
		records = append(records, rec)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(records) == 0 && !executor.Begun(r.Dir) {
		return nil, errors.Join(ErrNotStarted, hist.Close())
	}
	r.journal.hist, r.Request = hist, req
	if len(records) == 0 { // even the start was lost, and the executor may have started jobs
		begin := history.Record{Time: req.Time, Type: history.RecordBegin, Node: history.NoNode, Client: req.Client}
		if err := hist.Append(begin); err != nil {
			return nil, errors.Join(err, hist.Close())
		}
		records = append(records, begin)
	}
	r.resumeSecrets()
	g, err := workfile.Frozen(h.Store, n)
	if err == nil {
		err = r.Reschedule(g)
	}
	if err != nil {
		return nil, errors.Join(err, hist.Close())
	}
	r.FreezeNodes(g)
	r.lookahead.unreported = true
	h.Nodes.NoteRun(req, nodestate.RepeatedScope(h.Store, req))
	r.applyJournal(records)
	r.notices.begin()
	if r.Phase == runstate.Preparing { // neither stopped nor ended
		r.Phase = runstate.Active
		r.limitTime()
	}
	return r, nil
}

// applyJournal applies the records of an earlier daemon and shows the resulting statuses in the open workfile.
func (r *Run) applyJournal(records []history.Record) {
	r.host.Nodes.Refold(r.Run, records, func(rec history.Record) {
		if rec.Type == history.RecordDispatch {
			r.dispatcher.dequeue(executor.ID{Node: rec.Node, Execution: rec.Execution})
		}
	}, func(c runstate.Change) {
		if id := (executor.ID{Node: c.Node, Execution: c.Execution}); c.Kind == scheduler.Execute && !r.reuse.enqueue(id) {
			r.dispatcher.enqueue(id)
		}
	})
	r.lookahead.stale = true
	r.slotShare.join()
	running := r.slotShare.running()
	for range running { // they have slots, even beyond the limit
		r.slotShare.member.Claim()
	}
	r.slotShare.slots, r.slotShare.ceiling = running, math.MaxInt // the width that the earlier daemon set is not known
	r.pooling.reclaimPools()
	r.announcer.growth.total = r.Sched.Total()
}

func (dp *dispatcher) dequeue(id executor.ID) {
	dp.elsewhere = slices.DeleteFunc(dp.elsewhere, func(other executor.ID) bool { return other == id })
	for i := dp.head; i < len(dp.queue); i++ {
		if dp.queue[i] == id {
			copy(dp.queue[dp.head+1:i+1], dp.queue[dp.head:i])
			dp.head++
			return
		}
	}
}

// followed continues a recovered run after its executor was found, or is lost.
func (rc *recovery) followed(sess executor.Session, err error) {
	var later *executor.UnavailableError
	if history.Fault(err) || errors.As(err, &later) {
		rc.run.journal.hold(&rc.run.journal.holds.executor, "its executor cannot be followed: "+err.Error())
		rc.notFound = true
		rc.run.host.RetryLater()
		return
	}
	rc.run.journal.hold(&rc.run.journal.holds.executor, "")
	if err != nil {
		rc.run.host.Log.Error("the executor of a run is gone", "run", rc.run.ID, "err", err)
		rc.run.sess, rc.reported = goneSession{}, true
		rc.run.executorLost(executor.Report{Message: err.Error()})
		return
	}
	rc.run.sess = sess
	rc.run.host.Found(rc.run)
	rc.run.catchUp()
	rc.run.notices.taken()
	for _, say := range rc.run.stopping.delayed {
		say()
	}
	rc.run.stopping.delayed = nil
	if rc.run.Phase == runstate.Stopping {
		rc.run.sess.Stop(rc.run.live(), rc.run.Grace())
	}
	rc.stopExpired()
	rc.run.preparing.requeue()
	rc.run.dispatcher.resubmit()
	rc.run.tables.askAgain()
	rc.run.setTimer(rc.run.Sched.NextTick())
	rc.run.nesting.reportToCaller()
}

// goneSession replaces the session of an executor that is lost.
type goneSession struct{}

func (goneSession) Start([]executor.Job) error { return errors.New("the executor is gone") }

func (goneSession) Gates() bool { return false }

func (goneSession) SetWidth(int) {}

func (goneSession) Stop([]executor.ID, time.Duration) {}

func (goneSession) Close(context.Context) ([]int, error) { return nil, nil }

func (goneSession) Retry() {}

func (goneSession) Detach() {}

// resubmit hands over again the jobs that were dispatched and not reported as started. The executor ignores jobs that it
// has.
func (dp *dispatcher) resubmit() {
	var jobs []executor.Job
	for _, id := range dp.run.live() {
		if rec := dp.run.Nodes[id.Node].Execution; !rec.Started {
			jobs = append(jobs, dp.run.job(id.Node, id.Execution, rec.Command))
		}
	}
	if len(jobs) > 0 {
		_ = dp.run.sess.Start(jobs) // a lost session reports the error itself
	}
}

// stopExpired stops the executions whose time limit passed before the recovery.
func (rc *recovery) stopExpired() {
	late := slices.DeleteFunc(rc.run.live(), func(id executor.ID) bool { return !rc.run.Sched.Expired(id.Node) })
	if len(late) > 0 {
		rc.run.sess.Stop(late, rc.run.Grace())
	}
}
