package cluster

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"wf/executor"
)

// FuzzLook reads what a script about the files has printed: a damaged answer is an error or has fewer news, and no panic.
func FuzzLook(f *testing.F) {
	f.Add([]byte("s.1.1 1700000000 77 n1 .\ne.1.1 1700000000.07 0 3 0 0 0 .\no.1.1 out 0 3\nab\n\n.\nrest"))
	f.Add([]byte("f.1.1 1700000000 shell x: not found .\n. gone\n"))
	f.Add([]byte("o.1.1 out 0 -1\n\n.\n"))
	f.Add([]byte("o.1.1 out 0 9223372036854775807\n\n.\n"))
	f.Fuzz(func(t *testing.T, printed []byte) {
		l := &look{}
		rest, err := l.read(printed)
		if err != nil {
			return
		}
		if len(rest) > len(printed) {
			t.Errorf("%d bytes are left of %d", len(rest), len(printed))
		}
		m := newTestModel(t)
		w := &watcher{c: &Cluster{}, m: m}
		m.take(executor.Job{ID: executor.ID{Node: 1, Execution: 1}, Command: "true"}, time.Unix(0, 0))
		for _, n := range l.news {
			w.hear(n)
		}
	})
}

// FuzzReplay replays a journal of any entries: it is refused, or means the same each time, and nothing panics.
func FuzzReplay(f *testing.F) {
	m := newTestModel(f)
	m.log(entry{Kind: entryOpen, Folder: "abc"})
	m.take(executor.Job{ID: executor.ID{Node: 1, Execution: 1}, Command: "true"}, time.Unix(0, 0))
	m.take(executor.Job{ID: executor.ID{Node: 2, Execution: 1}, Command: "true"}, time.Unix(0, 0))
	b, _ := m.begin(slices.Clone(m.queue))
	m.queue = nil
	m.taken(b, "77")
	if err := m.start(b.tasks[0], entry{Time: time.Unix(1, 0), PID: 5, Host: "n1"}); err != nil {
		f.Fatal(err)
	}
	m.stop(b.tasks[1], time.Unix(2, 0))
	m.finish(b.tasks[0], entry{Time: time.Unix(3, 0), Code: 3})
	m.giveUp(b)
	text, err := os.ReadFile(m.journal.file.Name())
	if err != nil {
		f.Fatal(err)
	}
	var payloads []byte
	for line := range bytes.Lines(text) {
		_, payload, _ := bytes.Cut(line, []byte(" "))
		payloads = append(payloads, payload...)
	}
	f.Add(payloads)
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		first, again := newModel(&Cluster{}, &outputs{dir: dir, cluster: "x"}), newModel(&Cluster{}, &outputs{dir: dir, cluster: "x"})
		for line := range bytes.Lines(content) {
			var e entry
			if json.Unmarshal(line, &e) != nil {
				return
			}
			err := first.replay(e)
			if (again.replay(e) == nil) != (err == nil) {
				t.Fatalf("%s: error %v once", line, err)
			}
			if err != nil {
				return
			}
		}
		if len(again.tasks) != len(first.tasks) || len(again.reports) != len(first.reports) || len(again.queue) != len(first.queue) {
			t.Errorf("first %+v, then %+v", first, again)
		}
		for _, t := range first.queue {
			if first.tasks[t.job.ID] != t {
				panic("the queue has a task that has ended")
			}
		}
	})
}

func newTestModel(t testing.TB) *model {
	t.Helper()
	dir := t.TempDir()
	m := newModel(&Cluster{}, &outputs{dir: dir, cluster: "x"})
	var err error
	if m.journal, err = openJournal(dir, "x", m.replay); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.journal.file.Close() })
	return m
}
