package activerun

import (
	"time"

	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// clocksNow reads the clocks for a record of the journal. by is how far the wall clock was set.
func clocksNow(by time.Duration) *history.Clocks {
	boot, up := clock.SinceBoot()
	return &history.Clocks{Boot: boot, UpNS: int64(up), ByNS: int64(by)}
}

// SetClock adapts an active run to a new wall clock time.
func (r *Run) SetClock(at time.Time, by time.Duration) {
	if r.journal.hist == nil || r.sess == nil || r.Phase != runstate.Active && r.Phase != runstate.Stopping {
		return
	}
	r.commit(history.Record{Type: history.RecordClock, Time: at, Node: history.NoNode, Clocks: clocksNow(by)})
}

// LookAtClock sets the timers of an active run again: they ran while the clock was set, or stood still while the machine slept.
func (r *Run) LookAtClock() {
	if r.journal.hist == nil || r.sess == nil || r.Phase != runstate.Active {
		return
	}
	r.limitTime()
	r.notices.setLonger()
	r.Tick()
}

// catchUp is SetClock for changes of the clock while no daemon ran. It is called when the run's executor has been found.
func (r *Run) catchUp() {
	by := r.SetSince()
	if r.Clock = (history.Record{}); by == 0 || r.Phase == runstate.Ended || r.Phase == runstate.Complete {
		return
	}
	r.host.Log.Warn("the clock of the machine was set while no daemon was there", "run", r.ID, "by", by)
	r.SetClock(clock.Now(), by)
}
