package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testLog returns a log in a new folder, without an entry of the start.
func testLog(t *testing.T) (*Log, string) {
	t.Helper()
	state := t.TempDir()
	l := New(state, nil, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { l.Close("") })
	return l, l.path
}

// readAll returns the entries of a file and what it proves.
func readAll(t *testing.T, path string) ([]Entry, Summary) {
	t.Helper()
	var list []Entry
	sum, err := Read(path, func(e Entry) { list = append(list, e) })
	if err != nil {
		t.Fatal(err)
	}
	return list, sum
}

func actions(list []Entry) string {
	var names []string
	for _, e := range list {
		names = append(names, e.Action)
	}
	return strings.Join(names, " ")
}

func TestAdd(t *testing.T) {
	l, path := testLog(t)
	uid := 1000
	e := Entry{Action: "run", Workfile: "/data/<a> & b", Run: "7", Nodes: []string{"align+"}, Detail: "é\x1b[31m\n", Error: "conflict", Again: true,
		Who: Who{Via: ViaSocket, UID: &uid, PID: 12, Said: &Said{User: "anna", Command: "wf run", SSH: "10.0.0.5", Run: "1", Node: "n2"}}}
	l.Add(e)
	l.Add(Entry{Action: "stop"})
	list, sum := readAll(t, path)
	if actions(list) != "log-begin run stop" || !sum.OK || sum.Entries != 3 || sum.Head != list[2].Hash || sum.From.IsZero() {
		t.Fatalf("%s, %+v", actions(list), sum)
	}
	got := list[1]
	if got.Detail != e.Detail || got.Workfile != e.Workfile || *got.Who.Said != *e.Who.Said || got.Host == "" && l.host != "" || got.PID != os.Getpid() || got.N != 2 {
		t.Errorf("%+v", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestStartAndEnd checks that a daemon without actions writes nothing.
func TestStartAndEnd(t *testing.T) {
	state := t.TempDir()
	logger := slog.New(slog.DiscardHandler)
	New(state, &Entry{Action: ActionStart}, logger).Close("idle")
	if _, err := os.Stat(Path(state)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file without actions: %v", err)
	}
	l := New(state, &Entry{Action: ActionStart}, logger)
	l.Add(Entry{Action: "run"})
	l.Close("idle")
	l.Add(Entry{Action: "late"})
	if list, sum := readAll(t, l.path); actions(list) != "log-begin server-start run server-end" || !sum.OK {
		t.Errorf("%s, %+v", actions(list), sum)
	}
}

func TestLimitsOfTexts(t *testing.T) {
	l, path := testLog(t)
	long := strings.Repeat("\x01é", 1<<20)
	nodes := slices.Repeat([]string{long}, 100)
	l.Add(Entry{Action: "run", Workfile: long, Run: long, Detail: long, Nodes: nodes,
		Who: Who{Said: &Said{User: long, Command: long, SSH: long, Host: long, Workfile: long, Run: long, Node: long}}})
	l.Add(Entry{Action: "stop"})
	list, sum := readAll(t, path)
	if actions(list) != "log-begin run stop" || !sum.OK {
		t.Fatalf("%s, %+v", actions(list), sum)
	}
	if info, _ := os.Stat(path); info.Size() > mostLine {
		t.Errorf("%d bytes", info.Size())
	}
	if len(nodes) != 100 || len(list[1].Nodes) != mostNodes+1 {
		t.Errorf("%d nodes", len(list[1].Nodes))
	}
}

// TestSeveralWriters lets two processes append in turns, as daemons of two containers do.
func TestSeveralWriters(t *testing.T) {
	l, path := testLog(t)
	other := New(filepath.Dir(path), nil, slog.New(slog.DiscardHandler))
	defer other.Close("")
	for range 10 {
		l.Add(Entry{Action: "a"})
		other.Add(Entry{Action: "b"})
		other.Add(Entry{Action: "c"})
	}
	if list, sum := readAll(t, path); !sum.OK || len(list) != 31 || len(sum.Remarks) != 0 {
		t.Errorf("%s, %+v", actions(list), sum)
	}
}

// TestMovedAway checks that a new file begins when a person moves the old one away, and names its last entry.
func TestMovedAway(t *testing.T) {
	l, path := testLog(t)
	l.Add(Entry{Action: "a"})
	old, sum := readAll(t, path)
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	l.Add(Entry{Action: "b"})
	list, now := readAll(t, path)
	if actions(list) != "log-begin log-missing b" || !now.OK || !strings.Contains(list[1].Detail, sum.Head) || len(old) != 2 {
		t.Errorf("%s, %+v", actions(list), now)
	}
}

// TestShortened checks that the daemon reports lines that are missing at the end, which the chain alone cannot show.
func TestShortened(t *testing.T) {
	l, path := testLog(t)
	for _, action := range []string{"a", "b", "c"} {
		l.Add(Entry{Action: action})
	}
	text, _ := os.ReadFile(path)
	lines := bytes.SplitAfter(text, []byte("\n"))
	if err := os.Truncate(path, int64(len(lines[0])+len(lines[1]))); err != nil {
		t.Fatal(err)
	}
	l.Add(Entry{Action: "d"})
	list, sum := readAll(t, path)
	if actions(list) != "log-begin a log-missing d" || !sum.OK || len(sum.Remarks) != 1 || !strings.Contains(sum.Remarks[0].Detail, "4 entries") {
		t.Errorf("%s, %+v", actions(list), sum)
	}
}

// TestCrash cuts the file at each byte, as a crash, a full disk or a person does. What the cut leaves is reported, and the next
// daemon continues.
func TestCrash(t *testing.T) {
	l, path := testLog(t)
	l.Add(Entry{Action: "a", Detail: "é"})
	l.Add(Entry{Action: "b"})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, all := readAll(t, path)
	for size := range text {
		state := t.TempDir()
		path := Path(state)
		if err := os.WriteFile(path, text[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		rep, err := Verify([]string{path}, all.Head)
		if err != nil || rep.OK || rep.NoHead == "" {
			t.Fatalf("cut at %d: %+v, %v", size, rep, err)
		}
		want := Unfinished
		switch {
		case size == 0:
			want = Empty
		case text[size-1] == '\n':
			want = "" // only the head shows it
		}
		if problem := rep.Logs[0].Problem; (problem == nil) != (want == "") || problem != nil && problem.Kind != want {
			t.Fatalf("cut at %d: %+v", size, problem)
		}
		next := New(state, nil, slog.New(slog.DiscardHandler))
		next.Add(Entry{Action: "next"})
		next.Close("")
		list, sum := readAll(t, path)
		noted := len(sum.Remarks) == 1 && sum.Remarks[0].Action == ActionCut
		if !sum.OK || list[len(list)-1].Action != "next" || noted != (want == Unfinished) {
			t.Fatalf("cut at %d, continued: %s, %+v", size, actions(list), sum)
		}
	}
}

// TestDamagedEnd checks that a daemon continues after a last line that is no entry, and that the damage stays visible.
func TestDamagedEnd(t *testing.T) {
	for _, end := range []string{"nonsense\n", "{}\n", "\n", strings.Repeat("x", 3*mostLine) + "\n"} {
		l, path := testLog(t)
		l.Add(Entry{Action: "a"})
		l.Close("")
		f, _ := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		fmt.Fprint(f, end)
		f.Close()
		next := New(filepath.Dir(path), nil, slog.New(slog.DiscardHandler))
		next.Add(Entry{Action: "b"})
		next.Close("")
		list, sum := readAll(t, path)
		if actions(list) != "log-begin a log-begin b" || sum.OK || sum.Problem.Line != 3 || sum.Problem.Kind != Changed {
			t.Errorf("%.20q: %s, %+v", end, actions(list), sum.Problem)
		}
	}
}

// A faulty file fails in the operation whose number is given.
type faulty struct {
	*os.File
	fails *int // counts down; the operation at 0 fails
	short int  // bytes that a failing write still writes
	stuck bool // every later operation fails, too
}

var errFault = errors.New("no space left on device")

func (f *faulty) fault() bool {
	*f.fails--
	return *f.fails == 0 || f.stuck && *f.fails < 0
}

func (f *faulty) Write(b []byte) (int, error) {
	if f.fault() {
		n, _ := f.File.Write(b[:min(f.short, len(b))])
		return n, errFault
	}
	return f.File.Write(b)
}

func (f *faulty) ReadAt(b []byte, off int64) (int, error) {
	if f.fault() {
		return 0, errFault
	}
	return f.File.ReadAt(b, off)
}

func (f *faulty) Stat() (fs.FileInfo, error) {
	if f.fault() {
		return nil, errFault
	}
	return f.File.Stat()
}

func (f *faulty) Truncate(size int64) error {
	if f.fault() {
		return errFault
	}
	return f.File.Truncate(size)
}

func (f *faulty) Sync() error {
	if f.fault() {
		return errFault
	}
	return f.File.Sync()
}

// TestFaults lets each operation fail, once or from then on, with writes that are cut at each length, and checks that after
// the failure every entry is in the file once and in order.
func TestFaults(t *testing.T) {
	for _, stuck := range []bool{false, true} {
		for at := 1; at < 25; at++ {
			for _, short := range []int{0, 1, 250, 900, 1 << 20} {
				synctest.Test(t, func(t *testing.T) { testFault(t, at, short, stuck) }) // no timer fires by itself
			}
		}
	}
}

func testFault(t *testing.T, at, short int, stuck bool) {
	name := fmt.Sprintf("operation %d, %d bytes, stuck %v", at, short, stuck)
	state := t.TempDir()
	fails, faults := at, &stuck
	l := New(state, nil, slog.New(slog.DiscardHandler))
	real := l.open
	l.open = func(path string) (file, error) {
		if fails--; fails == 0 || *faults && fails < 0 {
			return nil, errFault
		}
		f, err := real(path)
		if err != nil {
			return nil, err
		}
		return &faulty{File: f.(*os.File), fails: &fails, short: short, stuck: *faults}, nil
	}
	var want []string
	for i := range 6 {
		want = append(want, fmt.Sprint("e", i))
		l.Add(Entry{Action: want[i]})
		if i == 3 {
			l.settle()
		}
	}
	// The disk works again.
	*faults, fails = false, 1<<30
	l.mu.Lock()
	if f, ok := l.file.(*faulty); ok {
		f.stuck = false
	}
	l.mu.Unlock()
	l.Add(Entry{Action: "last"})
	l.Close("")
	list, sum := readAll(t, l.path)
	var got []string
	for _, e := range list {
		if !strings.HasPrefix(e.Action, "log-") {
			got = append(got, e.Action)
		}
	}
	if !sum.OK || !slices.Equal(got, append(want, "last")) {
		t.Fatalf("%s: %s, %+v", name, actions(list), sum.Problem)
	}
}

// TestFullMemory checks that entries that do not fit into the memory are counted, and the number is written.
func TestFullMemory(t *testing.T) { synctest.Test(t, testFullMemory) }

func testFullMemory(t *testing.T) {
	l, path := testLog(t)
	works := l.open
	l.open = func(string) (file, error) { return nil, errFault }
	for range mostPending + 7 {
		l.Add(Entry{Action: "a"})
	}
	l.open = works
	l.settle()
	list, sum := readAll(t, path)
	if !sum.OK || len(list) != mostPending+2 || len(sum.Remarks) != 1 || !strings.HasPrefix(sum.Remarks[0].Detail, "7 entries") {
		t.Errorf("%d entries, %+v", len(list), sum)
	}
}

// TestLocked checks that a stopped process with the lock delays one action, and loses nothing.
func TestLocked(t *testing.T) { synctest.Test(t, testLocked) }

func testLocked(t *testing.T) {
	l, path := testLog(t)
	l.Add(Entry{Action: "a"})
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	l.Add(Entry{Action: "b"})
	begin := time.Now()
	for range 50 {
		l.Add(Entry{Action: "c"})
	}
	if took := time.Since(begin); took > lockTries*lockPause/2 {
		t.Errorf("50 actions waited %v for the lock", took)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	l.settle()
	if list, sum := readAll(t, path); !sum.OK || len(list) != 53 {
		t.Errorf("%d entries, %+v", len(list), sum)
	}
}

// wait lets a time pass in a synctest, with everything that happens in it.
func wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// TestSyncIsLate checks with fake time that an entry is synced, that many entries share a sync, and that a failed one
// is repeated.
func TestSyncIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := testLog(t)
		works := l.open
		var syncs atomic.Int32
		var fail atomic.Bool
		l.open = func(path string) (file, error) {
			f, err := works(path)
			return &syncCounter{f, &syncs, &fail}, err
		}
		for range 5 {
			l.Add(Entry{Action: "a"})
		}
		if wait(syncDelay / 2); syncs.Load() != 0 {
			t.Errorf("%d syncs at once", syncs.Load())
		}
		if wait(syncDelay); syncs.Load() != 1 {
			t.Errorf("%d syncs of 5 entries", syncs.Load())
		}
		if wait(time.Hour); syncs.Load() != 1 {
			t.Errorf("%d syncs of nothing", syncs.Load()-1)
		}
		fail.Store(true)
		l.Add(Entry{Action: "b"})
		wait(syncDelay + syncDelay/2)
		fail.Store(false)
		if wait(time.Hour); syncs.Load() != 3 {
			t.Errorf("%d syncs after a failed one", syncs.Load()-2)
		}
		l.Close("")
	})
}

type syncCounter struct {
	file
	syncs *atomic.Int32
	fail  *atomic.Bool
}

func (s *syncCounter) Sync() error {
	s.syncs.Add(1)
	if s.fail.Load() {
		return errFault
	}
	return s.file.Sync()
}

func BenchmarkAdd(b *testing.B) {
	l := New(b.TempDir(), nil, slog.New(slog.DiscardHandler))
	defer l.Close("")
	uid := 1000
	e := Entry{Action: "run", Workfile: "/home/anna/project/Workfile", Run: "41", Detail: "fresh, 1 of 1 nodes",
		Who: Who{Via: ViaSocket, UID: &uid, PID: 4711, Said: &Said{User: "anna", Command: "wf run"}}}
	for b.Loop() {
		l.Add(e)
	}
}

var _ io.ReaderAt = (*faulty)(nil)
