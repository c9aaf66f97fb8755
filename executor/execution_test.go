package executor

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A memoryRecord keeps entries, and counts as durable what was there at the last sync.
type memoryRecord struct {
	entries []entry
	durable int
}

func (m *memoryRecord) Append(line []byte) error {
	var e entry
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	m.entries = append(m.entries, e)
	return nil
}

func (m *memoryRecord) Flush() error { return nil }
func (m *memoryRecord) Sync() error  { m.durable = len(m.entries); return nil }
func (m *memoryRecord) Close() error { return nil }

// newTestRunner returns a runner whose loop does not run: the test takes the turns.
func newTestRunner(t *testing.T) (*runner, *memoryRecord) {
	t.Helper()
	slots, err := openSlots(filepath.Join(t.TempDir(), outputFolder))
	if err != nil {
		t.Fatal(err)
	}
	record := &memoryRecord{}
	r := &runner{
		record: record, slots: slots, news: &news{}, env: &environment{},
		known: make(map[ID]struct{}), active: make(map[ID]*execution), running: make(map[int]*execution),
	}
	return r, record
}

// TestForkRetries has the machine short of processes: each try waits longer, then it is a failure.
func TestForkRetries(t *testing.T) {
	r, record := newTestRunner(t)
	r.accepted(Job{ID: ID{Node: 1, Execution: 1}, Command: "true"})
	e := r.starting[0]
	last := time.Duration(0)
	for try := range forkRetries {
		due := r.intend(e.retryAt)
		if len(due) != 1 {
			t.Fatalf("try %d: %d to be forked", try, len(due))
		}
		r.startFailed(e, &fakeError{unix.EAGAIN})
		wait := time.Until(e.retryAt)
		if wait <= last {
			t.Errorf("try %d waits for %v, the one before for %v", try, wait, last)
		}
		if early := r.intend(time.Now()); len(early) != 0 {
			t.Errorf("try %d is not waited for", try)
		}
		last = wait
	}
	r.intend(e.retryAt)
	r.startFailed(e, &fakeError{unix.EAGAIN})
	end := record.entries[len(record.entries)-1]
	if end.Kind != entryEnd || !end.Failed || end.Message == "" {
		t.Errorf("last entry %+v", end)
	}
	if len(record.entries) != 2 || record.entries[0].Kind != entryIntent {
		t.Errorf("entries %+v, want one intent and one end", record.entries)
	}
}

type fakeError struct{ error }

func (f *fakeError) Unwrap() error { return f.error }

// TestNothingIsAnnouncedBeforeItIsDurable looks at the order of the record and the news.
func TestNothingIsAnnouncedBeforeItIsDurable(t *testing.T) {
	r, record := newTestRunner(t)
	r.accepted(Job{ID: ID{Node: 1, Execution: 1}}) // blank: it ends at once
	if len(r.news.from(0)) > 0 {
		t.Error("announced before the commit")
	}
	r.turn(time.Now())
	if record.durable != 1 || len(r.news.from(0)) == 0 {
		t.Errorf("%d entries durable, news %q", record.durable, r.news.from(0))
	}
}

// TestIntentIsDurableBeforeTheFork stops a turn between the two.
func TestIntentIsDurableBeforeTheFork(t *testing.T) {
	r, record := newTestRunner(t)
	r.accepted(Job{ID: ID{Node: 1, Execution: 1}, Command: "true"})
	due := r.intend(time.Now())
	r.commit()
	if len(due) != 1 || record.durable != 1 || record.entries[0].Kind != entryIntent {
		t.Errorf("%d due, entries %+v, %d durable", len(due), record.entries, record.durable)
	}
}

func TestStopBeforeTheStart(t *testing.T) {
	r, record := newTestRunner(t)
	id := ID{Node: 1, Execution: 1}
	r.accepted(Job{ID: id, Command: "true"})
	r.stopAll([]ID{id}, time.Hour)
	if due := r.intend(time.Now()); len(due) != 0 {
		t.Error("a stopped job is started")
	}
	if len(record.entries) != 1 || !record.entries[0].Stopped || len(r.active) != 0 {
		t.Errorf("entries %+v", record.entries)
	}
}
