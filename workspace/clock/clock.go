// Package clock provides the time of records, events and timers: the wall clock, and two clocks that reveal whether the wall
// clock was set. The packages of a workspace use it instead of package time. Tests replace its clocks. It makes no decisions
// about runs.
package clock

import (
	"time"

	"wf/executor/proc"
)

// Tests replace these: the wall clock, a monotonic clock that stops while the machine sleeps, and the time since boot, which
// includes sleep.
var (
	Wall      = time.Now
	Process   = func() time.Duration { return time.Since(processStarted) }
	SinceBoot = proc.UpTime
)

var processStarted = time.Now()

// slack is the tolerated difference between two clocks, because they are not read at the same moment.
const slack = 2 * time.Second

// Now returns the time for events and records: UTC, without a monotonic part.
func Now() time.Time { return Wall().UTC().Round(0) }

// Agree reports whether two clocks measured the same duration, apart from slack.
func Agree(a, b time.Duration) bool { return (a - b).Abs() < slack }

// A Watch detects changes of the wall clock. The zero value is ready for use.
type Watch struct {
	wall      time.Time // the latest reading
	process   time.Duration
	sinceBoot time.Duration
}

// Set returns the present time, and how far the wall clock was set since the previous call; 0 for the first call. Time in
// which the machine sleeps is no change. Most calls read only two clocks.
func (w *Watch) Set() (now time.Time, by time.Duration) {
	wall, process := Now(), Process()
	first := w.wall.IsZero()
	if !first && Agree(wall.Sub(w.wall), process-w.process) {
		return wall, 0
	}
	_, up := SinceBoot()
	if by = wall.Sub(w.wall) - (up - w.sinceBoot); first || Agree(by, 0) {
		by = 0
	}
	*w = Watch{wall, process, up}
	return wall, by
}

// Shift adds a duration to a time. It returns the zero time unchanged.
func Shift(t time.Time, by time.Duration) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(by)
}

// Milliseconds returns the time between two times, or 0 if the clock was set back in between.
func Milliseconds(from, to time.Time) int64 { return max(0, to.Sub(from)).Milliseconds() }
