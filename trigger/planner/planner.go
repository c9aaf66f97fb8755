// Package planner decides which instants of a trigger start a run, which are skipped, and when to look again. It is a
// function of what was decided before and of the time: it reads no clock and no file.
package planner

import (
	"hash/fnv"
	"slices"
	"time"

	"wf/trigger"
	"wf/trigger/schedule"
)

// Tolerance is how late a run may start and still count as on time: the daemon may be restarted, or the machine busy, at
// the instant. A later one is missed, and the word of catchup decides.
const Tolerance = 30 * time.Second

// MostCatchup bounds the number of missed instants that catchup=all starts.
const MostCatchup = 1000

// forgetCursor is how far the clock must be set back until instants that were decided count as not decided. Below it, an
// instant that comes again is not started again.
const forgetCursor = 25 * time.Hour

// A Trigger is what the decision depends on besides the state.
type Trigger struct {
	Schedule schedule.Schedule
	Catchup  trigger.Catchup
	Window   time.Duration // 0 = trigger.DefaultWindow
	Delay    time.Duration // of each start after its instant: see Delay
	Limit    trigger.Limit
}

// Of returns the trigger of a line. id identifies the trigger among all of the user, for its delay.
func Of(t trigger.Trigger, s schedule.Schedule, id string) Trigger {
	return Trigger{Schedule: s, Catchup: t.Catchup, Window: t.Window, Delay: Delay(id, t.Jitter), Limit: t.Limit}
}

// Delay returns the delay of a trigger with jitter: a time below jitter that is always the same for an id, so that the
// order of the instants is kept.
func Delay(id string, jitter time.Duration) time.Duration {
	if jitter <= 0 {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	x := h.Sum64() // the last bytes hardly change the upper bits of FNV
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return time.Duration(x % uint64(jitter)).Truncate(time.Millisecond)
}

// State is what was decided before.
type State struct {
	// Cursor is the latest instant that was decided, at first the time of arming. All instants up to it are decided.
	Cursor time.Time
	// Starts are the times of the latest starts, the oldest first, at least as many as the limit has.
	Starts []time.Time
}

// Reasons for which instants are skipped.
const (
	Missed  = "missed"  // catchup=none, or a later one is started instead
	TooOld  = "too old" // outside catchup_window, or too many
	Limited = "over the limit"
)

// A Skip is a number of consecutive instants that start no run.
type Skip struct {
	Until time.Time // the last of them
	Count int       // at most mostCounted
	Why   string
}

// mostCounted bounds the work of counting what was skipped.
const mostCounted = 100_000

// A Decision is what to do now. The caller records it durably before it acts: Cursor becomes that of the State, and Start, if
// not zero, is one of its Starts at the present time.
type Decision struct {
	Skipped []Skip
	Start   time.Time // the instant of the run to start; zero = none
	Late    bool      // it was missed, and is caught up
	Cursor  time.Time // unchanged if nothing is decided
	// Wake is when to decide again, in terms of the wall clock; zero = never. After a start, decide again at once.
	Wake time.Time
	// SetBack is set if the clock was set back so far that the cursor is forgotten.
	SetBack bool
}

// Decide decides about the instants of t up to now, at most one of which starts.
func Decide(t Trigger, s State, now time.Time) (d Decision) {
	d.Cursor = s.Cursor
	if s.Cursor.Sub(now) > forgetCursor {
		d.Cursor, d.SetBack = now, true
	}
	due := now.Add(-t.Delay) // the latest instant whose delay is over
	first := t.Schedule.Next(d.Cursor)
	if first.IsZero() || first.After(due) {
		d.wakeAt(first, t.Delay)
		return d
	}
	if free := t.LimitedUntil(s.Starts, now); !free.IsZero() {
		if t.Catchup != trigger.CatchupNone {
			d.Wake = free
			return d
		}
		d.skip(t, due, Limited)
		return d.then(t)
	}
	switch t.Catchup {
	case trigger.CatchupAll:
		d.skipOld(t, due, now)
		d.Start = t.Schedule.Next(d.Cursor)
		if d.Start.IsZero() || d.Start.After(due) {
			d.Start = time.Time{}
		}
	default:
		last := schedule.Previous(t.Schedule, due.Add(1))
		oldest := now.Add(-t.Delay - Tolerance)
		if t.Catchup == trigger.CatchupLatest {
			oldest = now.Add(-t.Delay - t.window())
		}
		if last.Before(oldest) {
			d.skip(t, due, reason(t.Catchup))
			break
		}
		d.skip(t, last.Add(-1), Missed)
		d.Start = last
	}
	if !d.Start.IsZero() {
		d.Cursor = d.Start
		d.Late = now.Sub(d.Start) > t.Delay+Tolerance
	}
	return d.then(t)
}

// reason is why the last missed instant is skipped.
func reason(c trigger.Catchup) string {
	if c == trigger.CatchupLatest {
		return TooOld
	}
	return Missed
}

func (t Trigger) window() time.Duration {
	if t.Window == 0 {
		return trigger.DefaultWindow
	}
	return t.Window
}

// wakeAt sets the time of the next decision from the next instant.
func (d *Decision) wakeAt(next time.Time, delay time.Duration) {
	if !next.IsZero() {
		d.Wake = next.Add(delay)
	}
}

// then completes a decision with the time of the next one.
func (d Decision) then(t Trigger) Decision {
	d.wakeAt(t.Schedule.Next(d.Cursor), t.Delay)
	return d
}

// skip skips all instants after the cursor up to and including until.
func (d *Decision) skip(t Trigger, until time.Time, why string) {
	sk := Skip{Why: why}
	for at := t.Schedule.Next(d.Cursor); !at.IsZero() && !at.After(until); at = t.Schedule.Next(at) {
		if sk.Count++; sk.Count == mostCounted {
			sk.Until = schedule.Previous(t.Schedule, until.Add(1))
			break
		}
		sk.Until = at
	}
	if sk.Count > 0 {
		d.Skipped, d.Cursor = append(d.Skipped, sk), sk.Until
	}
}

// skipOld skips the instants that catchup=all leaves out: those before the window, and all but the latest MostCatchup.
func (d *Decision) skipOld(t Trigger, due, now time.Time) {
	d.skip(t, now.Add(-t.Delay-t.window()-1), TooOld)
	recent := make([]time.Time, 0, MostCatchup)
	for at := t.Schedule.Next(d.Cursor); !at.IsZero() && !at.After(due); at = t.Schedule.Next(at) {
		if recent = append(recent, at); len(recent) == 2*MostCatchup {
			recent = append(recent[:0], recent[MostCatchup-1:]...) // with one that is skipped
		}
	}
	if n := len(recent); n > MostCatchup {
		d.skip(t, recent[n-MostCatchup-1], TooOld)
	}
}

// LimitedUntil returns when the limit allows another start, or zero if it does now.
func (t Trigger) LimitedUntil(starts []time.Time, now time.Time) time.Time {
	n := t.Limit.Starts
	if n == 0 || len(starts) < n {
		return time.Time{}
	}
	var recent []time.Time // without those that are in the future because the clock was set back
	for _, at := range starts {
		if at.Add(t.Limit.Per).After(now) && !at.After(now) {
			recent = append(recent, at)
		}
	}
	if len(recent) < n {
		return time.Time{}
	}
	slices.SortFunc(recent, time.Time.Compare)
	return recent[len(recent)-n].Add(t.Limit.Per)
}
