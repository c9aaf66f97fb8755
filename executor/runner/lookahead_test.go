package runner

import (
	"slices"
	"testing"
	"time"

	"wf/executor/wire"
)

// TestLookaheadCount checks the number of extra intents with short jobs, at a steady pace, and with long jobs.
func TestLookaheadCount(t *testing.T) {
	a, now := lookahead{}, time.Unix(1000, 0)
	count := func(starts int, took time.Duration, wanting bool, want int) {
		t.Helper()
		a.starts += starts
		now = now.Add(took)
		if got := a.count(now, wanting); got != want {
			t.Errorf("%d extra intents, want %d", got, want)
		}
	}
	count(0, time.Hour, true, 0) // the first count
	for want := lookaheadFirst; want <= lookaheadMost; want *= 2 {
		count(1, time.Millisecond, true, want)
	}
	count(1, time.Millisecond, true, lookaheadMost)
	count(100, lookaheadWindow, false, 90) // 108 of 48 ms, for 40
	count(50, time.Millisecond, false, 90)
	count(0, 2*lookaheadWindow-time.Millisecond, true, 25)
	count(1, time.Second, true, 0)
	count(1, time.Second, true, 0)
}

// TestIntentsOfLongJobs checks that with long jobs only those with a place get an intent: after a crash of the machine the
// others have certainly not been forked.
func TestIntentsOfLongJobs(t *testing.T) {
	r, record := newTestRunner(t, 2)
	handOver(r, slices.Repeat([]string{"true"}, 10)...)
	r.turn(time.Now())
	if record.position(wire.EntryIntent, 1) < 0 || record.position(wire.EntryIntent, 2) >= 0 {
		t.Errorf("entries %+v: want the intents of two", record.entries)
	}
	await(t, r, 2)
	r.jobs.lookahead.since = time.Now().Add(-time.Minute) // the jobs took a minute
	r.jobs.lookahead.starts = 2
	r.turn(time.Now())
	if record.position(wire.EntryIntent, 3) < 0 || record.position(wire.EntryIntent, 4) >= 0 {
		t.Errorf("entries %+v: want the intents of four", record.entries)
	}
	await(t, r, 2)
}

// TestIntentsAreTakenBack lets a long job follow short ones: the jobs that wait for its place lose their intents, and get
// new ones when they are next.
func TestIntentsAreTakenBack(t *testing.T) {
	r, record := newTestRunner(t, 1)
	r.jobs.lookahead = lookahead{n: 4, since: time.Now().Add(time.Hour)} // in a window of many starts
	handOver(r, slices.Repeat([]string{"true"}, 6)...)
	r.turn(time.Now())
	if record.position(wire.EntryIntent, 5) < 0 {
		t.Fatalf("entries %+v: want intents ahead", record.entries)
	}
	r.stopAll([]wire.ID{{Node: 4, Execution: 1}}, 0) // a stopped job has ended already
	r.jobs.lookahead.since = time.Now().Add(-lookaheadStale)
	now := time.Now()
	if wake := r.nextWake(now); wake > 0 {
		t.Errorf("the loop would sleep for %v", wake)
	}
	r.turn(now)
	for node, want := range []bool{false, true, true, true, false, true} {
		if got := record.position(wire.EntryForget, node) >= 0; got != want {
			t.Errorf("node %d: forgotten %v, want %v", node, got, want)
		}
	}
	if record.durable < record.position(wire.EntryForget, 5) {
		t.Error("this is not synced")
	}
	if wake := r.nextWake(now); wake <= 0 {
		t.Errorf("the loop does not sleep any more: %v", wake)
	}
	await(t, r, 1)
	r.turn(time.Now())
	again := slices.IndexFunc(record.entries[record.position(wire.EntryForget, 1):], func(e wire.Entry) bool { return e.Kind == wire.EntryIntent && e.Node == 1 })
	if again < 0 || record.position(wire.EntryStart, 1) < record.position(wire.EntryForget, 1)+again {
		t.Errorf("entries %+v: node 1 has started without another intent", record.entries)
	}
	await(t, r, 1)
}
