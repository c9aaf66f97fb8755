package history

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestJournalCutAtEveryByte checks that a run can be loaded and reopened with a prefix of its records,
// wherever a crash cuts its journal.
func TestJournalCutAtEveryByte(t *testing.T) {
	s := openStore(t)
	r := createRun(t, s)
	appendAll(t, r, twoNodes())
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(s.file(1, journalFile))
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(data) + 1 {
		write(t, s.file(1, journalFile), data[:cut])
		want := max(0, bytes.Count(data[:cut], []byte("\n"))-1)
		past, err := s.Load(1)
		if err != nil || past.Result != nil {
			t.Fatalf("cut at %d: %+v, %v", cut, past, err)
		}
		if atEnd := cut == 0 || data[cut-1] == '\n'; atEnd != (past.Problem == "") {
			t.Fatalf("cut at %d: problem %q", cut, past.Problem)
		}
		var seen []Record
		again, _, err := s.Reopen(1, func(rec Record) error { seen = append(seen, rec); return nil })
		if err != nil || len(seen) != want {
			t.Fatalf("cut at %d: %d records, want %d (%v)", cut, len(seen), want, err)
		}
		if err := errors.Join(again.Append(Record{Time: noon, Type: RecordStop}), again.Close()); err != nil {
			t.Fatal(err)
		}
		checkSequence(t, s.file(1, journalFile), want+1)
	}
}

func checkSequence(t *testing.T, path string, want int) {
	t.Helper()
	var next uint64
	_, err := ReadLog(path, recordReader(func(rec *Record) error {
		if next++; rec.Seq != next {
			t.Fatalf("record %d has seq %d", next, rec.Seq)
		}
		return nil
	}))
	if err != nil || int(next) != want {
		t.Fatalf("%d records, want %d (%v)", next, want, err)
	}
}

// damageJournal flips a bit in a line of run n's journal.
func damageJournal(t *testing.T, s *Store, n, line int) {
	t.Helper()
	data, err := os.ReadFile(s.file(n, journalFile))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	lines[line-1][20] ^= 1
	write(t, s.file(n, journalFile), bytes.Join(lines, nil))
}

func TestDamagedJournalKeepsItsGoodPart(t *testing.T) {
	s := openStore(t)
	r := createRun(t, s)
	appendAll(t, r, twoNodes())
	if err := r.Finish(cancelled()); err != nil {
		t.Fatal(err)
	}
	finishRun(t, s, 0)
	damageJournal(t, s, 1, 6) // the second dispatch
	past, err := s.Load(1)
	if err != nil {
		t.Fatal(err)
	}
	if len(past.Executions) != 1 || !past.Executions[0].OK || past.Result == nil {
		t.Errorf("%+v", past)
	}
	if !strings.Contains(past.Problem, "journal:6: the log is damaged") {
		t.Errorf("problem: %q", past.Problem)
	}
	if other, err := s.Load(2); err != nil || other.Problem != "" {
		t.Errorf("the next run suffers: %+v, %v", other, err)
	}
}

func TestDamagedUnfinishedRunIsSettled(t *testing.T) {
	s := openStore(t)
	appendAll(t, createRun(t, s), twoNodes())
	damageJournal(t, s, 1, 4)
	seen := 0
	_, req, err := s.Reopen(1, func(Record) error { seen++; return nil })
	var damaged *DamagedError
	if !errors.As(err, &damaged) || damaged.Line != 4 || seen != 2 || req.Run != 1 {
		t.Fatalf("reopened with %d records of run %d: %v", seen, req.Run, err)
	}
	settle(t, s)
}

func settle(t *testing.T, s *Store) {
	t.Helper()
	res := cancelled()
	res.Cause = "its journal is damaged"
	if err := s.Settle(1, res); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Unfinished(); err != nil || len(n) != 0 {
		t.Errorf("unfinished %v, %v", n, err)
	}
	if past, err := s.Load(1); err != nil || past.Result == nil || past.Result.Cause != res.Cause {
		t.Errorf("%+v, %v", past, err)
	}
}

func TestMissingJournalIsNotCreated(t *testing.T) {
	s := openStore(t)
	appendAll(t, createRun(t, s), twoNodes())
	if err := os.Remove(s.file(1, journalFile)); err != nil {
		t.Fatal(err)
	}
	_, _, err := s.Reopen(1, func(Record) error { return nil })
	var damaged *DamagedError
	if !errors.As(err, &damaged) {
		t.Errorf("reopened: %v", err)
	}
	if _, err := os.Stat(s.file(1, journalFile)); err == nil {
		t.Error("a new journal was created")
	}
	settle(t, s)
}

func TestUnreadableRequest(t *testing.T) {
	s := openStore(t)
	appendAll(t, createRun(t, s), twoNodes())
	write(t, s.file(1, requestFile), []byte(`{"run": 1, "work`))
	list, err := s.List()
	if err != nil || len(list) != 1 || list[0].Run != 1 || list[0].Problem == "" {
		t.Errorf("list %+v, %v", list, err)
	}
	past, err := s.Load(1)
	if err != nil || len(past.Executions) != 2 || !strings.Contains(past.Problem, "run.json") {
		t.Errorf("%+v, %v", past, err)
	}
	if _, _, err := s.Reopen(1, func(Record) error { return nil }); err == nil {
		t.Error("reopened without a request")
	}
	settle(t, s)
}

func TestResultIsRebuilt(t *testing.T) {
	for name, spoil := range map[string]func(string) error{
		"missing": os.Remove,
		"emptied": func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t)
			r := createRun(t, s)
			appendAll(t, r, twoNodes())
			if err := errors.Join(r.Finish(cancelled()), spoil(s.file(1, resultFile))); err != nil {
				t.Fatal(err)
			}
			list, err := s.List()
			if err != nil || list[0].Result == nil || !reflect.DeepEqual(*list[0].Result, cancelled()) {
				t.Errorf("list %+v, %v", list, err)
			}
			if n, err := s.Unfinished(); err != nil || len(n) != 0 {
				t.Errorf("unfinished %v, %v", n, err)
			}
			if res, ok := readResult(s.disk, s.file(1, resultFile)); !ok || !reflect.DeepEqual(*res, cancelled()) {
				t.Errorf("result.json was not rebuilt: %+v", res)
			}
		})
	}
}

func TestCreateLeavesNothingOnFullDisk(t *testing.T) {
	if !alone(t) {
		return
	}
	s := openStore(t)
	workfile := bytes.Repeat([]byte("x"), 4096)
	lift := limitFiles(t, 2000) // run.json fits, the workfile does not
	_, err := s.Create(Request{Time: noon}, workfile)
	lift()
	if err == nil {
		t.Fatal("the run was created")
	}
	if entries, err := os.ReadDir(s.runs()); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if r, err := s.Create(Request{Time: noon}, workfile); err != nil || r.Number() != 1 {
		t.Errorf("afterwards: %+v, %v", r, err)
	}
}

func TestFinishOnFullDiskCanBeRepeated(t *testing.T) {
	if !alone(t) {
		return
	}
	s := openStore(t)
	r := createRun(t, s)
	appendAll(t, r, twoNodes())
	lift := limitFiles(t, 100)
	err := r.Finish(cancelled())
	lift()
	if err == nil {
		t.Fatal("finished on a full disk")
	}
	if err := r.Finish(cancelled()); err != nil {
		t.Fatal(err)
	}
	checkSequence(t, s.file(1, journalFile), len(twoNodes())+1)
	if err := r.Finish(cancelled()); !errors.Is(err, ErrFinished) {
		t.Errorf("finished twice: %v", err)
	}
}

// TestCrashLeftovers checks that folders of interrupted creations and removals are not listed and are
// deleted later.
func TestCrashLeftovers(t *testing.T) {
	s := openStore(t)
	for _, dir := range []string{newPrefix + "1", gonePrefix + "7", "008", "x", "-3"} {
		if err := os.MkdirAll(filepath.Join(s.runs(), dir, "out"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Fatalf("list %+v, %v", list, err)
	}
	n := finishRun(t, s, 0)
	if err := s.Remove(n, false); n != 1 || err != nil {
		t.Fatalf("run %d: %v", n, err)
	}
	entries, err := os.ReadDir(s.runs())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"-3", "008", "x"}; !slices.Equal(names, want) { // other files stay
		t.Errorf("left %v, want %v", names, want)
	}
}

func TestListReadsNoScope(t *testing.T) {
	s := openStore(t)
	first := finishRun(t, s, 0)
	createRun(t, s)
	list, err := s.List()
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if list[0].Run != 2 || list[0].Result != nil || list[1].Run != first || list[1].Result == nil {
		t.Errorf("%+v", list)
	}
	got := list[1].Request
	if got.Scope != nil || got.Names != nil || got.Nodes != 2 || !reflect.DeepEqual(got.Selection, []string{"a", "b"}) ||
		got.User != "ada" || !got.Time.Equal(noon) {
		t.Errorf("%+v", got)
	}
	if err := s.exists(3); !errors.Is(err, ErrNoRun) {
		t.Errorf("run 3: %v", err)
	}
}
