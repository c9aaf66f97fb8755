package workspace

import (
	"wf/executor/proc"

	"time"

	"wf/workspace/history"
)

// Times of records, events and the scheduler are those of the machine's clock, since people read them and the next
// daemon has no other. That clock can be set. Then the loop notices that it no longer agrees with the time
// since boot, and tells each run the difference (scheduler.ClockSet): a timeout of ten minutes is
// ten minutes all the same. What happened before is put into the new time, so that durations stay what they were.
// The journal says what both clocks were, so that the next daemon notices what was set while there was none. After
// a reboot there is only the machine's clock.

// clockSlack is how much the clocks may differ: they are not read at the same moment.
const clockSlack = 2 * time.Second

// now is the time that events and records carry: UTC, without a monotonic part.
func now() time.Time { return wallClock().UTC().Round(0) }

// Only tests change these: the wall clock, a monotonic clock that stops while the machine sleeps, and the time
// since boot, which includes sleep.
var (
	wallClock   = time.Now
	processTime = func() time.Duration { return time.Since(processBegan) }
	upTime      = proc.UpTime
)

var processBegan = time.Now()

// clocks are readings of the three clocks, at about the same moment.
type clocks struct {
	wall    time.Time
	process time.Duration
	up      time.Duration
}

// heedClock notices that the clock of the machine was set. It is called before anything happens on the loop.
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

// clocksNow is what the journal notes.
func clocksNow(by time.Duration) *history.Clocks {
	boot, up := upTime()
	return &history.Clocks{Boot: boot, UpNS: int64(up), ByNS: int64(by)}
}

// clockSet puts the run into the new time of the machine.
func (r *run) clockSet(w *Workspace, at time.Time, by time.Duration) {
	r.commit(w, history.Record{Type: history.RecordClock, Time: at, Node: history.NoNode, Clocks: clocksNow(by)})
}

// catchUp does the same for what was set while no daemon was there. Its executor has been found.
func (r *run) catchUp(w *Workspace) {
	by := r.setSince()
	if r.clock = (history.Record{}); by == 0 || r.phase == ended || r.phase == complete {
		return
	}
	w.cfg.Log.Warn("the clock of the machine was set while no daemon was there", "run", r.id, "by", by)
	r.clockSet(w, now(), by)
}

// setSince is by how much the clock of the machine was set since the last reading in the journal that is not caught
// up with, if that is of this boot.
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

// moveTimes puts what is known of the run into a time that is ahead by so much.
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
