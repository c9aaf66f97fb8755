package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"wf/executor/ownfile"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, path string) *Ledger {
	t.Helper()
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func put(t *testing.T, l *Ledger, records ...Record) {
	t.Helper()
	if err := l.Append(records...); err != nil {
		t.Fatal(err)
	}
}

// at returns a record of the trigger t of the workfile w some minutes after noon.
func at(op Op, minutes int, change func(*Record)) Record {
	when := noon.Add(time.Duration(minutes) * time.Minute)
	r := Record{Op: op, Time: when, Workfile: "w", Trigger: "t", Instant: when}
	if op == Start || op == End {
		r.Key = Key("w", "t", when)
	}
	if change != nil {
		change(&r)
	}
	return r
}

// TestFold checks what follows from records, now and after the file is read again.
func TestFold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	l := open(t, path)
	put(t, l, at(Arm, 0, func(r *Record) { r.Keep = 2 }))
	put(t, l, at(Start, 10, nil), at(End, 10, func(r *Record) { r.Run = "1" }), at(Skip, 30, nil), at(Start, 40, nil))
	put(t, l, at(Start, 50, func(r *Record) { r.ByHand, r.Key = true, "hand" }), at(Start, 60, nil), at(Skip, 20, nil))
	check := func(l *Ledger) {
		t.Helper()
		s, armed := l.State("w", "t")
		if !armed || !s.Cursor.Equal(noon.Add(time.Hour)) || len(s.Starts) != 2 || !s.Starts[0].Equal(noon.Add(40*time.Minute)) {
			t.Errorf("the state is %+v", s)
		}
		var keys []string
		for _, r := range l.Pending("w") {
			keys = append(keys, r.Key)
		}
		if want := []string{at(Start, 40, nil).Key, "hand", at(Start, 60, nil).Key}; !slices.Equal(keys, want) {
			t.Errorf("pending are %v, want %v", keys, want)
		}
		if got := l.Recent("w"); len(got) != 7 || got[1].Run != "1" {
			t.Errorf("recent are %+v", got)
		}
	}
	check(l)
	again := open(t, path)
	check(again)
	if err := again.compact(); err != nil {
		t.Fatal(err)
	}
	check(again)
	check(open(t, path))
	put(t, again, at(Disarm, 70, func(r *Record) { r.Trigger = "" }))
	if _, armed := again.State("w", "t"); armed || len(again.Pending("w")) > 0 {
		t.Error("it is still armed")
	}
}

// TestTorn cuts the file at every byte: the records before stay, and new ones can be appended.
func TestTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	l := open(t, path)
	put(t, l, at(Arm, 0, nil), at(Start, 1, nil), at(Start, 2, nil))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := range len(whole) {
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		cut := open(t, path)
		put(t, cut, at(Arm, 3, nil))
		again := open(t, path)
		if s, _ := again.State("w", "t"); again.Damaged() > 0 || !s.Cursor.Equal(noon.Add(3*time.Minute)) || !reflect.DeepEqual(again.Pending("w"), cut.Pending("w")) {
			t.Fatalf("cut to %d bytes: %+v, %d damaged", size, s, again.Damaged())
		}
	}
}

func TestCompaction(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	l := open(t, path)
	l.compactAt = 10_000
	put(t, l, at(Arm, 0, nil))
	most := int64(0)
	for i := range 2000 {
		put(t, l, at(Start, i+1, nil), at(End, i+1, nil))
		if most = max(most, l.size); l.size > l.compactAt {
			t.Fatal("it was not rewritten")
		}
		l.compactAt = min(l.compactAt, 100_000)
	}
	if s, _ := open(t, path).State("w", "t"); !s.Cursor.Equal(noon.Add(2000 * time.Minute)) {
		t.Errorf("got %+v", s)
	}
	if most > 110_000 {
		t.Errorf("it grew to %d bytes", most)
	}
}

// brokenFile fails one operation.
type brokenFile struct {
	file
	fail *string
}

func (b brokenFile) Write(p []byte) (int, error) {
	if *b.fail == "write" {
		n, _ := b.file.Write(p[:len(p)/2])
		return n, errors.New("no space")
	}
	return b.file.Write(p)
}

func (b brokenFile) Sync() error {
	if *b.fail == "sync" {
		return errors.New("input/output error")
	}
	return b.file.Sync()
}

// TestFailures checks that after a failed write or sync the ledger says what the file says, and goes on.
func TestFailures(t *testing.T) {
	for _, op := range []string{"write", "sync"} {
		path, fail := filepath.Join(t.TempDir(), "ledger"), ""
		l := &Ledger{path: path, open: func(path string) (file, error) {
			f, err := ownfile.Open(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
			return brokenFile{f, &fail}, err
		}}
		if err := l.load(); err != nil {
			t.Fatal(err)
		}
		put(t, l, at(Arm, 0, nil))
		fail = op
		if err := l.Append(at(Start, 1, nil)); err == nil {
			t.Fatalf("%s: no error", op)
		}
		fail = ""
		put(t, l, at(Start, 2, nil))
		want := 1
		if op == "sync" {
			want = 2 // it may have reached the disk, so it counts as uncertain
		}
		if n, again := len(l.Pending("w")), len(open(t, path).Pending("w")); n != want || again != want {
			t.Errorf("%s: %d and %d pending, want %d", op, n, again, want)
		}
	}
}

func TestKey(t *testing.T) {
	seen := map[string]bool{}
	for i := range 100 {
		seen[Key("w", fmt.Sprint(i%10), noon.Add(time.Duration(i/10)))] = true
	}
	if len(seen) != 100 || Key("w", "t", noon) != Key("w", "t", noon.In(time.FixedZone("", 3600))) {
		t.Error("an identity is that of workfile, trigger and instant")
	}
}

// TestDecidedRuns checks that each run of another workfile is decided once, also after the file is read again or rewritten.
func TestDecidedRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	l := open(t, path)
	run := func(op Op, n int) Record { return at(op, n, func(r *Record) { r.After = n }) }
	put(t, l, run(Arm, 10), run(Seen, 13), run(Start, 11), run(Seen, 15))
	check := func(l *Ledger) {
		t.Helper()
		runs, armed := l.DecidedRuns("w", "t")
		for n := range 17 {
			if want := n <= 11 || n == 13 || n == 15; runs.Has(n) != want || !armed {
				t.Errorf("run %d is decided: %v", n, !want)
			}
		}
	}
	check(l)
	again := open(t, path)
	check(again)
	if err := again.compact(); err != nil {
		t.Fatal(err)
	}
	check(open(t, path))
	put(t, again, run(Seen, 12), run(Start, 14))
	if runs, _ := again.DecidedRuns("w", "t"); runs.Floor != 15 || len(runs.Seen) != 0 {
		t.Errorf("got %+v", runs)
	}
}
