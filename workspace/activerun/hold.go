package activerun

import (
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/clock"
)

// HoldPause is the time between two attempts. Tests shorten it.
var HoldPause = 2 * time.Second

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

func (r *Run) HeldBy() string { return r.holds.why() }

// hold sets or clears (why == "") a reason, and publishes the change.
func (r *Run) hold(reason *string, why string) {
	before := r.holds.why()
	*reason = why
	now := r.holds.why()
	if before == now {
		return
	}
	if now == "" {
		r.host.Log.Info("a run goes on", "run", r.ID)
	} else {
		r.host.Log.Warn("a run is held", "run", r.ID, "why", now)
	}
	r.host.Out.Publish(api.Event{Type: api.RunHeld, Run: r.ID, Message: now})
}

// notRecorded holds the run until what cannot be written now has been written.
func (r *Run) notRecorded(what string, err error) {
	r.completing = false
	r.holds.till = time.Now().Add(HoldPause)
	r.host.RetryLater()
	r.hold(&r.holds.journal, what+" cannot be recorded: "+err.Error())
}

// recallUnhanded takes back executions that were not handed over yet. It returns the others.
func (r *Run) recallUnhanded(ids []executor.ID) (handed []executor.ID) {
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
func (r *Run) withdrawRecalled() {
	for len(r.recalled) > 0 {
		id := r.recalled[0]
		r.recalled = r.recalled[1:]
		r.finish(executor.Report{Kind: executor.Ended, ID: id, Time: clock.Now(), Exit: executor.Exit{Stopped: true}})
	}
}
