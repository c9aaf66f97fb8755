package runner

import (
	"testing"
	"time"

	"wf/executor/wire"
)

// behind hands over commands for the nodes from 1 on, each to come after the one before.
func behind(r *runner, commands ...string) {
	for i, c := range commands {
		r.acceptJob(wire.Job{ID: wire.ID{Node: i + 1, Execution: 1}, Command: c, After: []wire.ID{{Node: i, Execution: 1}}})
	}
}

// TestIntentsBehindGates looks at the order of the record: what waits behind a gate is forked without a
// sync of its own while its intent is young, and only with one when it is old.
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
	r.jobs.gates.expireIntents(time.Now().Add(gatePatience), r.unintend)
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

// TestNoIntentBehindSlowCommands: who has waited long when the next sync comes gets no intent.
func TestNoIntentBehindSlowCommands(t *testing.T) {
	r, record := newTestRunner(t, 0)
	handOver(r, "true")
	behind(r, "true")
	r.jobs.active[wire.ID{Node: 1, Execution: 1}].shutSince = time.Now().Add(-gatePatience)
	r.jobs.width = 1
	r.startNext(time.Now())
	if record.position(wire.EntryIntent, 0) < 0 || record.position(wire.EntryIntent, 1) >= 0 {
		t.Errorf("%+v", record.entries)
	}
	await(t, r, 1)
	r.startNext(time.Now())
	await(t, r, 1)
}

// TestGatesRememberFailuresOnly: a long run of successes leaves nothing behind.
func TestGatesRememberFailuresOnly(t *testing.T) {
	r, _ := newTestRunner(t, 1)
	for node := range 1000 {
		r.acceptJob(wire.Job{ID: wire.ID{Node: node, Execution: 1}})
	}
	if len(r.jobs.gates.failed)+len(r.jobs.gates.behind)+len(r.jobs.gates.fresh)+len(r.jobs.gates.intended) != 0 {
		t.Errorf("gates %+v", r.jobs.gates)
	}
}

// TestHelloForgetsWhatIsShut: what the next daemon does not hand over again is gone, with its intent.
func TestHelloForgetsWhatIsShut(t *testing.T) {
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
	if r.jobs.going() != 1 || r.jobs.gates.shut != 0 {
		t.Errorf("%d are going, %d shut", r.jobs.going(), r.jobs.gates.shut)
	}
	await(t, r, 1)
	if len(r.jobs.active) != 0 {
		t.Errorf("active %v", r.jobs.active)
	}
}

// TestHelloForgetsWhatWaitsForAPlace: a gate has opened while no daemon was there, and what waited behind it
// has no place yet. It begins only if the next daemon hands it over, in either way.
func TestHelloForgetsWhatWaitsForAPlace(t *testing.T) {
	r, record := newTestRunner(t, 1)
	handOver(r, "true")
	for node := 1; node <= 3; node++ {
		r.acceptJob(wire.Job{ID: wire.ID{Node: node, Execution: 1}, Command: "true", After: []wire.ID{{Node: 0, Execution: 1}}})
	}
	r.acceptJob(wire.Job{ID: wire.ID{Node: 4, Execution: 1}, Command: "true"}) // an earlier daemon's, in its journal
	r.startNext(time.Now())
	await(t, r, 1)
	r.acceptJob(wire.Job{ID: wire.ID{Node: 3, Execution: 1}, Command: "true"}) // its turn has come
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

// TestLastWordsOfADaemon: what arrives from a daemon after the next one has said hello starts and stops,
// but it brings nothing that the next one cannot know of, and no width.
func TestLastWordsOfADaemon(t *testing.T) {
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

// TestCrowdIsTold: the daemon hears at once of an end that lets more jobs go than there are places, since
// it may have more; one that lets a single job go can wait.
func TestCrowdIsTold(t *testing.T) {
	for after, want := range map[int]bool{1: false, 2: true} {
		r, _ := newTestRunner(t, 1)
		handOver(r, "true")
		for node := 1; node <= after; node++ {
			r.acceptJob(wire.Job{ID: wire.ID{Node: node, Execution: 1}, Command: "true", After: []wire.ID{{Node: 0, Execution: 1}}})
		}
		r.startNext(time.Now())
		r.announceNow()
		told := len(r.news.text)
		await(t, r, 1)
		now := time.Now()
		r.startNext(now)
		if r.announce(now); (len(r.news.text) > told) != want {
			t.Errorf("%d jobs were let go: told %q", after, r.news.text[told:])
		}
		await(t, r, 1)
	}
}
