package history_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"wf/workspace/history"
	"wf/workspace/history/historytest"
)

// torture makes these tests try many more random cases. Without it they try a few, always the same.
var torture = flag.Bool("torture", false, "try many more random faults and power cuts")

// A writer uses a log and counts the records that the log reported as written and as durable.
type writer struct {
	log                        *history.Log
	appended, written, durable int
	wait                       func() error // of the sync in progress, nil for none
	syncing                    int          // how many records that makes durable
}

func record(n int) string { return fmt.Sprintf(`{"n":%d,"text":%q}`, n, strings.Repeat("x", n%97)) }

// calls is the number of different calls that step can make.
const calls = 10

// step makes the next call of the log and returns its error.
func (w *writer) step(what int) error {
	switch what {
	case 0, 1, 2, 3:
		if err := w.log.Append([]byte(record(w.appended))); err != nil {
			return err
		}
		w.appended++
		return nil
	case 4, 5:
		if err := w.log.Flush(); err != nil {
			return w.mend(err)
		}
		w.written = w.appended
		return nil
	case 6:
		return w.mend(w.log.Reserve(2000))
	case 7:
		return w.startSync()
	case 8:
		return w.endSync()
	}
	if err := w.endSync(); err != nil {
		return err
	}
	if err := w.log.Sync(); err != nil {
		return err
	}
	w.written, w.durable = w.appended, w.appended
	return nil
}

// mend syncs a log that is not reliable any more.
func (w *writer) mend(err error) error {
	if errors.Is(err, history.ErrUnreliable) {
		return errors.Join(err, w.startSync(), w.endSync())
	}
	return err
}

func (w *writer) startSync() error {
	if w.wait != nil {
		return nil
	}
	if w.wait, w.syncing = w.log.StartSync(), w.written; w.wait == nil {
		w.durable = w.written
	}
	return nil
}

func (w *writer) endSync() error {
	if w.wait == nil {
		return nil
	}
	err := w.log.EndSync(w.wait())
	if w.wait = nil; err == nil {
		w.durable = max(w.durable, w.syncing)
	}
	return err
}

// readBack returns the number of records in the log at path, and checks that they are the first ones.
func readBack(t *testing.T, path string) int {
	t.Helper()
	n := 0
	if _, err := history.ReadLog(path, func(payload []byte) error {
		if string(payload) != record(n) {
			return fmt.Errorf("record %d is %q", n, payload)
		}
		n++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// steps are the calls that a run makes to its journal, with a dozen syncs of each kind.
var steps = func() []int {
	random := rand.New(rand.NewPCG(1, 1))
	list := make([]int, 120)
	for i := range list {
		list[i] = random.IntN(calls)
	}
	return append(list, calls-1)
}()

var planned = []struct {
	name string
	err  error
	half bool
}{
	{"full disk", syscall.ENOSPC, false}, {"full disk half-way", syscall.ENOSPC, true}, {"bad disk", syscall.EIO, false},
	{"bad disk half-way", syscall.EIO, true}, {"interrupted", syscall.EINTR, false}, {"no descriptors", syscall.EMFILE, false},
	{"read-only", syscall.EROFS, false},
}

// TestLogWithEveryOperationFailing makes each operation of a log fail, once or until the disk is repaired:
// records reported as written are always in the files, and in the end all records are.
func TestLogWithEveryOperationFailing(t *testing.T) {
	for _, p := range planned {
		for _, stay := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stays %v", p.name, stay), func(t *testing.T) {
				for at := 1; ; at++ {
					disk := &historytest.Faults{Disk: history.LocalDisk{}, Plan: historytest.Plan{At: at, Err: p.err, Half: p.half, Stay: stay}}
					logWithFaults(t, disk, at)
					if _, failed := disk.Count(); len(failed) == 0 {
						return
					}
				}
			})
		}
	}
}

func logWithFaults(t *testing.T, disk *historytest.Faults, at int) {
	path := filepath.Join(t.TempDir(), "log")
	w := &writer{}
	var err error
	for try := 0; w.log == nil; try++ {
		if try > 0 {
			disk.Heal()
		}
		if w.log, err = history.OpenLog(disk, path, func([]byte) error { return nil }); err != nil && try > 1 {
			t.Fatalf("operation %d: %v", at, err)
		}
	}
	failures := 0
	for i, what := range steps {
		for err := w.step(what); err != nil; err = w.step(what) {
			if failures++; failures%5 == 0 || i == len(steps)-1 {
				disk.Heal()
			}
			if n := readBack(t, path); n < w.written || n > w.appended {
				t.Fatalf("operation %d, step %d (%v): %d records in the files, %d were reported as written", at, i, err, n, w.written)
			}
			if failures > 20 {
				t.Fatalf("operation %d, step %d: it still fails: %v", at, i, err)
			}
			if what == 6 {
				break // the owner waits, and goes on writing
			}
		}
	}
	if err := w.log.Close(); err != nil {
		if _, failed := disk.Count(); failed[len(failed)-1].Name != "close" && failed[len(failed)-1].Name != "truncate" {
			t.Fatalf("operation %d: %v", at, err)
		}
	}
	if n := readBack(t, path); n != w.appended {
		t.Fatalf("operation %d: %d of %d records", at, n, w.appended)
	}
}

// TestLogInPowerCuts kills the writer or cuts the power at random moments, also during the recovery from
// another cut and with failing syncs: durable records are there, in order, and the log can be continued.
func TestLogInPowerCuts(t *testing.T) {
	seeds := 400
	if *torture {
		seeds = 20_000
	}
	for seed := range uint64(seeds) {
		powerCuts(t, seed)
	}
}

func powerCuts(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 7))
	root := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	volatile, err := historytest.NewVolatile(root)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "log")
	durable := 0
	for range 5 {
		w := &writer{}
		disk := &historytest.Faults{Disk: volatile}
		if random.IntN(2) == 0 {
			disk.Plan = historytest.Plan{At: 1 + random.IntN(60), Err: syscall.EIO, Stay: random.IntN(2) == 0}
		}
		w.log, err = history.OpenLog(disk, path, func(payload []byte) error {
			if string(payload) != record(w.appended) {
				return fmt.Errorf("record %d is %q", w.appended, payload)
			}
			w.appended++
			return nil
		})
		if err == nil {
			if w.appended < durable {
				t.Fatalf("seed %d: %d records are left of %d durable ones", seed, w.appended, durable)
			}
			w.durable = durable
			for range random.IntN(150) {
				if w.step(random.IntN(calls)) != nil && random.IntN(3) == 0 {
					disk.Heal()
				}
			}
			durable = w.durable
		} else if _, failed := disk.Count(); len(failed) == 0 {
			t.Fatalf("seed %d: %v", seed, err)
		}
		cut := random
		switch random.IntN(4) {
		case 0:
			cut = nil
		case 1:
			continue // the process was killed, without a power cut
		}
		if err := volatile.Cut(cut); err != nil {
			t.Fatal(err)
		}
	}
	if durable > 0 {
		if n := readBack(t, path); n < durable {
			t.Fatalf("seed %d: %d records are left of %d durable ones", seed, n, durable)
		}
	}
}

// TestReserveHoldsOnFullDisk fills the disk of a log that has a reserve: the reserved bytes can still be
// written, synced and read.
func TestReserveHoldsOnFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	full := false
	disk := &fullDisk{Disk: history.LocalDisk{}, full: &full}
	l, err := history.OpenLog(disk, path, func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	const room, size = 10_000, 100
	if err := l.Reserve(room); err != nil {
		t.Fatal(err)
	}
	full = true
	n := 0
	for ; n < room/(size+20); n++ {
		if err := errors.Join(l.Append(make([]byte, size)), l.Sync()); err != nil {
			t.Fatalf("record %d: %v", n, err)
		}
	}
	if err := l.Reserve(room); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a write on the full disk succeeded: %v", err)
	}
	info, err := history.ReadLog(path, func([]byte) error { return nil })
	if err != nil || info.Records != n || info.Torn != 0 || info.Reserve == 0 {
		t.Errorf("%+v, %v", info, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	info, err = history.ReadLog(path, func([]byte) error { return nil })
	if err != nil || info.Records != n || info.Torn != 0 || info.Reserve != 0 {
		t.Errorf("after the end: %+v, %v", info, err)
	}
}

// A fullDisk refuses to extend files.
type fullDisk struct {
	history.Disk
	full *bool
}

func (d *fullDisk) Open(path string, flag int) (history.File, error) {
	f, err := d.Disk.Open(path, flag)
	return fullFile{f, d}, err
}

type fullFile struct {
	history.File
	disk *fullDisk
}

func (f fullFile) WriteAt(p []byte, off int64) (int, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if *f.disk.full && off+int64(len(p)) > info.Size() {
		return 0, syscall.ENOSPC
	}
	return f.File.WriteAt(p, off)
}

// TestSegmentsAreOneLog makes a sync fail, so that there are two files, and checks that readers see one log.
func TestSegmentsAreOneLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	disk := &historytest.Faults{Disk: history.LocalDisk{}}
	l, err := history.OpenLog(disk, path, func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two", "three"} {
		if err := errors.Join(l.Append([]byte(text)), l.Flush()); err != nil {
			t.Fatal(err)
		}
		if text == "two" {
			n, _ := disk.Count()
			disk.Plan = historytest.Plan{At: n + 1, Err: syscall.EIO}
			if err := l.Sync(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	again, err := history.OpenLog(history.LocalDisk{}, path, func(p []byte) error { got = append(got, string(p)); return nil })
	if err != nil || !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Fatalf("records %q, %v", got, err)
	}
	if err := errors.Join(again.Append([]byte("four")), again.Close()); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(path + ".2")
	if err != nil || !strings.Contains(string(second), `"segment":2`) || strings.Contains(string(first), "three") ||
		!strings.Contains(string(second), "four") {
		t.Errorf("first\n%s\nsecond\n%s\n%v", first, second, err)
	}
}
