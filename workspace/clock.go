package workspace

import (
	"time"

	"wf/executor"
	"wf/workspace/history"
)

// Records, events and the scheduler use the wall clock, because people read these times and the next daemon has no other
// clock in common. The wall clock can be set. The loop compares it with the time since boot; when they part, each run gets
// the difference (scheduler.ClockSet), so that a timeout of ten minutes remains ten minutes. Times in the past are moved, so
// that durations remain the same. Some records contain a reading of both clocks, so that the next daemon of the same boot
// notices what was set while there was none.

// clockSlack is how far the clocks may part: they are not read at the same moment.
const clockSlack = 2 * time.Second

// now returns the time for events and records: UTC, without a monotonic part.
func now() time.Time { return wallClock().UTC().Round(0) }

// Tests replace these: the wall clock, a monotonic clock that stops while the machine sleeps, and the time since boot, which
// includes sleep.
var (
	wallClock   = time.Now
	processTime = func() time.Duration { return time.Since(processBegan) }
	upTime      = executor.UpTime
)

var processBegan = time.Now()

// clocks are readings of the three clocks at about the same moment.
type clocks struct {
	wall    time.Time
	process time.Duration
	up      time.Duration
}

// heedClock notices that the wall clock was set. The loop calls it before it handles a message.
func (w *Workspace) heedClock() {
	wall, process := now(), processTime()
	last := &w.clocks
	if last.wall.IsZero() {
		_, up := upTime()
		*last = clocks{wall, process, up}
		return
	}
	if agree(wall.Sub(last.wall), process-last.process) {
		return
	}
	_, up := upTime()
	by := wall.Sub(last.wall) - (up - last.up)
	*last = clocks{wall, process, up}
	if agree(by, 0) {
		return // the machine has slept
	}
	w.cfg.Log.Warn("the clock of the machine was set", "by", by)
	for _, r := range append([]*run(nil), w.runs...) {
		if r.hist != nil && (r.phase == going || r.phase == stopping) && r.sess != nil {
			r.clockSet(w, wall, by)
		}
	}
}

func agree(a, b time.Duration) bool { return (a - b).Abs() < clockSlack }

// clocksNow returns a reading for the journal.
func clocksNow(by time.Duration) *history.Clocks {
	boot, up := upTime()
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
	r.clockSet(w, now(), by)
}

// setSince returns how far the wall clock was set since the latest reading in the journal, 0 if that is of another boot.
func (r *runState) setSince() time.Duration {
	boot, up := upTime()
	if r.clock.Clocks == nil || r.clock.Clocks.Boot != boot || boot == "" {
		return 0
	}
	by := now().Sub(r.clock.Time) - (up - time.Duration(r.clock.Clocks.UpNS))
	if agree(by, 0) {
		return 0
	}
	return by
}

// moveTimes moves all known times of the run by a duration.
func (r *runState) moveTimes(by time.Duration) {
	r.req.Time = r.req.Time.Add(by)
	for i := range r.nodes {
		if rec := r.nodes[i].rec; rec != nil && rec.run == r.n {
			rec.started, rec.ended = moved(rec.started, by), moved(rec.ended, by)
		}
	}
	for i, since := range r.since {
		r.since[i] = moved(since, by)
	}
}

func moved(t time.Time, by time.Duration) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(by)
}

// took returns a duration in milliseconds, 0 if the clock was set back meanwhile.
func took(from, to time.Time) int64 { return max(0, to.Sub(from)).Milliseconds() }
