package workspace

import (
	"wf/workspace/activerun"
	"wf/workspace/history"
	"wf/workspace/loop"
)

// A run is held while starting more would do harm: the executor has no disk space or no processes left, or the journal cannot
// be written. Running commands go on, nothing is lost, and the failed operation is repeated until it works.

// repeats are operations that have failed and are repeated.
type repeats struct {
	holdTimer *loop.Timer
	unbegun   []int // runs that could not start and are still to be removed
	untaken   []int // runs of an earlier daemon whose records cannot be read at present
}

// tryAgain repeats what failed: the rest of the turn does it.
func (w *Workspace) tryAgain() {
	for _, r := range w.runs {
		r.Retry()
	}
	w.takeUpAgain()
	w.tryHeld()
	unbegun := w.unbegun
	w.unbegun = nil
	for _, n := range unbegun {
		loop.Go(w.loop, func() error { return w.withdraw(n) }, func(err error) { w.withdrawn(n, err) })
	}
}

// withdraw removes the folder of a run that never started. It is called on a helper, or before the loop starts.
func (w *Workspace) withdraw(n int) error {
	w.creating <- struct{}{}
	defer func() { <-w.creating }()
	return w.store.Withdraw(n)
}

// withdrawn has the folder of a run that never started removed later, if err says that this has failed.
func (w *Workspace) withdrawn(n int, err error) {
	if err != nil {
		w.cfg.Log.Warn("the folder of a run that never began cannot be removed yet", "run", n, "err", err)
		w.unbegun = append(w.unbegun, n)
		w.holdTimer.Reset(activerun.HoldPause)
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
func (w *Workspace) takeUpLater(n int, err error) {
	w.untaken = append(w.untaken, n)
	w.holdTimer.Reset(activerun.HoldPause)
	w.file.Trouble("run " + history.RunID(n) + " cannot be taken up yet: " + err.Error())
}

func (w *Workspace) takeUpAgain() {
	if len(w.untaken) == 0 {
		return
	}
	again := w.untaken
	w.untaken = nil
	for _, n := range again {
		w.takeUp(n)
	}
	if len(w.untaken) == 0 {
		w.file.Recovered()
	}
}
