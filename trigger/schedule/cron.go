package schedule

import (
	"math/bits"
	"time"
)

// Cron is a schedule in the civil time of a time zone. ParseCron creates it.
type Cron struct {
	minutes, hours, days, months, weekdays uint64 // bit n is set for the value n

	// anyDay and anyWeekday are set for the fields that are *. If neither is set, a day needs to match only one of the two
	// fields, as in POSIX.
	anyDay, anyWeekday bool
	zone               *time.Location
}

// everyHour is the set of all hours. Such a schedule follows the elapsed time, see the package comment.
const everyHour = 1<<24 - 1

// Zone returns the time zone of the schedule.
func (c *Cron) Zone() *time.Location { return c.zone }

// Next implements Schedule. It walks through the periods in which the zone has one offset from UTC. Civil times are
// represented as times in UTC that show the same.
func (c *Cron) Next(t time.Time) time.Time {
	first, last := t.Add(time.Nanosecond), t.Add(horizon)
	for p := c.period(first); ; p = c.period(p.end) {
		handled := p.civil(p.start)
		if c.hours != everyHour {
			handled = c.handledBefore(p)
			if gap := p.civil(p.start); !p.start.Before(first) && c.matches(handled, gap) {
				return p.start
			}
		}
		from := p.civil(first)
		if p.start.After(first) {
			from = p.civil(p.start)
		}
		if from.Before(handled) {
			from = handled
		}
		until := p.civil(last)
		if !p.end.IsZero() && p.end.Before(last) {
			until = p.civil(p.end)
		}
		if at := c.find(from, until); !at.IsZero() {
			return at.Add(-p.offset).In(c.zone)
		}
		if p.end.IsZero() || !p.end.Before(last) {
			return time.Time{}
		}
	}
}

// A period is a time in which a zone has one offset from UTC. start is the earliest time for the first one, end is zero for the
// last one.
type period struct {
	start, end time.Time
	offset     time.Duration
}

// boundless is the part of a period that is used if package time does not know its bounds: in the years that follow the table
// of a zone, ZoneBounds of Go 1.26 is wrong on December 31 of leap years.
const boundless = time.Hour

// civil returns the civil time at t, as if t were in the period.
func (p period) civil(t time.Time) time.Time { return t.UTC().Add(p.offset) }

// period returns the period with t. Neighbouring periods may have the same offset, when only the name of the zone changes.
func (c *Cron) period(t time.Time) period {
	local := t.In(c.zone)
	start, end := local.ZoneBounds()
	if start.IsZero() {
		start = time.Unix(-1<<40, 0)
	}
	if start.After(t) {
		start = t.Add(-boundless)
	}
	if !end.IsZero() && !end.After(t) {
		end = t.Add(boundless)
	}
	_, offset := local.Zone()
	return period{start, end, time.Duration(offset) * time.Second}
}

// longestShift is more than the clocks of a zone are ever set at once: a day, when a place changes the side of the date line.
const longestShift = 50 * time.Hour

// handledBefore returns the civil time up to which earlier periods have handled all minutes. It is after the start of p if p
// repeats minutes, and before it if there is a gap before p.
func (c *Cron) handledBefore(p period) time.Time {
	var most time.Time
	for before := p; before.start.After(p.start.Add(-longestShift)) && before.start.Unix() > -1<<40; {
		end := before.start
		before = c.period(end.Add(-time.Nanosecond))
		if civil := before.civil(end); civil.After(most) {
			most = civil
		}
	}
	if most.IsZero() {
		return p.civil(p.start)
	}
	return most
}

// matches reports whether a civil minute in [from, until) is in the schedule.
func (c *Cron) matches(from, until time.Time) bool { return !c.find(from, until).IsZero() }

// find returns the first civil minute of the schedule in [from, until), or the zero time.
func (c *Cron) find(from, until time.Time) time.Time {
	at := from.Truncate(time.Minute)
	if at.Before(from) {
		at = at.Add(time.Minute)
	}
	for at.Before(until) {
		year, month, day := at.Date()
		if c.months&(1<<month) == 0 {
			at = time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
			continue
		}
		if !c.onDay(at) {
			at = time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC)
			continue
		}
		hour, minute := at.Hour(), at.Minute()
		if c.hours&(1<<hour) != 0 {
			if next := bits.TrailingZeros64(c.minutes >> minute << minute); next < 64 {
				at = time.Date(year, month, day, hour, next, 0, 0, time.UTC)
				break
			}
		}
		at = time.Date(year, month, day, c.hourAfter(hour), 0, 0, 0, time.UTC)
	}
	if !at.Before(until) {
		return time.Time{}
	}
	return at
}

// hourAfter returns the next hour of the schedule on the same day, or 24.
func (c *Cron) hourAfter(hour int) int {
	return min(bits.TrailingZeros64(c.hours>>(hour+1)<<(hour+1)), 24)
}

// onDay reports whether the schedule has minutes on the day of a civil time in one of its months.
func (c *Cron) onDay(at time.Time) bool {
	day, weekday := c.days&(1<<at.Day()) != 0, c.weekdays&(1<<at.Weekday()) != 0
	if c.anyDay || c.anyWeekday {
		return day && weekday // the field that is * has every day
	}
	return day || weekday
}
