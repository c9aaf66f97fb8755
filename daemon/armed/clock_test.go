package armed

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"wf/workspace/clock"
)

// clocks are the clocks of a machine in a bubble of synctest.
type clocks struct {
	ahead atomic.Int64 // how far the wall clock is ahead of that of the bubble
	slept atomic.Int64 // how long the machine slept: the time since boot contains it
}

// fakeClock replaces the clocks of package clock until the end of the test.
func fakeClock(t *testing.T) *clocks {
	c, booted := &clocks{}, time.Now()
	wall, process, sinceBoot := clock.Wall, clock.Process, clock.SinceBoot
	clock.Wall = func() time.Time { return time.Now().Add(time.Duration(c.ahead.Load() + c.slept.Load())).Round(0) }
	clock.Process = func() time.Duration { return time.Since(booted) }
	clock.SinceBoot = func() (string, time.Duration) { return "", time.Since(booted) + time.Duration(c.slept.Load()) }
	t.Cleanup(func() { clock.Wall, clock.Process, clock.SinceBoot = wall, process, sinceBoot })
	return c
}

// set sets the wall clock.
func (c *clocks) set(ahead time.Duration) { c.ahead.Store(int64(ahead)) }

// sleep lets the machine sleep: no timer of the process counts that time.
func (c *clocks) sleep(d time.Duration) { c.slept.Add(int64(d)) }

// TestLookAtClock checks that instants are noticed at once when the clock was set or the machine wakes up.
func TestLookAtClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := fakeClock(t)
		b := newBench(t)
		begin := time.Now()
		k := b.keeper()
		b.must(b.enable(k, b.file("w", "every: 1h catchup=all")))
		time.Sleep(time.Second)
		c.set(2 * time.Hour)
		k.LookAtClock()
		b.wantInstants(begin, 3600, 7200)
		c.sleep(time.Hour)
		k.LookAtClock()
		k.LookAtClock()
		b.wantInstants(begin, 3600, 7200, 10800)
		if took := time.Since(begin); took != time.Second {
			t.Errorf("it took %v", took)
		}
		k.Close()
	})
}
