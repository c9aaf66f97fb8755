package clock

import (
	"testing"
	"time"
)

// fake replaces the three clocks for a test.
type fake struct {
	wall           time.Time
	process, since time.Duration
}

func newFake(t *testing.T) *fake {
	f := &fake{wall: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	wall, process, boot := Wall, Process, SinceBoot
	t.Cleanup(func() { Wall, Process, SinceBoot = wall, process, boot })
	Wall = func() time.Time { return f.wall }
	Process = func() time.Duration { return f.process }
	SinceBoot = func() (string, time.Duration) { return "boot", f.since }
	return f
}

// pass lets time pass on all clocks.
func (f *fake) pass(d time.Duration) {
	f.wall, f.process, f.since = f.wall.Add(d), f.process+d, f.since+d
}

func TestWatch(t *testing.T) {
	f := newFake(t)
	var w Watch
	check := func(what string, want time.Duration) {
		t.Helper()
		if at, by := w.Set(); by != want || !at.Equal(f.wall) {
			t.Errorf("%s: set by %v at %v, want %v", what, by, at, want)
		}
	}
	check("the first call", 0)
	f.pass(time.Hour)
	check("an hour later", 0)
	f.wall = f.wall.Add(-5 * time.Hour)
	check("set back", -5*time.Hour)
	check("after that", 0)
	f.pass(time.Minute)
	f.wall, f.since = f.wall.Add(time.Hour), f.since+time.Hour // the process does not notice sleep
	check("after sleep", 0)
	f.pass(time.Minute)
	f.wall = f.wall.Add(time.Second)
	check("set by less than the clocks may part", 0)
}

func TestTimes(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if !Shift(time.Time{}, time.Hour).IsZero() || !Shift(at, time.Hour).Equal(at.Add(time.Hour)) {
		t.Error("Shift")
	}
	if Milliseconds(at, at.Add(1500*time.Millisecond)) != 1500 || Milliseconds(at, at.Add(-time.Second)) != 0 {
		t.Error("Milliseconds")
	}
}
