package history

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what kept runs are read as")

// TestKeptRuns reads runs that earlier versions wrote, made by testdata/kept/keep.sh, and compares the
// result with the one at that time.
func TestKeptRuns(t *testing.T) {
	folders, err := filepath.Glob("testdata/kept/v*/*/run.json")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no kept runs: %v", err)
	}
	for _, path := range folders {
		folder := filepath.Dir(path)
		t.Run(filepath.Base(filepath.Dir(folder))+" "+filepath.Base(folder), func(t *testing.T) {
			s, n := storeOf(t, folder)
			past, err := s.Load(n)
			if err != nil {
				t.Fatal(err)
			}
			checkKept(t, folder+"/history.txt", wordPast(past))
			continued(t, s, n, past)
		})
	}
}

// storeOf returns a history with a copy of one kept run.
func storeOf(t *testing.T, folder string) (*Store, int) {
	t.Helper()
	req, err := readRequest(LocalDisk{}, filepath.Join(folder, requestFile))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(LocalDisk{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(s.Dir(req.Run), os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	return s, req.Run
}

// continued reopens a kept run that is not over, and ends it.
func continued(t *testing.T, s *Store, n int, past *Details) {
	t.Helper()
	records := 0
	r, _, err := s.Reopen(n, func(Record) error { records++; return nil })
	if past.Result != nil {
		if !errors.Is(err, ErrFinished) {
			t.Errorf("a run that is over was reopened: %v", err)
		}
		return
	}
	if err != nil || records == 0 {
		t.Fatalf("%d records, %v", records, err)
	}
	if err := r.Finish(Result{Result: "cancelled", Started: past.Request.Time, Ended: past.Request.Time}); err != nil {
		t.Fatal(err)
	}
	after, err := s.Load(n)
	if err != nil || after.Result == nil || len(after.Executions) != len(past.Executions) || after.Problem != "" {
		t.Errorf("afterwards %+v, %v", after, err)
	}
}

func wordPast(p *Details) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %d, %s, scope %v\n", p.Request.Run, p.Request.Mode, p.Request.Scope)
	for _, e := range p.Executions {
		fmt.Fprintf(&b, "%s/%d: over %v, ok %v, reason %q, exit code %d, signal %d, out %v, err %v: %s\n",
			e.ID, e.Number, e.Over, e.OK, e.Reason, e.ExitCode, e.Signal, e.Out, e.Err, e.Command)
	}
	for _, s := range p.Stops {
		fmt.Fprintf(&b, "%s\n", s.Type)
	}
	if p.Result != nil {
		fmt.Fprintf(&b, "%s, %+v\n", p.Result.Result, p.Result.Counts)
	}
	if p.Problem != "" {
		fmt.Fprintf(&b, "problem: %s\n", p.Problem)
	}
	return b.String()
}

func checkKept(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("read as\n%swant\n%s", got, want)
	}
}
