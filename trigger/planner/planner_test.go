package planner

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"
	_ "time/tzdata"

	"wf/trigger"
	"wf/trigger/schedule"
)

var seeds = flag.Uint64("seeds", 300, "number of random histories")

func cron(t *testing.T, text, zone string) schedule.Schedule {
	z, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	c, err := schedule.ParseCron(text, z)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var begin = time.Date(2026, 3, 28, 22, 0, 0, 0, time.UTC) // hours before daylight saving begins in Europe

// TestPolicies checks the decisions after an absence of three hours, with an instant every hour.
func TestPolicies(t *testing.T) {
	hourly := schedule.Every{Period: time.Hour, Anchor: begin}
	now := begin.Add(3*time.Hour + 20*time.Minute)
	for _, c := range []struct {
		name          string
		trigger       Trigger
		starts, skips int
		first         time.Duration // of the first start, after begin
	}{
		{"none", Trigger{Catchup: trigger.CatchupNone}, 0, 3, 0},
		{"latest", Trigger{Catchup: trigger.CatchupLatest}, 1, 2, 3 * time.Hour},
		{"latest, too old", Trigger{Catchup: trigger.CatchupLatest, Window: 10 * time.Minute}, 0, 3, 0},
		{"all", Trigger{Catchup: trigger.CatchupAll}, 3, 0, time.Hour},
		{"all in a window", Trigger{Catchup: trigger.CatchupAll, Window: 90 * time.Minute}, 2, 1, 2 * time.Hour},
		{"all with a limit", Trigger{Catchup: trigger.CatchupAll, Limit: trigger.Limit{Starts: 2, Per: time.Hour}}, 2, 0, time.Hour},
		{"a delay that is not over", Trigger{Catchup: trigger.CatchupAll, Delay: 30 * time.Minute}, 2, 0, time.Hour},
		{"a long delay is not late", Trigger{Catchup: trigger.CatchupNone, Delay: 20 * time.Minute}, 1, 2, 3 * time.Hour},
	} {
		c.trigger.Schedule = hourly
		s, starts, skips := State{Cursor: begin}, []time.Time(nil), 0
		for range 100 {
			d := Decide(c.trigger, s, now)
			for _, sk := range d.Skipped {
				skips += sk.Count
			}
			s.Cursor = d.Cursor
			if d.Start.IsZero() {
				if !d.Wake.After(now) {
					t.Errorf("%s: it wakes at %v, which is not after %v", c.name, d.Wake, now)
				}
				break
			}
			starts, s.Starts = append(starts, d.Start), append(s.Starts, now)
		}
		if len(starts) != c.starts || skips != c.skips || c.starts > 0 && !starts[0].Equal(begin.Add(c.first)) {
			t.Errorf("%s: %v started and %d skipped", c.name, starts, skips)
		}
	}
}

func TestMostCatchup(t *testing.T) {
	tr := Trigger{Schedule: schedule.Every{Period: time.Second, Anchor: begin}, Catchup: trigger.CatchupAll}
	d := Decide(tr, State{Cursor: begin}, begin.Add(5000*time.Second))
	if len(d.Skipped) != 1 || d.Skipped[0].Count != 4000 || !d.Start.Equal(begin.Add(4001*time.Second)) || !d.Late {
		t.Errorf("got %+v", d)
	}
}

func TestDelay(t *testing.T) {
	var least, most time.Duration = time.Hour, 0
	for i := range 200 {
		d := Delay(string(rune('a'+i)), time.Hour)
		if d != Delay(string(rune('a'+i)), time.Hour) || d < 0 || d >= time.Hour {
			t.Fatalf("got %v", d)
		}
		least, most = min(least, d), max(most, d)
	}
	if least > 5*time.Minute || most < 55*time.Minute {
		t.Errorf("the delays of 200 triggers lie between %v and %v", least, most)
	}
}

// TestSetBack checks that a clock set back by an hour repeats nothing, and one that was a year ahead does not stop the trigger.
func TestSetBack(t *testing.T) {
	tr := Trigger{Schedule: schedule.Every{Period: time.Minute, Anchor: begin}}
	d := Decide(tr, State{Cursor: begin}, begin.Add(-time.Hour))
	if !d.Start.IsZero() || d.SetBack || !d.Wake.Equal(begin.Add(time.Minute)) {
		t.Errorf("an hour back: %+v", d)
	}
	d = Decide(tr, State{Cursor: begin.AddDate(1, 0, 0)}, begin)
	if !d.Start.IsZero() || !d.SetBack || !d.Cursor.Equal(begin) {
		t.Errorf("a year back: %+v", d)
	}
}

// TestHistories plays random histories with crashes, absences, sleep and jumps of the clock around a thousand instants. Each
// instant must be decided exactly once, in order, and as the policy says.
func TestHistories(t *testing.T) {
	for seed := range *seeds {
		h := newHistory(t, seed)
		for h.decided < 1000 {
			h.step()
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A history is a machine with a clock, and what its ledger says.
type history struct {
	t       *testing.T
	rnd     *rand.Rand
	trigger Trigger
	now     time.Time // of the wall clock
	saved   State     // in the ledger
	decided int
	last    time.Time // the latest start
}

func newHistory(t *testing.T, seed uint64) *history {
	rnd := rand.New(rand.NewPCG(seed, 15))
	schedules := []schedule.Schedule{schedule.Every{Period: 7 * time.Minute, Anchor: begin}, cron(t, "*/5 * * * *", "Europe/Berlin"),
		cron(t, "0,20,40 0-22 * * *", "Europe/Berlin"), cron(t, "*/10 1-3 * * *", "Australia/Lord_Howe"), schedule.Every{Period: 10 * time.Second, Anchor: begin}}
	tr := Trigger{Schedule: schedules[rnd.IntN(len(schedules))],
		Catchup: []trigger.Catchup{trigger.CatchupNone, trigger.CatchupLatest, trigger.CatchupAll}[rnd.IntN(3)]}
	if rnd.IntN(2) == 0 {
		tr.Delay = time.Duration(rnd.Int64N(int64(10 * time.Minute)))
	}
	if rnd.IntN(3) == 0 {
		tr.Window = time.Hour
	}
	if rnd.IntN(3) == 0 {
		tr.Limit = trigger.Limit{Starts: 1 + rnd.IntN(5), Per: time.Hour}
	}
	return &history{t: t, rnd: rnd, trigger: tr, now: begin, saved: State{Cursor: begin}}
}

// step decides once, and then lets something happen.
func (h *history) step() {
	d := Decide(h.trigger, h.saved, h.now)
	if h.rnd.IntN(5) > 0 { // otherwise the daemon dies before the decision is in the ledger
		h.keep(d)
	}
	switch h.rnd.IntN(30) {
	case 0: // a sleep, an absence
		h.now = h.now.Add(time.Duration(h.rnd.Int64N(int64(5 * time.Hour))))
	case 1:
		h.now = h.now.Add(time.Hour)
	case 2:
		h.now = h.now.Add(-time.Hour)
	case 3:
		h.now = h.now.Add(time.Duration(h.rnd.Int64N(int64(2 * time.Minute))))
	default:
		if !d.Start.IsZero() {
			break // it decides again at once
		}
		if !d.Wake.After(h.now) {
			h.t.Fatalf("nothing is started at %v, and it wakes at %v", h.now, d.Wake)
		}
		h.now = d.Wake
	}
}

// keep writes a decision into the ledger, and checks it.
func (h *history) keep(d Decision) {
	covered := 0
	for at := h.trigger.Schedule.Next(h.saved.Cursor); !at.After(d.Cursor); at = h.trigger.Schedule.Next(at) {
		covered++
	}
	decided := 0
	for _, sk := range d.Skipped {
		decided += sk.Count
		if h.trigger.Catchup == trigger.CatchupAll && sk.Why != TooOld {
			h.t.Errorf("catchup=all skips %+v", sk)
		}
	}
	if !d.Start.IsZero() {
		decided++
		h.checkStart(d)
	}
	if covered != decided {
		h.t.Errorf("%d instants lie between %v and %v, and %d are decided: %+v", covered, h.saved.Cursor, d.Cursor, decided, d)
	}
	h.decided += decided
	h.saved.Cursor = d.Cursor
	if !d.Start.IsZero() {
		h.saved.Starts = append(h.saved.Starts, h.now)
	}
}

func (h *history) checkStart(d Decision) {
	late := h.now.Sub(d.Start) - h.trigger.Delay
	switch {
	case !d.Start.After(h.last):
		h.t.Errorf("%v starts after %v", d.Start, h.last)
	case late < 0:
		h.t.Errorf("%v starts %v early", d.Start, -late)
	case late > Tolerance && h.trigger.Catchup == trigger.CatchupNone:
		h.t.Errorf("%v starts %v late with catchup=none", d.Start, late)
	case late > h.trigger.window():
		h.t.Errorf("%v starts %v late, outside the window", d.Start, late)
	case d.Late != (late > Tolerance):
		h.t.Errorf("%v starts %v late: %v", d.Start, late, d.Late)
	}
	if h.trigger.Catchup != trigger.CatchupAll {
		if next := h.trigger.Schedule.Next(d.Start); !next.Add(h.trigger.Delay).After(h.now) {
			h.t.Errorf("%v starts, and not the later %v", d.Start, next)
		}
	}
	if n := h.trigger.Limit.Starts; n > 0 {
		recent := 0
		for _, at := range h.saved.Starts {
			if at.After(h.now.Add(-h.trigger.Limit.Per)) && !at.After(h.now) {
				recent++
			}
		}
		if recent >= n && !h.saved.Starts[len(h.saved.Starts)-n].After(h.now) {
			h.t.Errorf("%d starts within %v", recent+1, h.trigger.Limit.Per)
		}
	}
	h.last = d.Start
}
