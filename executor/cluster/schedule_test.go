package cluster

import (
	"errors"
	"testing"
	"time"
)

// TestSchedule plays looks with a clock that goes from one to the next. A look takes no time.
func TestSchedule(t *testing.T) {
	const poll, soon = 2 * time.Second, 300 * time.Millisecond
	type step struct {
		early time.Duration // after the look before, early is called; 0 = it is not
		outcome
		asks bool          // the look asks
		due  time.Duration // the next one is due so long after it
	}
	silent := errors.New("no answer")
	news := func(asks bool, due time.Duration) step { return step{asks: asks, due: due} }
	fails := func(asks bool, due time.Duration) step {
		return step{outcome: outcome{err: silent}, asks: asks, due: due}
	}
	hurried := step{outcome: outcome{hurry: true}, asks: true, due: poll}
	for name, steps := range map[string][]step{
		"questions become rare": {news(true, poll), news(false, poll), news(true, poll), news(false, poll), news(false, poll), news(false, poll), news(true, poll)},
		"something changes":     {news(true, poll), hurried, hurried, news(true, poll), news(false, poll), news(true, poll)},
		"other states": {news(true, poll), {outcome: outcome{states: []State{{}}}, due: poll}, {outcome: outcome{states: []State{{}}}, asks: true, due: poll},
			{outcome: outcome{states: []State{{}}}, asks: true, due: poll}, news(false, poll)},
		"more to fetch":         {{outcome: outcome{more: true}, asks: true, due: 0}, {outcome: outcome{more: true}, due: 0}, news(false, poll)},
		"early":                 {news(true, poll), {early: time.Second, due: poll}},
		"early, and too soon":   {news(true, poll), {early: time.Second, outcome: outcome{hurry: true}, due: 700 * time.Millisecond}, hurried},
		"too late for early":    {news(true, poll), {early: 1900 * time.Millisecond, due: poll}},
		"only the batch system": {fails(true, poll), news(false, poll), news(true, poll), news(true, poll), news(false, poll)},
		"not reached": {fails(true, poll), fails(false, 2*poll), {early: time.Second, outcome: outcome{err: silent}, asks: true, due: poll}, fails(false, 4*poll),
			fails(true, poll), fails(false, 8*poll)},
		"reached again":                 {fails(true, poll), fails(false, 2*poll), fails(true, poll), news(false, poll), news(true, poll), news(true, poll), news(false, poll)},
		"a change while it is silent":   {fails(true, poll), {outcome: outcome{hurry: true}, due: poll}, hurried},
		"no answer with more to fetch":  {{outcome: outcome{more: true, err: silent}, asks: true, due: poll}},
		"the wait for it has its limit": {fails(true, poll), fails(false, 2*poll), fails(true, poll), fails(false, 4*poll), fails(true, poll), fails(false, 8*poll), fails(true, poll), fails(false, 15*poll)},
	} {
		now := time.Unix(1e9, 0)
		s := newSchedule(Timing{}.withDefaults(), now)
		for i, c := range steps {
			if c.early > 0 {
				last := now
				s.early(last.Add(c.early))
				if want := min(c.early+soon, poll); !s.away && s.due.Sub(last) > want {
					t.Errorf("%s: step %d begins %v after the one before, not %v", name, i, s.due.Sub(last), want)
				}
			}
			now = s.due
			c.began, c.ended = now, now
			if c.asked = s.asks(now, c.hurry); c.asked != c.asks {
				t.Errorf("%s: step %d asks: %v", name, i, c.asked)
			}
			s.looked(c.outcome)
			if got := s.due.Sub(now); got != c.due {
				t.Errorf("%s: the step after %d comes after %v, not %v", name, i, got, c.due)
			}
		}
	}
}
