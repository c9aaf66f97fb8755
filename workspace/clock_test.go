package workspace

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/clock"
	"wf/workspace/loop"
)

// setClock lets the test set the clock of the machine: forward by what is added to the returned number.
func setClock(t *testing.T) *atomic.Int64 {
	var ahead atomic.Int64
	before := clock.Wall
	clock.Wall = func() time.Time { return time.Now().Round(0).Add(time.Duration(ahead.Load())) }
	t.Cleanup(func() { clock.Wall = before })
	return &ahead
}

// TestClockIsSet changes the wall clock by hours during a run that waits, has timeouts and executes a command, with and
// without a daemon. Nothing becomes due earlier or later, and all durations stay correct.
func TestClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{5 * time.Hour, -5 * time.Hour} {
		for _, daemon := range []bool{true, false} {
			t.Run(fmt.Sprintf("by %v, daemon %v", by, daemon), func(t *testing.T) {
				ahead := setClock(t)
				b := newTestbed(t)
				b.write(controlText("", nodeText("a", "timeout=10m"), nodeText("b", "wait=10m"),
					nodeText("c", "approve=sure?", "approve_timeout=10m"), nodeText("d", "retries=1", "retry_delay=10m")))
				b.open()
				acc, s := b.run(api.RunRequest{TimeoutMS: int64(time.Hour / time.Millisecond)})
				jobs := map[string]executor.ID{}
				for range 2 {
					j := b.next(s)
					jobs[j.Command] = j.ID
				}
				s.end(jobs["echo d"], executor.Exit{Code: 1})
				waitFor(t, "the retry", func() bool { return waitsOf(b, "id-d") != nil })
				if daemon {
					ahead.Store(int64(by))
				} else {
					b.close(b.w)
					ahead.Store(int64(by))
					b.open()
					<-b.fake.opened
				}
				waitFor(t, "the new times", func() bool {
					return !slices.ContainsFunc([]string{"id-b", "id-c", "id-d"}, func(id string) bool {
						until := waitsOf(b, id)
						return until == nil || (until.Sub(clock.Now())-10*time.Minute).Abs() > time.Minute
					})
				})
				ring(b)
				s.mu.Lock()
				if len(s.stops) > 0 {
					t.Errorf("stopped: %v", s.stops)
				}
				s.mu.Unlock()
				v := b.watch()
				s.end(jobs["echo a"], executor.Exit{})
				e := v.wait(t, "the end of a", func(e api.Event) bool { return e.Type == api.NodeFinished })
				short(t, "the event of a", *e.DurationMS)
				if _, err := b.w.StopRun(context.Background(), "", acc.Run, api.StopRequest{}); err != nil {
					t.Fatal(err)
				}
				e = v.wait(t, "the end", func(e api.Event) bool { return e.Type == api.RunComplete })
				short(t, "the run", *e.DurationMS)
				d, err := b.w.Run(context.Background(), acc.Run)
				if err != nil {
					t.Fatal(err)
				}
				short(t, "the run of the past", *d.DurationMS)
				for _, x := range d.Execs {
					short(t, "an execution of the past", *x.DurationMS)
				}
			})
		}
	}
}

// waitsOf returns the time until which a node waits, or nil if it does not wait.
func waitsOf(b *testbed, id string) *time.Time {
	b.t.Helper()
	s, err := b.w.Status(context.Background(), true)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, n := range s.Nodes {
		if n.ID == id && n.Wait != nil {
			return n.Wait.Until
		}
	}
	return nil
}

// ring does what a run does when its timer fires.
func ring(b *testbed) {
	_, err := loop.Ask(context.Background(), b.w.loop, func() (struct{}, error) {
		b.w.runs[0].Tick()
		return struct{}{}, nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func short(t *testing.T, what string, ms int64) {
	t.Helper()
	if ms < 0 || ms > 60_000 {
		t.Errorf("%s has taken %d ms", what, ms)
	}
}

// TestLookAtClock checks that a node that waits starts at once when the machine wakes up behind its time: the timers stood still.
func TestLookAtClock(t *testing.T) {
	ahead := setClock(t)
	before := clock.SinceBoot
	clock.SinceBoot = func() (string, time.Duration) {
		boot, up := before()
		return boot, up + time.Duration(ahead.Load()) // the machine slept: the clock was not set
	}
	t.Cleanup(func() { clock.SinceBoot = before })
	b := newTestbed(t)
	b.write(controlText("", nodeText("b", "wait=10m")))
	b.open()
	acc, s := b.run(api.RunRequest{})
	waitFor(t, "the wait", func() bool { return waitsOf(b, "id-b") != nil })
	ahead.Store(int64(time.Hour))
	b.w.LookAtClock()
	j := b.next(s)
	v := b.watch()
	s.end(j.ID, executor.Exit{})
	v.wait(t, "the end of "+acc.Run, func(e api.Event) bool { return e.Type == api.RunComplete })
}
