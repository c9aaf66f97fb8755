package workspace

import (
	"slices"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/history"
)

// A run is held while starting more would do harm: its executor has no room or no processes, or its
// journal cannot be written. What runs goes on, nothing is lost, and what could not be done is tried
// again until it works.

// holdPause is the time between two tries. Only tests change it.
var holdPause = 2 * time.Second

// journalRoom is what the journal must have room for, whatever happens to the disk, in bytes: for
// each execution that is going its last records, and for the end of the run.
const (
	journalRoomEach = 600
	journalRoomRest = 4096
)

// holds are the reasons why a run is held.
type holds struct {
	executor string // what the executor says; "" = nothing
	journal  string // why the records cannot be written
	till     time.Time
}

func (h *holds) why() string {
	if h.journal != "" {
		return h.journal
	}
	return h.executor
}

func (r *run) heldBy() string { return r.holds.why() }

// hold notes a reason, or with "" that it is gone, and tells everybody.
func (r *run) hold(w *Workspace, reason *string, why string) {
	before := r.holds.why()
	*reason = why
	now := r.holds.why()
	if before == now {
		return
	}
	if now == "" {
		w.cfg.Log.Info("a run goes on", "run", r.id)
	} else {
		w.cfg.Log.Warn("a run is held", "run", r.id, "why", now)
	}
	w.publish(api.Event{Type: api.RunHeld, Run: r.id, Message: now})
}

// notRecorded holds a run until what of it could not be written down can be.
func (r *run) notRecorded(w *Workspace, what string, err error) {
	r.completing = false
	r.holds.till = time.Now().Add(holdPause)
	w.holdTimer.Reset(holdPause)
	r.hold(w, &r.holds.journal, what+" cannot be recorded: "+err.Error())
}

// tryAgain lets what failed be tried at once: the rest of the turn does it.
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
		w.withdraw(n)
	}
}

// withdraw removes what there is of a run that never began, now or later.
func (w *Workspace) withdraw(n int) {
	if err := w.store.Withdraw(n); err != nil {
		w.cfg.Log.Warn("the folder of a run that never began cannot be removed yet", "run", n, "err", err)
		w.unbegun = append(w.unbegun, n)
		w.holdTimer.Reset(holdPause)
	}
}

// retryHeld makes runs whose executor cannot serve them try again: somebody is looking.
func (w *Workspace) retryHeld() {
	for _, r := range w.runs {
		if r.holds.executor != "" && r.sess != nil {
			r.sess.Retry()
		}
	}
}

// flushJournal writes what was recorded. False: it cannot be at present.
func (r *run) flushJournal(w *Workspace) bool {
	switch {
	case r.hist == nil || r.completing: // the last belongs to a helper by then
		return true
	case r.holds.journal != "" && time.Now().Before(r.holds.till):
		return false
	}
	err := r.hist.Flush()
	if err == nil && r.holds.journal != "" {
		err = r.reserveJournal()
	}
	if err != nil {
		r.notRecorded(w, "what happens in it", err)
		return false
	}
	r.hold(w, &r.holds.journal, "")
	return true
}

// keepNumbers makes the journal durable before an executor gets jobs of new instances. Their numbers depend
// on the order in which things happened: if the machine went down and the journal had lost that, what the
// executor has recorded would be taken for another node's.
func (r *run) keepNumbers(w *Workspace, jobs []executor.Job) bool {
	outer := r.outer()
	if !r.numbered || !slices.ContainsFunc(jobs, func(j executor.Job) bool { return j.ID.Node >= outer }) {
		return true
	}
	if !r.syncJournal(w) {
		return false
	}
	r.numbered = false
	return true
}

// syncJournal is flushJournal that returns when the disk has it.
func (r *run) syncJournal(w *Workspace) bool {
	if !r.flushJournal(w) {
		return false
	}
	if err := r.hist.Sync(); err != nil {
		r.notRecorded(w, "what happens in it", err)
		return false
	}
	return true
}

func (r *run) reserveJournal() error {
	return r.hist.Reserve((r.inflight+len(r.gated)+1)*journalRoomEach + journalRoomRest)
}

// mayTake reports whether more executions can be begun, as far as the journal goes.
func (r *run) mayTake(w *Workspace) bool {
	if r.holds.journal != "" {
		return false
	}
	if err := r.reserveJournal(); err != nil {
		r.notRecorded(w, "what happens in it", err)
		return false
	}
	return true
}

// recallUnhanded takes executions back that are to be stopped and were not handed over yet. It
// returns the others.
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
		r.finish(w, executor.Report{Kind: executor.Ended, ID: id, Time: now(), Exit: executor.Exit{Stopped: true}})
	}
}

// disk is where histories and workfiles lie.
func (w *Workspace) disk() history.Disk {
	if w.cfg.Disk == nil {
		return history.LocalDisk{}
	}
	return w.cfg.Disk
}

// takeUpLater remembers a run of an earlier daemon whose records cannot be read for a reason that
// says nothing about them. Until they can, no other run begins: it may be going.
func (w *Workspace) takeUpLater(n int, err error) {
	w.untaken = append(w.untaken, n)
	w.holdTimer.Reset(holdPause)
	w.trouble("run " + runID(n) + " cannot be taken up yet: " + err.Error())
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
		w.recovered()
	}
}
