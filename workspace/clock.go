package workspace

import (
	"time"

	"wf/workspace/clock"
	"wf/workspace/history"
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
		if r.hist != nil && (r.phase == going || r.phase == stopping) && r.sess != nil {
			r.clockSet(w, at, by)
		}
	}
}

// clocksNow returns a reading for the journal.
func clocksNow(by time.Duration) *history.Clocks {
	boot, up := clock.SinceBoot()
	return &history.Clocks{Boot: boot, UpNS: int64(up), ByNS: int64(by)}
}

// clockSet moves the run to the new time of the machine.
func (r *run) clockSet(w *Workspace, at time.Time, by time.Duration) {
	r.commit(w, history.Record{Type: history.RecordClock, Time: at, Node: history.NoNode, Clocks: clocksNow(by)})
}

// catchUp does the same for changes of the clock while there was no daemon. The run's executor has been found.
func (r *run) catchUp(w *Workspace) {
	by := r.setSince()
	if r.clock = (history.Record{}); by == 0 || r.phase == ended || r.phase == complete {
		return
	}
	w.cfg.Log.Warn("the clock of the machine was set while no daemon was there", "run", r.id, "by", by)
	r.clockSet(w, clock.Now(), by)
}

// setSince returns how far the wall clock was set since the latest reading in the journal, 0 if that is of another boot.
func (r *runState) setSince() time.Duration {
	boot, up := clock.SinceBoot()
	if r.clock.Clocks == nil || r.clock.Clocks.Boot != boot || boot == "" {
		return 0
	}
	by := clock.Now().Sub(r.clock.Time) - (up - time.Duration(r.clock.Clocks.UpNS))
	if clock.Agree(by, 0) {
		return 0
	}
	return by
}

// moveTimes moves all known times of the run by a duration.
func (r *runState) moveTimes(by time.Duration) {
	r.req.Time = r.req.Time.Add(by)
	for i := range r.nodes {
		if rec := r.nodes[i].rec; rec != nil && rec.run == r.n {
			rec.started, rec.ended = clock.Shift(rec.started, by), clock.Shift(rec.ended, by)
		}
	}
	for i, since := range r.since {
		r.since[i] = clock.Shift(since, by)
	}
}
