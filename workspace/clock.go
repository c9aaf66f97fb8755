package workspace

import (
	"time"

	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// Records, events and the scheduler use the wall clock, because people read these times and the next daemon has no other
// clock in common. The wall clock can be set. The loop compares it with the time since boot; when they part, each run gets
// the difference (scheduler.ClockSet), so that a timeout of ten minutes remains ten minutes. Times in the past are moved, so
// that durations remain the same. Some records contain a reading of both clocks, so that the next daemon of the same boot
// notices what was set while there was none.

// heedClock notices that the wall clock was set. The loop calls it before it handles a message.
func (w *Workspace) heedClock() {
	at, by := w.clock.Set()
	if by == 0 {
		return
	}
	w.cfg.Log.Warn("the clock of the machine was set", "by", by)
	for _, r := range append([]*run(nil), w.runs...) {
		r.clockSet(at, by)
	}
}

// clocksNow returns a reading for the journal.
func clocksNow(by time.Duration) *history.Clocks {
	boot, up := clock.SinceBoot()
	return &history.Clocks{Boot: boot, UpNS: int64(up), ByNS: int64(by)}
}

// clockSet moves a run that is going to the new time of the machine.
func (r *run) clockSet(at time.Time, by time.Duration) {
	if r.hist == nil || r.sess == nil || r.Phase != runstate.Going && r.Phase != runstate.Stopping {
		return
	}
	r.commit(history.Record{Type: history.RecordClock, Time: at, Node: history.NoNode, Clocks: clocksNow(by)})
}

// catchUp does the same for changes of the clock while there was no daemon. The run's executor has been found.
func (r *run) catchUp() {
	by := r.SetSince()
	if r.Clock = (history.Record{}); by == 0 || r.Phase == runstate.Ended || r.Phase == runstate.Complete {
		return
	}
	r.host.log.Warn("the clock of the machine was set while no daemon was there", "run", r.ID, "by", by)
	r.clockSet(clock.Now(), by)
}
