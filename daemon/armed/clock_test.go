package armed

import (
	"sync/atomic"
	"testing"
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
