package workspace

import (
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/loop"
)

// A run is held while starting more would do harm: the executor has no disk space or no processes left, or the journal cannot
// be written. Running commands go on, nothing is lost, and the failed operation is repeated until it works.

// holdPause is the time between two attempts. Tests shorten it.
var holdPause = 2 * time.Second

// holds are the reasons why a run is held.
type holds struct {
	executor string // reported by the executor; "" for none
	journal  string // why records cannot be written; "" for none
	till     time.Time
}

func (h *holds) why() string {
	if h.journal != "" {
		return h.journal
	}
	return h.executor
}

func (r *run) HeldBy() string { return r.holds.why() }

// repeats are operations that have failed and are repeated.
type repeats struct {
	holdTimer *loop.Timer
	unbegun   []int // runs that could not start and are still to be removed
	untaken   []int // runs of an earlier daemon whose records cannot be read at present
}

// hold sets or clears (why == "") a reason, and publishes the change.
func (r *run) hold(w *Workspace, reason *string, why string) {
	before := r.holds.why()
	*reason = why
	now := r.holds.why()
	if before == now {
		return
	}
	if now == "" {
		w.cfg.Log.Info("a run goes on", "run", r.ID)
	} else {
		w.cfg.Log.Warn("a run is held", "run", r.ID, "why", now)
	}
	w.out.Publish(api.Event{Type: api.RunHeld, Run: r.ID, Message: now})
}

// notRecorded holds the run until what cannot be written now has been written.
func (r *run) notRecorded(w *Workspace, what string, err error) {
	r.completing = false
	r.holds.till = time.Now().Add(holdPause)
	w.holdTimer.Reset(holdPause)
	r.hold(w, &r.holds.journal, what+" cannot be recorded: "+err.Error())
}

// tryAgain repeats what failed: the rest of the turn does it.
func (w *Workspace) tryAgain() {
	for _, r := range w.runs {
		r.holds.till = time.Time{}
		if r.unfound {
			r.unfound = false
			w.findExecutor(r)
		}
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
		w.holdTimer.Reset(holdPause)
	}
}

// retryHeld makes held executors try again at once, because a user has come to look.
func (w *Workspace) retryHeld() {
	for _, r := range w.runs {
		if r.holds.executor != "" && r.sess != nil {
			r.sess.Retry()
		}
	}
}

// recallUnhanded takes back executions that were not handed over yet. It returns the others.
func (r *run) recallUnhanded(ids []executor.ID) (handed []executor.ID) {
	if len(r.unhanded) == 0 {
		return ids
	}
	for _, id := range ids {
		at := -1
		for i, j := range r.unhanded {
			if j.ID == id {
				at = i
			}
		}
		if at < 0 {
			handed = append(handed, id)
			continue
		}
		r.unhanded = append(r.unhanded[:at], r.unhanded[at+1:]...)
		r.recalled = append(r.recalled, id)
	}
	return handed
}

// withdrawRecalled ends those as an executor would.
func (r *run) withdrawRecalled(w *Workspace) {
	for len(r.recalled) > 0 {
		id := r.recalled[0]
		r.recalled = r.recalled[1:]
		r.finish(w, executor.Report{Kind: executor.Ended, ID: id, Time: clock.Now(), Exit: executor.Exit{Stopped: true}})
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
	w.holdTimer.Reset(holdPause)
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
