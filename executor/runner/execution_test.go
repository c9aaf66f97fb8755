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

// A memoryLog is a runner log in memory that counts the written and the synced entries.
type memoryLog struct {
	entries          []wire.Entry
	written, durable int
	flushes          int   // that wrote something
	fault            error // of Flush and Sync
}

func (m *memoryLog) Append(line []byte) error {
	var e wire.Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	m.entries = append(m.entries, e)
	return nil
}

func (m *memoryLog) Flush() error {
	if m.fault != nil {
		return m.fault
	}
	if m.written < len(m.entries) {
		m.flushes++
	}
	m.written = len(m.entries)
	return nil
}

func (m *memoryLog) Sync() error {
	if err := m.Flush(); err != nil {
		return err
	}
	m.durable = m.written
	return nil
}

func (m *memoryLog) Reserve(int) error { return nil }
func (m *memoryLog) Check() error      { return nil }
func (m *memoryLog) Close() error      { return nil }

// position returns the index of the entry of that kind about the node, or -1.
func (m *memoryLog) position(kind string, node int) int {
	return slices.IndexFunc(m.entries, func(e wire.Entry) bool { return e.Kind == kind && e.Node == node })
}

// newTestRunner returns a runner whose loop does not run: the test calls the methods of its turns.
func newTestRunner(t *testing.T, width int) (*runner, *memoryLog) {
	t.Helper()
	record := &memoryLog{}
	r := emptyRunner(t.TempDir(), "", Options{StartDaemon: func() error { return nil }})
	r.log.file, r.jobs.width = record, width
	if err := r.openFiles(); err != nil {
		t.Fatal(err)
	}
	r.commands.env = &environment{base: []string{"PATH=" + os.Getenv("PATH")}}
	t.Cleanup(func() {
		r.outputs.slots.close()
		r.children.list.Close()
		for _, fd := range []int{r.commands.null, r.recovery.wake[0], r.recovery.wake[1], r.poller.fd} {
			unix.Close(fd)
		}
	})
	return r, record
}

// handOver hands over commands for the nodes from 0 on.
func handOver(r *runner, commands ...string) {
	for node, c := range commands {
		r.acceptJob(wire.Job{ID: wire.ID{Node: node, Execution: 1}, Command: c})
	}
}

// await makes the runner reap until n of its children have died.
func await(t *testing.T, r *runner, n int) {
	t.Helper()
	for begin := time.Now(); n > 0; {
		if _, _, err := r.poller.wait(time.Second); err != nil || time.Since(begin) > time.Minute {
			t.Fatalf("%d children do not die (%v)", n, err)
		}
		for d, err := proc.NextDeath(); err == nil && d != nil; d, err = proc.NextDeath() {
			r.died(d)
			r.reapEnded()
			n--
		}
	}
}

// TestForkRetries makes forks fail for a shortage of processes: the pauses get longer, then the run is held until a fork
// succeeds.
func TestForkRetries(t *testing.T) {
	r, record := newTestRunner(t, 1)
	handOver(r, "true")
	e := r.jobs.queue.first()
	last := time.Duration(0)
	for try := range forkRetries {
		r.startFailed(e, &fakeError{unix.EAGAIN})
		wait := time.Until(e.retryAt)
		if wait <= last {
			t.Errorf("retry %d after %v, the one before after %v", try, wait, last)
		}
		r.startNext(time.Now())
		if r.jobs.queue.first() != e || len(r.children.running) != 0 || r.links.held != "" {
			t.Errorf("retry %d without a pause", try)
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

// TestNothingIsAnnouncedBeforeItIsWritten checks the order of the runner log and the news.
func TestNothingIsAnnouncedBeforeItIsWritten(t *testing.T) {
	r, record := newTestRunner(t, 1)
	handOver(r, "") // a blank command ends at once
	if len(r.news.text) > 0 {
		t.Error("announced before it was written")
	}
	r.turn(time.Now())
	if record.written != 1 || len(r.news.text) == 0 {
		t.Errorf("%d entries written, news %q", record.written, r.news.text)
	}
}

// TestIntentIsDurableBeforeTheFork checks what was synced when commands were forked, and that there is no sync between an
// end and the next fork if jobs wait.
func TestIntentIsDurableBeforeTheFork(t *testing.T) {
	r, record := newTestRunner(t, 1)
	r.jobs.lookahead = lookahead{n: 4, since: time.Now().Add(time.Hour)} // as after many starts
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

// TestNewsWait checks that an end is announced at once only if the daemon has to decide what comes next.
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
		t.Error("no news although no job waits")
	}
	if record.durable == len(record.entries) {
		t.Error("synced before it was due")
	}
	r.turn(time.Now().Add(syncDelay))
	if record.durable != len(record.entries) {
		t.Errorf("%d of %d entries durable", record.durable, len(record.entries))
	}
}

// TestForeseenSuccessWaits checks that a free place does not hurry the news of a success that the daemon has foreseen, and
// that the end of the last job and a failure are announced at once.
func TestForeseenSuccessWaits(t *testing.T) {
	for _, c := range []struct {
		name, command string
		jobs          int
		foreseen      bool
		want          bool // announced at once
	}{
		{"foreseen", "true", 2, true, false},
		{"not foreseen", "true", 2, false, true},
		{"failure", "false", 2, true, true},
		{"last job", "true", 1, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := newTestRunner(t, 3)
			for node := range c.jobs {
				command := []string{c.command, "sleep 100"}[node]
				r.acceptJob(wire.Job{ID: wire.ID{Node: node, Execution: 1}, Command: command, Foreseen: c.foreseen})
			}
			now := time.Now()
			r.startNext(now)
			r.announceNow()
			announced := len(r.news.text)
			await(t, r, 1)
			if r.announce(now); (len(r.news.text) > announced) != c.want {
				t.Errorf("announced %q", r.news.text[announced:])
			}
			for pid := range r.children.running {
				unix.Kill(-pid, unix.SIGKILL)
			}
			await(t, r, c.jobs-1)
		})
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
		t.Error("the next job is not started")
	}
	await(t, r, 1)
}
