package runner

import (
	"testing"
	"time"

	"wf/executor/wire"
)

// behind hands over commands for the nodes from 1 on, each of which waits for the one before.
func behind(r *runner, commands ...string) {
	for i, c := range commands {
		r.acceptJob(wire.Job{ID: wire.ID{Node: i + 1, Execution: 1}, Command: c, After: []wire.ID{{Node: i, Execution: 1}}})
	}
}

// TestIntentsBehindGates checks that a job behind a gate is forked without another sync while its intent is younger than
// intentLifetime, and with one afterwards.
func TestIntentsBehindGates(t *testing.T) {
	r, record := newTestRunner(t, 1)
	handOver(r, "true")
	behind(r, "true", "true")
	r.startNext(time.Now())
	durable := record.durable
	if record.position(wire.EntryIntent, 2) < 0 || record.position(wire.EntryIntent, 2) >= durable {
		t.Fatalf("intents ahead: %+v, %d durable", record.entries, durable)
	}
	await(t, r, 1)
	r.startNext(time.Now())
	if len(r.children.running) != 1 || record.durable != durable || record.position(wire.EntryFork, 1) < record.position(wire.EntryEnd, 0) {
		t.Fatalf("%d run, %d durable: %+v", len(r.children.running), record.durable, record.entries)
	}
	r.jobs.gates.expireIntents(time.Now().Add(intentLifetime), r.unintend)
	if at := record.position(wire.EntryForget, 2); at < 0 || record.position(wire.EntryForget, 1) >= 0 {
		t.Fatalf("old intents: %+v", record.entries)
	}
	await(t, r, 1)
	r.startNext(time.Now())
	if end := record.position(wire.EntryEnd, 1); len(r.children.running) != 1 || record.durable <= end {
		t.Fatalf("%d run, %d durable: %+v", len(r.children.running), record.durable, record.entries)
	}
	await(t, r, 1)
}

// TestNoIntentBehindSlowCommands checks that a job that has waited for intentLifetime before the next sync gets no intent.
func TestNoIntentBehindSlowCommands(t *testing.T) {
	r, record := newTestRunner(t, 0)
	handOver(r, "true")
	behind(r, "true")
	r.jobs.active[wire.ID{Node: 1, Execution: 1}].shutSince = time.Now().Add(-intentLifetime)
	r.jobs.width = 1
	r.startNext(time.Now())
	if record.position(wire.EntryIntent, 0) < 0 || record.position(wire.EntryIntent, 1) >= 0 {
		t.Errorf("%+v", record.entries)
	}
	await(t, r, 1)
	r.startNext(time.Now())
	await(t, r, 1)
}

// TestGatesRememberFailuresOnly checks that successes take no memory.
func TestGatesRememberFailuresOnly(t *testing.T) {
	r, _ := newTestRunner(t, 1)
	for node := range 1000 {
		r.acceptJob(wire.Job{ID: wire.ID{Node: node, Execution: 1}})
	}
	if len(r.jobs.gates.failed)+len(r.jobs.gates.behind)+len(r.jobs.gates.fresh)+len(r.jobs.gates.intended) != 0 {
		t.Errorf("gates %+v", r.jobs.gates)
	}
}

// TestHelloForgetsGatedJobs checks that jobs behind gates that the next daemon does not hand over again are forgotten, with
// their intents.
func TestHelloForgetsGatedJobs(t *testing.T) {
	r, record := newTestRunner(t, 1)
	handOver(r, "true")
	behind(r, "true", "true")
	r.startNext(time.Now())
	r.forgetWaiting()
	for _, node := range []int{1, 2} {
		id := wire.ID{Node: node, Execution: 1}
		if _, known := r.jobs.known[id]; known || r.jobs.active[id] != nil || record.position(wire.EntryForget, node) < 0 {
			t.Errorf("node %d: known %v, active %v", node, known, r.jobs.active[id])
		}
	}
	if r.jobs.occupied() != 1 || r.jobs.gates.shut != 0 {
		t.Errorf("%d running, %d behind gates", r.jobs.occupied(), r.jobs.gates.shut)
	}
	await(t, r, 1)
	if len(r.jobs.active) != 0 {
		t.Errorf("active %v", r.jobs.active)
	}
}

// TestHelloForgetsJobsWhoseGateOpened opens a gate while there is no daemon, and the job behind it has no place yet. It starts
// only if the next daemon hands it over again, with or without a gate.
func TestHelloForgetsJobsWhoseGateOpened(t *testing.T) {
	r, record := newTestRunner(t, 1)
	handOver(r, "true")
	for node := 1; node <= 3; node++ {
		r.acceptJob(wire.Job{ID: wire.ID{Node: node, Execution: 1}, Command: "true", After: []wire.ID{{Node: 0, Execution: 1}}})
	}
	r.acceptJob(wire.Job{ID: wire.ID{Node: 4, Execution: 1}, Command: "true"}) // from the journal of an earlier daemon
	r.startNext(time.Now())
	await(t, r, 1)
	r.acceptJob(wire.Job{ID: wire.ID{Node: 3, Execution: 1}, Command: "true"}) // its gate is open now
	r.forgetWaiting()
	for node, want := range []bool{true, false, false, true, true} {
		if _, known := r.jobs.known[wire.ID{Node: node, Execution: 1}]; known != want {
			t.Errorf("node %d: known %v", node, known)
		}
	}
	r.acceptJob(wire.Job{ID: wire.ID{Node: 2, Execution: 1}, Command: "true"})
	for range 3 {
		r.startNext(time.Now())
		await(t, r, 1)
	}
	if r.startNext(time.Now()); len(r.jobs.active) != 0 || record.position(wire.EntryFork, 1) >= 0 {
		t.Errorf("active %v", r.jobs.active)
	}
}

// TestCommandsOfAnEarlierDaemon checks commands that arrive from a daemon after the hello of the next one: starts and stops
// are executed, gated jobs and the width are ignored.
func TestCommandsOfAnEarlierDaemon(t *testing.T) {
	r, _ := newTestRunner(t, 1)

	older, newer := &link{fd: -1, order: 0}, &link{fd: -1, order: 1}
	hello := &wire.Command{Kind: wire.LineHello, Version: wire.Version}
	for _, l := range []*link{older, newer} {
		if err := r.handleHello(l, hello); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []*wire.Command{{Kind: wire.LineGated, Node: 1, Execution: 1, After: [][2]int{{0, 1}}}, {Kind: wire.LineWidth, Width: 7},
		{Kind: wire.LineStart, Node: 2, Execution: 1}} {
		if err := r.execute(older, c); err != nil {
			t.Fatal(err)
		}
	}
	_, gated := r.jobs.known[wire.ID{Node: 1, Execution: 1}]
	_, plain := r.jobs.known[wire.ID{Node: 2, Execution: 1}]
	if gated || !plain || r.jobs.width != 1 {
		t.Errorf("gated %v, plain %v, width %d", gated, plain, r.jobs.width)
	}
}

// TestNewsOfMoreReadyJobsThanPlaces checks that an end that makes more jobs ready than there are places is announced at
// once, since the daemon may grant more places; one that makes a single job ready can wait.
func TestNewsOfMoreReadyJobsThanPlaces(t *testing.T) {
	for after, want := range map[int]bool{1: false, 2: true} {
		r, _ := newTestRunner(t, 1)
		handOver(r, "true")
		for node := 1; node <= after; node++ {
			r.acceptJob(wire.Job{ID: wire.ID{Node: node, Execution: 1}, Command: "true", After: []wire.ID{{Node: 0, Execution: 1}}})
		}
		r.startNext(time.Now())
		r.announceNow()
		announced := len(r.news.text)
		await(t, r, 1)
		now := time.Now()
		r.startNext(now)
		if r.announce(now); (len(r.news.text) > announced) != want {
			t.Errorf("%d jobs became ready: announced %q", after, r.news.text[announced:])
		}
		await(t, r, 1)
	}
}
