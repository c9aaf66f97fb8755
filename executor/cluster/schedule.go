package cluster

import (
	"slices"
	"time"
)

// A schedule decides when the next look comes, and whether it asks the batch system:
//
//   - A look comes Timing.Poll after the last one: sooner if early was called, at once if there was more than one look fetches.
//   - The batch system is asked at most every Timing.Poll, and then only if something has changed there. While nothing changes, or
//     it does not answer, the time between two questions doubles up to Timing.Slowest.
//   - If a look has no answer although it did not ask, the cluster cannot be reached: the time until the next look doubles up to
//     Timing.Slowest. The first look after the next answer asks.
//
// Its caller has the clock.
type schedule struct {
	timing   Timing
	due      time.Time // of the next look
	interval time.Duration
	asked    time.Time     // when the batch system was asked last
	states   []State       // what it answered last
	failed   bool          // since the last answer of the batch system, a look had no answer
	away     bool          // the cluster cannot be reached
	pause    time.Duration // until the next look, if it cannot be reached
}

func newSchedule(timing Timing, now time.Time) *schedule {
	return &schedule{timing: timing, due: now, interval: timing.Poll, pause: timing.Poll}
}

// asks reports whether a look that begins now asks the batch system. hurry says that something has changed there.
func (s *schedule) asks(now time.Time, hurry bool) bool {
	since := now.Sub(s.asked)
	return since >= s.interval || hurry && !s.failed && since >= s.timing.Poll
}

// early makes the next look come soon, unless the cluster cannot be reached.
func (s *schedule) early(now time.Time) {
	if soon := now.Add(s.timing.Soon); !s.away && soon.Before(s.due) {
		s.due = soon
	}
}

// skip postpones a look that is due while no session needs one.
func (s *schedule) skip(now time.Time) { s.due = now.Add(s.timing.Poll) }

// An outcome is how a look has gone.
type outcome struct {
	began, ended time.Time
	hurry        bool // as for asks
	asked        bool
	states       []State // what the batch system answered
	more         bool    // there is more than this look has fetched
	err          error
}

// looked plans the next look after this one.
func (s *schedule) looked(l outcome) {
	pause := s.timing.Poll
	s.away = l.err != nil && !l.asked
	switch {
	case s.away:
		s.pause = s.longer(s.pause)
		pause = s.pause
	case l.err != nil: // if only the batch system does not answer, the next looks find news nevertheless
		s.asked, s.interval = l.ended, s.longer(s.interval)
	case l.asked && (l.hurry || s.failed || !slices.Equal(l.states, s.states)):
		s.asked, s.interval, s.states = l.began, s.timing.Poll, l.states
	case l.asked:
		s.asked, s.interval = l.began, s.longer(s.interval)
	case s.failed:
		s.interval = 0 // the cluster is reached again
	case l.hurry:
		pause = min(pause, max(s.timing.Poll-l.began.Sub(s.asked), s.timing.Soon)) // when it may be asked again
	}
	if l.err == nil {
		s.pause = s.timing.Poll
	}
	if l.err == nil && l.more {
		pause = 0
	}
	s.failed = l.err != nil || s.failed && !l.asked
	s.due = l.ended.Add(pause)
}

func (s *schedule) longer(d time.Duration) time.Duration {
	return min(max(2*d, s.timing.Poll), s.timing.Slowest)
}
