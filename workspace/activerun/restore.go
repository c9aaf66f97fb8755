package activerun

import (
	"context"
	"errors"
	"math"
	"time"

	"wf/executor"
	"wf/scheduler"
	"wf/workspace/history"
	"wf/workspace/nodestate"
	"wf/workspace/runstate"
	"wf/workspace/workfile"
)

// Follow continues a recovered run.
func (r *Run) Follow() {
	if r.Phase == runstate.Preparing {
		r.Phase = runstate.Going
		r.limitTime()
	}
	r.findExecutor()
}

// Recovering reports whether the run was recovered and its executor has not sent its first reports yet.
func (r *Run) Recovering() bool { return r.tried && (r.sess == nil || !r.heard) }

// StopRecovering lets the recovery of the run count as over although its executor has not sent all of its first reports.
func (r *Run) StopRecovering() { r.heard = true }

// Retry lets what could not be written be written again at once, and looks for the executor again.
func (r *Run) Retry() {
	r.holds.till = time.Time{}
	if r.unfound {
		r.unfound = false
		r.findExecutor()
	}
}

// RetryExecutor makes a held executor try again at once.
func (r *Run) RetryExecutor() {
	if r.holds.executor != "" && r.sess != nil {
		r.sess.Retry()
	}
}

// findExecutor follows the executor of a recovered run.
func (r *Run) findExecutor() {
	r.host.Loop.Run(func() {
		sess, err := r.OpenExecutor(r.host.Store.Dir(r.Number), r.Number, nil)
		r.host.Loop.Post(func() { r.followed(sess, err) })
	})
}

// ErrNotStarted is the error about a run that a daemon has prepared and not started: neither the journal nor an executor knows of it.
var ErrNotStarted = errors.New("it had not begun")

// Recover makes run n as it was from the frozen workfile and the journal.
func Recover(h *Host, n int) (*Run, error) {
	r := New(h, &nodestate.Run{}, func(error) {})
	r.tried = true
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
	r.hist, r.Request = hist, req
	if len(records) == 0 { // the disk has lost even the start, and the executor may have got far
		begin := history.Record{Time: req.Time, Type: history.RecordBegin, Node: history.NoNode, Client: req.Client}
		if err := hist.Append(begin); err != nil {
			return nil, errors.Join(err, hist.Close())
		}
		records = append(records, begin)
	}
	g, err := workfile.Frozen(h.Store, n)
	if err == nil {
		err = r.Reschedule(g)
	}
	if err != nil {
		return nil, errors.Join(err, hist.Close())
	}
	r.FreezeNodes(g)
	r.untold = true
	h.Nodes.NoteRun(req, nodestate.RepeatedScope(h.Store, req))
	r.relive(records)
	return r, nil
}

// relive applies the records of an earlier daemon and shows in the open workfile what they come to.
func (r *Run) relive(records []history.Record) {
	r.host.Nodes.Refold(r.Run, records, func(rec history.Record) {
		if rec.Type == history.RecordDispatch {
			r.dequeue(executor.ID{Node: rec.Node, Execution: rec.Execution})
		}
	}, func(c runstate.Change) {
		if c.Kind == scheduler.Execute {
			r.queue = append(r.queue, executor.ID{Node: c.Node, Execution: c.Execution})
		}
	})
	r.look = true
	r.join()
	for range r.Running { // they hold slots, even if there are none
		r.member.Claim()
	}
	r.slots, r.ceiling = r.Running, math.MaxInt // the width that an earlier daemon has set is not known
	r.reclaimPools()
	r.growth.total = r.Sched.Total()
}

func (r *Run) dequeue(id executor.ID) {
	for i := r.head; i < len(r.queue); i++ {
		if r.queue[i] == id {
			copy(r.queue[r.head+1:i+1], r.queue[r.head:i])
			r.head++
			return
		}
	}
}

// followed continues a recovered run whose executor was found, or is gone.
func (r *Run) followed(sess executor.Session, err error) {
	if history.Fault(err) {
		r.hold(&r.holds.executor, "its executor cannot be followed: "+err.Error())
		r.unfound = true
		r.host.RetryLater()
		return
	}
	r.hold(&r.holds.executor, "")
	if err != nil {
		r.host.Log.Error("the executor of a run is gone", "run", r.ID, "err", err)
		r.sess, r.heard = goneSession{}, true
		r.lose(executor.Report{Message: err.Error()})
		return
	}
	r.sess = sess
	r.host.Found(r)
	r.catchUp()
	for _, say := range r.unsaid {
		say()
	}
	r.unsaid = nil
	if r.Phase == runstate.Stopping {
		r.sess.Stop(r.live(), r.Grace())
	}
	r.stopExpired()
	r.requeue()
	r.resubmit()
	r.setTimer(r.Sched.NextTick())
	r.tellCaller()
}

// goneSession replaces an executor that could not be found again.
type goneSession struct{}

func (goneSession) Start([]executor.Job) error { return errors.New("the executor is gone") }

func (goneSession) Gates() bool { return false }

func (goneSession) SetWidth(int) {}

func (goneSession) Stop([]executor.ID, time.Duration) {}

func (goneSession) Close(context.Context) ([]int, error) { return nil, nil }

func (goneSession) Retry() {}

func (goneSession) Detach() {}

// resubmit hands over again what was dispatched and not reported started. The executor ignores jobs that it has.
func (r *Run) resubmit() {
	var jobs []executor.Job
	for i := range r.Nodes {
		n := &r.Nodes[i]
		if n.Execution != nil && n.Execution.Live && !n.Execution.Started {
			jobs = append(jobs, r.job(i, n.Execution.Number, n.Execution.Command))
		}
	}
	if len(jobs) > 0 {
		_ = r.sess.Start(jobs) // a lost session reports that itself
	}
}

// stopExpired stops again the executions whose time was up before the recovery.
func (r *Run) stopExpired() {
	var late []executor.ID
	for i := range r.Nodes {
		if rec := r.Nodes[i].Execution; rec != nil && rec.Live && r.Sched.Expired(i) {
			late = append(late, executor.ID{Node: i, Execution: rec.Number})
		}
	}
	if len(late) > 0 {
		r.sess.Stop(late, r.Grace())
	}
}
