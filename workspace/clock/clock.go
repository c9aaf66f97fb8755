// Package clock is the time of records, events and timers: the wall clock, and two clocks that tell whether the wall clock
// was set. Tests replace them. It decides nothing about runs.
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

// slack is how far two clocks may part: they are not read at the same moment.
const slack = 2 * time.Second

// Now returns the time for events and records: UTC, without a monotonic part.
func Now() time.Time { return Wall().UTC().Round(0) }

// Agree reports whether two clocks have measured the same duration.
func Agree(a, b time.Duration) bool { return (a - b).Abs() < slack }

// A Watch notices that the wall clock was set. The zero value is ready for use.
type Watch struct {
	wall      time.Time // the latest reading
	process   time.Duration
	sinceBoot time.Duration
}

// Set returns the present time, and how far the wall clock was set since the call before; 0 for the first call. Sleep of the
// machine does not count. Most calls read only two clocks.
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

// Shift moves a time by a duration; the zero time stays.
func Shift(t time.Time, by time.Duration) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(by)
}

// Milliseconds returns the time between two moments, 0 if the clock was set back between them.
func Milliseconds(from, to time.Time) int64 { return max(0, to.Sub(from)).Milliseconds() }
