package runner

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
	"wf/executor/wire"
)

// A memoryRecord keeps entries, and counts what was there at the last write and at the last sync.
type memoryRecord struct {
	entries          []wire.Entry
	written, durable int
}

func (m *memoryRecord) Append(line []byte) error {
	var e wire.Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	m.entries = append(m.entries, e)
	return nil
}

func (m *memoryRecord) Flush() error      { m.written = len(m.entries); return nil }
func (m *memoryRecord) Sync() error       { m.durable = len(m.entries); return m.Flush() }
func (m *memoryRecord) Reserve(int) error { return nil }
func (m *memoryRecord) Check() error      { return nil }
func (m *memoryRecord) Close() error      { return nil }

// position returns where the entry of that kind about the node is, or -1.
func (m *memoryRecord) position(kind string, node int) int {
	return slices.IndexFunc(m.entries, func(e wire.Entry) bool { return e.Kind == kind && e.Node == node })
}

// newTestRunner returns a runner whose loop does not run: the test takes the turns.
func newTestRunner(t *testing.T, width int) (*runner, *memoryRecord) {
	t.Helper()
	record := &memoryRecord{}
	r := emptyRunner(t.TempDir(), "", Options{StartDaemon: func() error { return nil }})
	r.log.file, r.jobs.width = record, width
	if err := r.openFiles(); err != nil {
		t.Fatal(err)
	}
	r.commands.env = &environment{base: []string{"PATH=" + os.Getenv("PATH")}}
	t.Cleanup(func() {
		r.outputs.slots.close()
		for _, fd := range []int{r.commands.null, r.recovery.wake[0], r.recovery.wake[1], r.poller.fd} {
			unix.Close(fd)
		}
	})
	return r, record
}

// handOver hands commands over for the nodes from 0 on.
func handOver(r *runner, commands ...string) {
	for node, c := range commands {
		r.acceptJob(wire.Job{ID: wire.ID{Node: node, Execution: 1}, Command: c})
	}
}

// await has a runner mourn until n of its children have died.
func await(t *testing.T, r *runner, n int) {
	t.Helper()
	for begin := time.Now(); n > 0; {
		if _, _, err := r.poller.wait(time.Second); err != nil || time.Since(begin) > time.Minute {
			t.Fatalf("%d children do not die (%v)", n, err)
		}
		for d, err := proc.NextDeath(); err == nil && d != nil; d, err = proc.NextDeath() {
			r.died(d)
			n--
		}
	}
}

// TestForkRetries has the machine short of processes: each try waits longer, then the run is held until
// a fork succeeds.
func TestForkRetries(t *testing.T) {
	r, record := newTestRunner(t, 1)
	handOver(r, "true")
	e := r.jobs.queue.first()
	last := time.Duration(0)
	for try := range forkRetries {
		r.startFailed(e, &fakeError{unix.EAGAIN})
		wait := time.Until(e.retryAt)
		if wait <= last {
			t.Errorf("try %d waits for %v, the one before for %v", try, wait, last)
		}
		r.startNext(time.Now())
		if r.jobs.queue.first() != e || len(r.children.running) != 0 || r.links.held != "" {
			t.Errorf("try %d is not waited for", try)
		}
		last = wait
	}
	r.startFailed(e, &fakeError{unix.EAGAIN})
	if r.links.held == "" || r.jobs.queue.first() != e || record.position(wire.EntryEnd, 0) >= 0 {
		t.Errorf("held %q, next %v", r.links.held, r.jobs.queue.first())
	}
	r.turn(time.Now())
	if len(r.children.running) != 0 {
		t.Error("a held run has forked")
	}
	r.turn(time.Now().Add(time.Minute))
	if len(r.children.running) != 1 || r.links.held != "" {
		t.Errorf("%d processes, held %q", len(r.children.running), r.links.held)
	}
	await(t, r, 1)
}

type fakeError struct{ error }

func (f *fakeError) Unwrap() error { return f.error }

// TestNothingIsAnnouncedBeforeItIsWritten looks at the order of the record and the news.
func TestNothingIsAnnouncedBeforeItIsWritten(t *testing.T) {
	r, record := newTestRunner(t, 1)
	handOver(r, "") // blank: it ends at once
	if len(r.news.text) > 0 {
		t.Error("announced before it was written")
	}
	r.turn(time.Now())
	if record.written != 1 || len(r.news.text) == 0 {
		t.Errorf("%d entries written, news %q", record.written, r.news.text)
	}
}

// TestIntentIsDurableBeforeTheFork looks at what the disk had when commands were forked, and wants
// no sync between an end and the next fork where jobs wait.
func TestIntentIsDurableBeforeTheFork(t *testing.T) {
	r, record := newTestRunner(t, 1)
	r.jobs.lookahead = lookahead{n: 4, since: time.Now().Add(time.Hour)} // in a window of many starts
	handOver(r, "true", "true", "true")
	r.turn(time.Now())
	durable := record.durable
	if record.position(wire.EntryIntent, 2) >= durable || record.position(wire.EntryStart, 0) < 0 || record.position(wire.EntryFork, 1) >= 0 {
		t.Errorf("entries %+v, %d durable", record.entries, durable)
	}
	await(t, r, 1)
	r.startNext(time.Now())
	if record.position(wire.EntryStart, 1) < 0 || record.durable != durable {
		t.Errorf("entries %+v, %d durable after %d", record.entries, record.durable, durable)
	}
	if fork := record.position(wire.EntryFork, 1); fork >= record.written || fork < record.position(wire.EntryEnd, 0) {
		t.Errorf("entries %+v, %d written", record.entries, record.written)
	}
	await(t, r, 1)
	r.startNext(time.Now())
	await(t, r, 1)
}

// TestNewsWait wants an end announced at once only if the daemon has to decide what comes next.
func TestNewsWait(t *testing.T) {
	r, record := newTestRunner(t, 1)
	handOver(r, "true", "true")
	now := time.Now()
	r.turn(now)
	await(t, r, 1)
	r.turn(now)
	if len(r.news.text) > 0 {
		t.Errorf("news while a job waits: %q", r.news.text)
	}
	if wake := r.nextWake(now); wake > announceDelay {
		t.Errorf("the news wait for %v", wake)
	}
	r.turn(now.Add(announceDelay))
	first := len(r.news.text)
	if first == 0 {
		t.Error("no news although they are due")
	}
	await(t, r, 1)
	r.turn(now)
	if len(r.news.text) == first {
		t.Error("no news although nobody waits")
	}
	if record.durable == len(record.entries) {
		t.Error("synced before it was due")
	}
	r.turn(time.Now().Add(syncDelay))
	if record.durable != len(record.entries) {
		t.Errorf("%d of %d entries durable", record.durable, len(record.entries))
	}
}

func TestStopBeforeTheStart(t *testing.T) {
	r, record := newTestRunner(t, 1)
	handOver(r, "true", "true")
	id := wire.ID{Node: 0, Execution: 1}
	r.stopAll([]wire.ID{id}, time.Hour)
	r.turn(time.Now())
	if i := record.position(wire.EntryEnd, 0); i < 0 || !record.entries[i].Stopped || record.position(wire.EntryStart, 0) >= 0 {
		t.Errorf("entries %+v", record.entries)
	}
	if record.position(wire.EntryStart, 1) < 0 {
		t.Error("who came after it is not started")
	}
	await(t, r, 1)
}
