package workspace

import (
	"context"
	"errors"
	"math"
	"time"

	"wf/api"
	"wf/executor"
	"wf/scheduler"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/nodestate"
	"wf/workspace/runstate"
	"wf/workspace/workfile"
)

// A run that an earlier daemon left going is recovered by applying its journal. Then its executor is found and followed again. It
// repeats its reports, and those that the journal contains already are skipped.

// takeUp recovers run n. One that cannot be continued is ended, with the reason in its result. This reads the journal and may write
// a result. It is done before the loop starts, with two exceptions: a quarantine ends, or an earlier attempt has failed because of
// the disk. Until then no other run may start, so the loop may wait for the disk.
func (w *Workspace) takeUp(n int) {
	r, err := w.recoverRun(n)
	if history.Fault(err) {
		w.cfg.Log.Warn("a run cannot be taken up yet", "run", n, "err", err)
		w.takeUpLater(n, err)
		return
	}
	if errors.Is(err, errUnbegun) {
		w.withdrawn(n, w.withdraw(n))
		return
	}
	if err != nil {
		w.cfg.Log.Error("a run cannot be taken up", "run", n, "err", err)
		w.giveUp(n, err)
		return
	}
	r.tried = true
	w.addRun(r)
	if r.Phase == runstate.Preparing {
		r.Phase = runstate.Going
		r.limitTime(w)
	}
	w.findExecutor(r)
}

// findExecutor follows the executor of a recovered run.
func (w *Workspace) findExecutor(r *run) {
	w.loop.Run(func() {
		sess, err := w.openExecutor(r, w.store.Dir(r.Number), r.Number, nil)
		w.send(followed{r, sess, err})
	})
}

// errUnbegun is the error about a run that a daemon has prepared and not started: neither the journal nor an executor knows of it.
var errUnbegun = errors.New("it had not begun")

// recoverRun makes run n as it was from the frozen workfile and the journal.
func (w *Workspace) recoverRun(n int) (*run, error) {
	r := newRun(&nodestate.Run{})
	r.Number, r.ID, r.Dir = n, history.RunID(n), w.store.Dir(n)
	var records []history.Record
	hist, req, err := w.store.Reopen(n, func(rec history.Record) error {
		records = append(records, rec)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(records) == 0 && !executor.Begun(r.Dir) {
		return nil, errors.Join(errUnbegun, hist.Close())
	}
	r.hist, r.Request = hist, req
	if len(records) == 0 { // the disk has lost even the start, and the executor may have got far
		begin := history.Record{Time: req.Time, Type: history.RecordBegin, Node: history.NoNode, Client: req.Client}
		if err := hist.Append(begin); err != nil {
			return nil, errors.Join(err, hist.Close())
		}
		records = append(records, begin)
	}
	g, err := workfile.Frozen(w.store, n)
	if err == nil {
		err = r.Reschedule(g)
	}
	if err != nil {
		return nil, errors.Join(err, hist.Close())
	}
	r.FreezeNodes(g)
	r.accepted, r.untold = func(error) {}, true
	w.nodes.NoteRun(req, nodestate.RepeatedScope(w.store, req))
	r.relive(w, records)
	return r, nil
}

// relive applies the records of an earlier daemon and shows in the open workfile what they come to.
func (r *run) relive(w *Workspace, records []history.Record) {
	w.nodes.Refold(r.Run, records, func(rec history.Record) {
		if rec.Type == history.RecordDispatch {
			r.dequeue(executor.ID{Node: rec.Node, Execution: rec.Execution})
		}
	}, func(c runstate.Change) {
		if c.Kind == scheduler.Execute {
			r.queue = append(r.queue, executor.ID{Node: c.Node, Execution: c.Execution})
		}
	})
	r.look = true
	r.join(w)
	for range r.Running { // they hold slots, even if there are none
		r.member.Claim()
	}
	r.slots, r.ceiling = r.Running, math.MaxInt // the width that an earlier daemon has set is not known
	r.reclaimPools(w)
	r.growth.total = r.Sched.Total()
}

func (r *run) dequeue(id executor.ID) {
	for i := r.head; i < len(r.queue); i++ {
		if r.queue[i] == id {
			copy(r.queue[r.head+1:i+1], r.queue[r.head:i])
			r.head++
			return
		}
	}
}

// followed is the message that the executor of a recovered run was found, or not.
type followed struct {
	r    *run
	sess executor.Session
	err  error
}

func (m followed) handle(w *Workspace) {
	r := m.r
	if history.Fault(m.err) {
		r.hold(w, &r.holds.executor, "its executor cannot be followed: "+m.err.Error())
		r.unfound = true
		w.holdTimer.Reset(holdPause)
		return
	}
	r.hold(w, &r.holds.executor, "")
	if m.err != nil {
		w.cfg.Log.Error("the executor of a run is gone", "run", r.ID, "err", m.err)
		r.sess, r.heard = goneSession{}, true
		r.lose(w, executor.Report{Message: m.err.Error()})
		return
	}
	r.sess = m.sess
	w.heed(r)
	r.catchUp(w)
	for _, say := range r.unsaid {
		say()
	}
	r.unsaid = nil
	if r.Phase == runstate.Stopping {
		r.sess.Stop(r.live(), r.Grace())
	}
	r.stopExpired()
	r.requeue(w)
	r.resubmit()
	r.setTimer(w, r.Sched.NextTick())
	w.tellCaller(r)
}

// goneSession replaces an executor that could not be found again.
type goneSession struct{}

func (goneSession) Start([]executor.Job) error           { return errors.New("the executor is gone") }
func (goneSession) Gates() bool                          { return false }
func (goneSession) SetWidth(int)                         {}
func (goneSession) Stop([]executor.ID, time.Duration)    {}
func (goneSession) Close(context.Context) ([]int, error) { return nil, nil }
func (goneSession) Retry()                               {}
func (goneSession) Detach()                              {}

// resubmit hands over again what was dispatched and not reported started. The executor ignores jobs that it has.
func (r *run) resubmit() {
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

// giveUp records the end of a run that cannot be continued.
func (w *Workspace) giveUp(n int, why error) {
	end := clock.Now()
	res := history.Result{Result: string(api.ResFailed), Ended: end, Problem: "it could not be taken up after a restart: " + why.Error()}
	if past, err := w.store.Load(n); err == nil {
		res.Started, res.DurationMS = past.Request.Time, clock.Milliseconds(past.Request.Time, end)
	}
	if err := w.store.Settle(n, res); err != nil {
		w.cfg.Log.Error("a run cannot be settled", "run", n, "err", err)
	}
	if w.latest == nil {
		w.latest = w.Reader.Summary(n)
	}
	if !w.store.Bare(n, runstate.PriorFile, workfile.StatusesName) {
		w.endExecutor(n)
	}
}

// endExecutor ends the runner and the commands of a run that is given up. What it cannot end now, Tidy ends later.
func (w *Workspace) endExecutor(n int) {
	w.loop.Run(func() {
		sess, err := w.cfg.Executor.Open(context.Background(), executor.Spec{
			Dir: w.store.Dir(n), Cwd: "/", Report: func([]executor.Report) {},
		})
		if err != nil {
			w.cfg.Log.Warn("the executor of a run that was given up is not there", "run", n, "err", err)
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		defer context.AfterFunc(ctx, sess.Detach)()
		w.loop.Run(func() {
			select {
			case <-w.loop.Ending():
				cancel()
			case <-ctx.Done():
			}
		})
		if survivors, err := sess.Close(ctx); err != nil || len(survivors) > 0 {
			w.cfg.Log.Warn("a run that was given up did not end in order", "run", n, "survivors", survivors, "err", err)
		}
	})
}

// stopExpired stops again the executions whose time was up before the recovery.
func (r *run) stopExpired() {
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
