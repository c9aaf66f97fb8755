package activerun

import (
	"time"

	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// clocksNow returns a reading for the journal.
func clocksNow(by time.Duration) *history.Clocks {
	boot, up := clock.SinceBoot()
	return &history.Clocks{Boot: boot, UpNS: int64(up), ByNS: int64(by)}
}

// SetClock moves a run that is going to the new time of the machine.
func (r *Run) SetClock(at time.Time, by time.Duration) {
	if r.journal.hist == nil || r.sess == nil || r.Phase != runstate.Going && r.Phase != runstate.Stopping {
		return
	}
	r.commit(history.Record{Type: history.RecordClock, Time: at, Node: history.NoNode, Clocks: clocksNow(by)})
}

// catchUp does the same for changes of the clock while there was no daemon. The run's executor has been found.
func (r *Run) catchUp() {
	by := r.SetSince()
	if r.Clock = (history.Record{}); by == 0 || r.Phase == runstate.Ended || r.Phase == runstate.Complete {
		return
	}
	r.host.Log.Warn("the clock of the machine was set while no daemon was there", "run", r.ID, "by", by)
	r.SetClock(clock.Now(), by)
}
