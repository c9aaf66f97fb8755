package workspace

import (
	"context"
	"errors"

	"wf/api"
	"wf/executor"
	"wf/workspace/activerun"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/runstate"
	"wf/workspace/workfile"
)

// A run that an earlier daemon left unfinished is recovered by applying its journal. Then the daemon connects to the run's
// executor again. The executor repeats its reports; those that the journal already contains are skipped.

// recoverRun recovers run n. A run that cannot be continued is ended, with the reason in its result. recoverRun reads the journal
// and may write a result, so it is called before the loop starts, with two exceptions: when a quarantine ends, and when an
// earlier attempt failed because of the disk. In both cases no other run may start before, so the loop may wait for the
// disk.
func (rp *retries) recoverRun(n int) {
	r, err := activerun.Recover(rp.w.host, n)
	if history.Fault(err) {
		rp.w.cfg.Log.Warn("a run cannot be taken up yet", "run", n, "err", err)
		rp.postponeRecovery(n, err)
		return
	}
	if errors.Is(err, activerun.ErrNotStarted) {
		rp.withdrawn(n, rp.withdraw(n))
		return
	}
	if err != nil {
		rp.w.cfg.Log.Error("a run cannot be taken up", "run", n, "err", err)
		rp.giveUp(n, err)
		return
	}
	rp.w.addRun(r)
	r.Follow()
}

// giveUp records the end of a run that cannot be continued.
func (rp *retries) giveUp(n int, why error) {
	end := clock.Now()
	res := history.Result{Result: string(api.ResFailed), Ended: end, Problem: "it could not be taken up after a restart: " + why.Error()}
	if past, err := rp.w.store.Load(n); err == nil {
		res.Started, res.DurationMS = past.Request.Time, clock.Milliseconds(past.Request.Time, end)
		activerun.TellEnd(rp.w.host, past.Request, res, nil, nil)
	}
	if err := rp.w.store.Settle(n, res); err != nil {
		rp.w.cfg.Log.Error("a run cannot be settled", "run", n, "err", err)
	}
	if rp.w.presence.latest == nil {
		rp.w.presence.latest = rp.w.Reader.Summary(n)
	}
	if !rp.w.store.Bare(n, runstate.PriorFile, workfile.StatusesName) {
		rp.endExecutor(n)
	}
}

// endExecutor ends the runner and the commands of a run that cannot be continued. What it cannot end now, Tidy ends later.
func (rp *retries) endExecutor(n int) {
	rp.w.loop.Run(func() {
		sess, err := rp.w.cfg.Executor.Open(context.Background(), executor.Spec{
			Dir: rp.w.store.Dir(n), Cwd: "/", Report: func([]executor.Report) {},
		})
		if err != nil {
			rp.w.cfg.Log.Warn("the executor of a run that was given up is not there", "run", n, "err", err)
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		defer context.AfterFunc(ctx, sess.Detach)()
		rp.w.loop.Run(func() {
			select {
			case <-rp.w.loop.Ending():
				cancel()
			case <-ctx.Done():
			}
		})
		if survivors, err := sess.Close(ctx); err != nil || len(survivors) > 0 {
			rp.w.cfg.Log.Warn("a run that was given up did not end in order", "run", n, "survivors", survivors, "err", err)
		}
	})
}
