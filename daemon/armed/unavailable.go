package armed

import (
	"errors"
	"time"

	"wf/trigger"
	"wf/workspace/clock"
)

// An UnavailableError says that a workfile cannot be opened at present: it is gone, its disk is not mounted, or another machine
// uses it. Its text is that of Err.
type UnavailableError struct{ Err error }

func (e *UnavailableError) Error() string { return e.Err.Error() }
func (e *UnavailableError) Unwrap() error { return e.Err }

// unavailablePause is the time between attempts to open such a workfile.
const unavailablePause = 15 * time.Second

// postpone tries a start again later whose workfile cannot be opened, if its trigger makes up for missed instants, or if it is not
// known whether its run has begun. It returns false if the start is over.
func (k *Keeper) postpone(s *start, err error) bool {
	e := k.entries[s.entry.ID]
	var away *UnavailableError
	if e == nil || !errors.As(err, &away) || !s.patient(clock.Now()) {
		return false
	}
	e.unsettled, e.settleAt = true, clock.Now().Add(unavailablePause)
	if problem := text(away.Err); e.problem != problem {
		k.cfg.Log.Warn("a trigger waits for its workfile", "workfile", s.entry.Workfile, "trigger", s.record.Line, "err", away.Err)
		e.problem = problem
	}
	return true
}

// patient reports whether a start is worth another attempt.
func (s *start) patient(now time.Time) bool {
	switch {
	case s.record.ByHand || s.tooLate(now) != "":
		return false
	case s.again || s.record.After > 0 || s.trigger.Catchup == trigger.CatchupAll:
		return !s.superseded(now)
	}
	return s.trigger.Catchup == trigger.CatchupLatest && !s.superseded(now)
}

// superseded reports whether a later instant is due, which is started instead with catchup=latest.
func (s *start) superseded(now time.Time) bool {
	if s.trigger.Catchup != trigger.CatchupLatest || s.trigger.Schedule == nil {
		return false
	}
	next := s.trigger.Schedule.Next(s.record.Instant)
	return !next.IsZero() && !next.Add(s.trigger.Delay).After(now)
}
