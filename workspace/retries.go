package workspace

import (
	"wf/workspace/history"
	"wf/workspace/loop"
)

// A run is held while starting more executions would do harm: the executor has no disk space or processes left, or the
// journal cannot be written. Running commands continue, nothing is lost, and the failed operation is repeated until it
// succeeds.

// retries contains failed operations that are repeated.
type retries struct {
	w         *Workspace
	holdTimer *loop.Timer
	unremoved []int // runs that could not start and whose folders are still there
	postponed []int // runs of an earlier daemon that cannot be read at present
}

// tryAgain repeats the failed operations. The loop repeats further ones when it settles.
func (rp *retries) tryAgain() {
	for _, r := range rp.w.runs {
		r.Retry()
	}
	rp.recoverPostponed()
	rp.w.quarantine.attemptAgain()
	unremoved := rp.unremoved
	rp.unremoved = nil
	for _, n := range unremoved {
		loop.Go(rp.w.loop, func() error { return rp.withdraw(n) }, func(err error) { rp.withdrawn(n, err) })
	}
}

// withdraw removes the folder of a run that never started. It is called on a helper, or before the loop starts.
func (rp *retries) withdraw(n int) error {
	rp.w.preparer.creating <- struct{}{}
	defer func() { <-rp.w.preparer.creating }()
	return rp.w.store.Withdraw(n)
}

// withdrawn handles the result of withdraw. After an error it tries again later.
func (rp *retries) withdrawn(n int, err error) {
	if err != nil {
		rp.w.cfg.Log.Warn("the folder of a run that never started cannot be removed yet", "run", n, "err", err)
		rp.unremoved = append(rp.unremoved, n)
		rp.holdTimer.Reset(rp.w.host.HoldPause)
	}
}

// retryHeld makes held executors try again at once. It is called when a user looks at the workspace.
func (w *Workspace) retryHeld() {
	for _, r := range w.runs {
		r.RetryExecutor()
	}
}

// disk returns the file operations for histories and workfiles.
func (w *Workspace) disk() history.Disk {
	if w.cfg.Disk == nil {
		return history.LocalDisk{}
	}
	return w.cfg.Disk
}

// postponeRecovery notes a run of an earlier daemon that cannot be read at present, for example because the disk fails. No other
// run starts until it can be read, because that run may be active.
func (rp *retries) postponeRecovery(n int, err error) {
	rp.postponed = append(rp.postponed, n)
	rp.holdTimer.Reset(rp.w.host.HoldPause)
	rp.w.file.Trouble("run " + history.RunID(n) + " cannot be taken up yet: " + err.Error())
}

func (rp *retries) recoverPostponed() {
	if len(rp.postponed) == 0 {
		return
	}
	again := rp.postponed
	rp.postponed = nil
	for _, n := range again {
		rp.recoverRun(n)
	}
	if len(rp.postponed) == 0 {
		rp.w.file.Recovered()
	}
}
