package activerun

import (
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/clock"
)

// DefaultHoldPause is the usual Host.HoldPause.
const DefaultHoldPause = 2 * time.Second

// holds contains the reasons why a run is held.
type holds struct {
	executor string // as reported by the executor; "" if it is not held
	journal  string // why records cannot be written; "" if they can
	till     time.Time
}

func (h *holds) why() string {
	if h.journal != "" {
		return h.journal
	}
	return h.executor
}

func (jo *journal) HeldBy() string { return jo.holds.why() }

// hold sets *reason to why, or clears it if why is "", and publishes the change.
func (jo *journal) hold(reason *string, why string) {
	before := jo.holds.why()
	*reason = why
	now := jo.holds.why()
	if before == now {
		return
	}
	if now == "" {
		jo.run.host.Log.Info("a run continues", "run", jo.run.ID)
		jo.run.host.Loop.Wake() // to hand over the jobs that waited
	} else {
		jo.run.host.Log.Warn("a run is held", "run", jo.run.ID, "why", now)
	}
	jo.run.host.Out.Publish(api.Event{Type: api.RunHeld, Run: jo.run.ID, Message: now})
}

// notRecorded holds the run until a failed write succeeds. what names the records that could not be written.
func (jo *journal) notRecorded(what string, err error) {
	jo.run.ending.completing = false
	jo.holds.till = time.Now().Add(jo.run.host.HoldPause)
	jo.run.host.RetryLater()
	jo.hold(&jo.holds.journal, what+" cannot be recorded: "+err.Error())
}

// recallUnhanded cancels those of the executions that were not handed over yet. It returns the others.
func (dp *dispatcher) recallUnhanded(ids []executor.ID) (handed []executor.ID) {
	if len(dp.unhanded) == 0 {
		return ids
	}
	for _, id := range ids {
		at := -1
		for i, j := range dp.unhanded {
			if j.ID == id {
				at = i
			}
		}
		if at < 0 {
			handed = append(handed, id)
			continue
		}
		dp.unhanded = append(dp.unhanded[:at], dp.unhanded[at+1:]...)
		dp.recalled = append(dp.recalled, id)
	}
	return handed
}

// withdrawRecalled ends the recalled executions as if the executor had stopped them.
func (dp *dispatcher) withdrawRecalled() {
	for len(dp.recalled) > 0 {
		id := dp.recalled[0]
		dp.recalled = dp.recalled[1:]
		dp.run.finish(executor.Report{Kind: executor.Ended, ID: id, Time: clock.Now(), Exit: executor.Exit{Stopped: true}})
	}
}
