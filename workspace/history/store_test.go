package history

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"

	"wf/executor/rundir"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

func openStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(LocalDisk{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func createRun(t *testing.T, s *Store) *Run {
	t.Helper()
	req := Request{Workspace: "ab12", Workfile: "/data/Workfile", Mode: "fresh", Time: noon, User: "ada",
		Selection: []string{"a", "b"}, Scope: []string{"id-a", "id-b"}, Names: []string{"a", "b"}}
	r, err := s.Create(req, []byte("<graphml/>\n"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// twoNodes returns the records of a run of two nodes, of which the second fails.
func twoNodes() []Record {
	at := func(ms int) time.Time { return noon.Add(time.Duration(ms) * time.Millisecond) }
	return []Record{
		{Time: at(0), Type: RecordBegin, Node: NoNode},
		{Time: at(1), Type: RecordDispatch, Node: 0, ID: "id-a", Execution: 1, Command: "echo 'ü' > \"x\""},
		{Time: at(2), Type: RecordStart, Node: 0, ID: "id-a", Execution: 1, PID: 4711,
			Out: rundir.Range{File: "out/s1.out", Start: 0, End: -1}, Err: rundir.Range{File: "out/s1.err", Start: 0, End: -1}},
		{Time: at(3), Type: RecordEnd, Node: 0, ID: "id-a", Execution: 1, OK: true, UserMS: 3,
			Out: rundir.Range{File: "out/s1.out", Start: 0, End: 12}, Err: rundir.Range{File: "out/s1.err", Start: 0, End: 0}},
		{Time: at(4), Type: RecordDispatch, Node: 1, ID: "id-b", Execution: 1, Command: "false"},
		{Time: at(5), Type: RecordStop, Node: NoNode, Client: "c7", Cause: "Ctrl-C"},
		{Time: at(6), Type: RecordEnd, Node: 1, ID: "id-b", Execution: 1, Reason: "signal", Signal: 9,
			Message: "line one\nline two"},
	}
}

func appendAll(t *testing.T, r *Run, records []Record) {
	t.Helper()
	for _, rec := range records {
		if err := r.Append(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.log.Sync(); err != nil {
		t.Fatal(err)
	}
}

func cancelled() Result {
	return Result{Result: "cancelled", Counts: Counts{OK: 1, Failed: 1}, Started: noon, Ended: noon.Add(time.Second),
		DurationMS: 1000, Cause: "stopped by c7"}
}

func TestRunRoundTrip(t *testing.T) {
	s := openStore(t)
	r := createRun(t, s)
	appendAll(t, r, twoNodes())
	if err := r.Finish(cancelled()); err != nil {
		t.Fatal(err)
	}
	past, err := s.Load(r.Number())
	if err != nil {
		t.Fatal(err)
	}
	if past.Problem != "" {
		t.Errorf("problem: %s", past.Problem)
	}
	if !reflect.DeepEqual(past.Request, r.Request()) {
		t.Errorf("request read as\n%+v, written as\n%+v", past.Request, r.Request())
	}
	if want := cancelled(); past.Result == nil || !reflect.DeepEqual(*past.Result, want) {
		t.Errorf("result %+v, want %+v", past.Result, want)
	}
	if len(past.Executions) != 2 || len(past.Stops) != 1 || past.Stops[0].Client != "c7" {
		t.Fatalf("executions %+v, stops %+v", past.Executions, past.Stops)
	}
	a, b := past.Executions[0], past.Executions[1]
	if !a.OK || !a.Over || a.PID != 4711 || a.Command != "echo 'ü' > \"x\"" || a.Out != (rundir.Range{File: "out/s1.out", Start: 0, End: 12}) ||
		a.Started.Sub(a.Dispatched) != time.Millisecond {
		t.Errorf("first execution %+v", a)
	}
	if b.OK || b.Signal != 9 || b.Message != "line one\nline two" || b.Node != 1 || !b.Started.IsZero() {
		t.Errorf("second execution %+v", b)
	}
	workfile, err := s.Workfile(r.Number())
	if err != nil || string(workfile) != "<graphml/>\n" {
		t.Errorf("workfile %q, %v", workfile, err)
	}
}

func TestLostExecutionKeepsItsOutput(t *testing.T) {
	s := openStore(t)
	r := createRun(t, s)
	appendAll(t, r, append(twoNodes()[:3], Record{Time: noon, Type: RecordEnd, Node: 0, ID: "id-a", Execution: 1, Reason: "lost"}))
	past, err := s.Load(1)
	if err != nil {
		t.Fatal(err)
	}
	if x := past.Executions[0]; x.Out != (rundir.Range{File: "out/s1.out", Start: 0, End: -1}) || x.Reason != "lost" || !x.Over {
		t.Errorf("%+v", x)
	}
}

func TestReopenContinues(t *testing.T) {
	s := openStore(t)
	r := createRun(t, s)
	records := twoNodes()
	appendAll(t, r, records[:3])
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Unfinished(); err != nil || !reflect.DeepEqual(n, []int{1}) {
		t.Fatalf("unfinished %v, %v", n, err)
	}
	var replayed []Record
	again, req, err := s.Reopen(1, func(rec Record) error { replayed = append(replayed, rec); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(req, r.Request()) {
		t.Errorf("request %+v", req)
	}
	for i, rec := range replayed {
		want := records[i]
		want.Seq = uint64(i + 1)
		if !reflect.DeepEqual(rec, want) {
			t.Errorf("replayed %+v, want %+v", rec, want)
		}
	}
	appendAll(t, again, records[3:])
	if err := again.Finish(cancelled()); err != nil {
		t.Fatal(err)
	}
	if past, err := s.Load(1); err != nil || len(past.Executions) != 2 || past.Problem != "" {
		t.Errorf("loaded %+v, %v", past, err)
	}
	if _, _, err := s.Reopen(1, func(Record) error { return nil }); !errors.Is(err, ErrFinished) {
		t.Errorf("reopening a finished run: %v", err)
	}
	if n, err := s.Unfinished(); err != nil || len(n) != 0 {
		t.Errorf("unfinished %v, %v", n, err)
	}
}

func TestFilesArePrivate(t *testing.T) {
	s := openStore(t)
	r := createRun(t, s)
	if err := r.Finish(cancelled()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{
		"": 0o700, requestFile: 0o600, workfileFile: 0o600, journalFile: 0o600, resultFile: 0o600,
	} {
		info, err := os.Stat(s.file(1, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%q has mode %o, want %o", name, got, want)
		}
	}
}

func TestReplayDoesNotChangeTheRun(t *testing.T) {
	s := openStore(t)
	r := createRun(t, s)
	appendAll(t, r, twoNodes())
	var types []RecordType
	req, err := s.Replay(1, func(rec Record) error { types = append(types, rec.Type); return nil })
	if err != nil || len(types) != len(twoNodes()) || !reflect.DeepEqual(req, r.Request()) {
		t.Errorf("%v, request %+v, %v", types, req, err)
	}
	enough := errors.New("enough")
	if _, err := s.Replay(1, func(Record) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("an error of the reader became %v", err)
	}
	if _, err := s.Replay(2, func(Record) error { return nil }); !errors.Is(err, ErrNoRun) {
		t.Errorf("replay of no run: %v", err)
	}
}

func benchmarkRequest(nodes int) Request {
	req := Request{Workspace: "ab12", Workfile: "/data/Workfile", Mode: "fresh", Time: noon}
	for i := range nodes {
		req.Scope = append(req.Scope, fmt.Sprintf("864cd165-0c3c-4d3b-9c0f-%012d", i))
		req.Names = append(req.Names, fmt.Sprintf("align~%d", i))
	}
	return req
}

func BenchmarkCreate(b *testing.B) {
	for _, nodes := range []int{1, 1000, 100_000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			req, workfile := benchmarkRequest(nodes), make([]byte, 480*nodes)
			s, err := Open(LocalDisk{}, b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				r, err := s.Create(req, workfile)
				if err != nil {
					b.Fatal(err)
				}
				if err := errors.Join(r.Close(), s.Remove(r.Number(), true)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkList(b *testing.B) {
	s, err := Open(LocalDisk{}, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for range DefaultKeep {
		r, err := s.Create(benchmarkRequest(10_000), nil)
		if err == nil {
			err = r.Finish(cancelled())
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if list, err := s.List(); err != nil || len(list) != DefaultKeep {
			b.Fatal(len(list), err)
		}
	}
}
