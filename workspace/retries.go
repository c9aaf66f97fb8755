package workspace

import (
	"wf/workspace/history"
	"wf/workspace/loop"
)

// A run is held while starting more would do harm: the executor has no disk space or no processes left, or the journal cannot
// be written. Running commands go on, nothing is lost, and the failed operation is repeated until it works.

// retries are operations that have failed and are repeated.
type retries struct {
	w         *Workspace
	holdTimer *loop.Timer
	unbegun   []int // runs that could not start and are still to be removed
	untaken   []int // runs of an earlier daemon whose records cannot be read at present
}

// tryAgain repeats what failed: the rest of the turn does it.
func (rp *retries) tryAgain() {
	for _, r := range rp.w.runs {
		r.Retry()
	}
	rp.takeUpAgain()
	rp.w.quarantine.attemptAgain()
	unbegun := rp.unbegun
	rp.unbegun = nil
	for _, n := range unbegun {
		loop.Go(rp.w.loop, func() error { return rp.withdraw(n) }, func(err error) { rp.withdrawn(n, err) })
	}
}

// withdraw removes the folder of a run that never started. It is called on a helper, or before the loop starts.
func (rp *retries) withdraw(n int) error {
	rp.w.preparer.creating <- struct{}{}
	defer func() { <-rp.w.preparer.creating }()
	return rp.w.store.Withdraw(n)
}

// withdrawn has the folder of a run that never started removed later, if err says that this has failed.
func (rp *retries) withdrawn(n int, err error) {
	if err != nil {
		rp.w.cfg.Log.Warn("the folder of a run that never began cannot be removed yet", "run", n, "err", err)
		rp.unbegun = append(rp.unbegun, n)
		rp.holdTimer.Reset(rp.w.host.HoldPause)
	}
}

// retryHeld makes held executors try again at once, because a user has come to look.
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

// takeUpLater remembers a run of an earlier daemon whose records cannot be read at present, for example because the disk
// fails. No other run starts until they can: that run may be going.
func (rp *retries) takeUpLater(n int, err error) {
	rp.untaken = append(rp.untaken, n)
	rp.holdTimer.Reset(rp.w.host.HoldPause)
	rp.w.file.Trouble("run " + history.RunID(n) + " cannot be taken up yet: " + err.Error())
}

func (rp *retries) takeUpAgain() {
	if len(rp.untaken) == 0 {
		return
	}
	again := rp.untaken
	rp.untaken = nil
	for _, n := range again {
		rp.takeUp(n)
	}
	if len(rp.untaken) == 0 {
		rp.w.file.Recovered()
	}
}
