// Package schedule computes the instants of schedules: cron expressions in the civil time of a time zone, and fixed
// intervals. It does not read the clock, and it knows nothing about runs.
//
// A cron expression selects minutes of the civil calendar. Each of them becomes one instant:
//
//   - A civil minute that the clocks show once: that instant.
//   - A civil minute in a gap, which the clocks skip (the start of daylight saving): the first instant after the gap.
//     Several such minutes are one instant.
//   - A civil minute that the clocks show twice (the end of daylight saving): the first time only.
//
// A schedule for every hour of the day follows the elapsed time instead: it has instants in both passes of a repeated
// hour, and none for minutes in a gap. Otherwise */5 * * * * would pause for an hour in autumn.
package schedule

import "time"

// A Schedule is a set of instants.
type Schedule interface {
	// Next returns the first instant after t, or the zero time if there is none.
	Next(t time.Time) time.Time
}

// horizon is more than the longest time between two instants of a cron expression: the years from one February 29 to the
// next are eight around 2100.
const horizon = 9 * 366 * 24 * time.Hour

// Previous returns the last instant of s before t, or the zero time if there is none within nine years.
func Previous(s Schedule, t time.Time) time.Time {
	for span := time.Hour; ; span *= 4 {
		span = min(span, horizon)
		at := s.Next(t.Add(-span))
		if at.IsZero() || !at.Before(t) {
			if span == horizon {
				return time.Time{}
			}
			continue
		}
		for {
			next := s.Next(at)
			if next.IsZero() || !next.Before(t) {
				return at
			}
			at = next
		}
	}
}

// Every is a schedule with a fixed interval. Its instants are Anchor plus one Period, two, and so on. Period is positive.
type Every struct {
	Period time.Duration
	Anchor time.Time
}

// Next implements Schedule.
func (e Every) Next(t time.Time) time.Time {
	passed := t.Sub(e.Anchor) // is limited to 292 years, far more than what is asked
	if passed < 0 {
		return e.Anchor.Add(e.Period)
	}
	return e.Anchor.Add(passed - passed%e.Period + e.Period)
}
