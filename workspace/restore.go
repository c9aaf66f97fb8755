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

// A run that an earlier daemon left going is recovered by applying its journal. Then its executor is found and followed again. It
// repeats its reports, and those that the journal contains already are skipped.

// takeUp recovers run n. One that cannot be continued is ended, with the reason in its result. This reads the journal and may write
// a result. It is done before the loop starts, with two exceptions: a quarantine ends, or an earlier attempt has failed because of
// the disk. Until then no other run may start, so the loop may wait for the disk.
func (w *Workspace) takeUp(n int) {
	r, err := activerun.Recover(w.host, n)
	if history.Fault(err) {
		w.cfg.Log.Warn("a run cannot be taken up yet", "run", n, "err", err)
		w.takeUpLater(n, err)
		return
	}
	if errors.Is(err, activerun.ErrNotStarted) {
		w.withdrawn(n, w.withdraw(n))
		return
	}
	if err != nil {
		w.cfg.Log.Error("a run cannot be taken up", "run", n, "err", err)
		w.giveUp(n, err)
		return
	}
	w.addRun(r)
	r.Follow()
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
