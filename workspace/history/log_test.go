package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// collect returns a replay function that stores copies of the payloads.
func collect(to *[]string) func([]byte) error {
	return func(payload []byte) error {
		*to = append(*to, string(payload))
		return nil
	}
}

// sampleLog writes a log of n records and returns its path, its bytes and its records.
func sampleLog(t testing.TB, n int) (path string, data []byte, records []string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "log")
	l, err := OpenLog(LocalDisk{}, path, collect(&records))
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		records = append(records, fmt.Sprintf(`{"n":%d,"text":"%s"}`, i, strings.Repeat("x", i)))
		if err := l.Append([]byte(records[i])); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(l.Sync(), l.Close()); err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return path, data, records
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func isPrefix(got, want []string) bool {
	return len(got) <= len(want) && strings.Join(got, "\n") == strings.Join(want[:len(got)], "\n")
}

func TestLogCutAtEveryByte(t *testing.T) {
	path, data, records := sampleLog(t, 12)
	for cut := range len(data) + 1 {
		write(t, path, data[:cut])
		var read, opened []string
		info, err := ReadLog(path, collect(&read))
		if err != nil {
			t.Fatalf("cut at %d: ReadLog: %v", cut, err)
		}
		if want := max(0, bytes.Count(data[:cut], []byte("\n"))-1); len(read) != want || !isPrefix(read, records) {
			t.Fatalf("cut at %d: read %d records, want the first %d", cut, len(read), want)
		}
		if info.Size+info.Torn != int64(cut) || info.Records != len(read) {
			t.Fatalf("cut at %d: %+v", cut, info)
		}
		l, err := OpenLog(LocalDisk{}, path, collect(&opened))
		if err != nil || len(opened) != len(read) || l.Torn() != info.Torn {
			t.Fatalf("cut at %d: OpenLog: %d records, torn %d, %v", cut, len(opened), l.Torn(), err)
		}
		checkContinues(t, l, path, opened)
	}
}

// checkContinues appends to a log that was recovered and reads everything again.
func checkContinues(t *testing.T, l *Log, path string, before []string) {
	t.Helper()
	if err := errors.Join(l.Append([]byte("more")), l.Close()); err != nil {
		t.Fatal(err)
	}
	var all []string
	info, err := ReadLog(path, collect(&all))
	if err != nil || info.Torn != 0 || strings.Join(all, "\n") != strings.Join(append(before, "more"), "\n") {
		t.Fatalf("after recovery: %d records, %+v, %v", len(all), info, err)
	}
}

func TestLogDamageAtEveryByte(t *testing.T) {
	path, data, records := sampleLog(t, 6)
	tail := bytes.LastIndexByte(data[:len(data)-1], '\n') // damage after this looks like a torn end
	for at := range data {
		broken := bytes.Clone(data)
		broken[at] ^= 0x01
		write(t, path, broken)
		var read []string
		l, err := OpenLog(LocalDisk{}, path, collect(&read))
		wantRead := max(0, bytes.Count(data[:at], []byte("\n"))-1)
		if len(read) != wantRead || !isPrefix(read, records) {
			t.Fatalf("byte %d: %d records were replayed, want %d", at, len(read), wantRead)
		}
		var damaged *DamagedError
		if at < tail && !errors.As(err, &damaged) {
			t.Fatalf("byte %d: err %v, want damage", at, err)
		}
		if at >= tail {
			if err != nil {
				t.Fatalf("byte %d: err %v, want a torn tail", at, err)
			}
			l.Close()
			continue
		}
		if got := bytes.Count(data[:at], []byte("\n")) + 1; damaged.Line != got {
			t.Fatalf("byte %d: damage in line %d, want %d", at, damaged.Line, got)
		}
		checkReadOnly(t, l, path, broken)
	}
}

func checkReadOnly(t *testing.T, l *Log, path string, want []byte) {
	t.Helper()
	var damaged *DamagedError
	if err := l.Append([]byte("x")); !errors.As(err, &damaged) {
		t.Fatalf("a damaged log accepted a record: %v", err)
	}
	if err := l.Sync(); !errors.As(err, &damaged) {
		t.Fatalf("a damaged log was synced: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("a damaged log was changed (%v)", err)
	}
}

// TestReadLogIgnoresLaterRecords checks that records appended during the read are not read: half a line
// followed by good ones would look like damage.
func TestReadLogIgnoresLaterRecords(t *testing.T) {
	path, data, _ := sampleLog(t, 3)
	cut := len(data) - 10
	write(t, path, data[:cut])
	records := 0
	info, err := ReadLog(path, func([]byte) error {
		records++
		write(t, path, data)
		return nil
	})
	if err != nil || records != 2 || info.Size+info.Torn != int64(cut) {
		t.Errorf("%d records, %+v, %v", records, info, err)
	}
}

func TestLogRefusesOtherFiles(t *testing.T) {
	newer := appendEntry(nil, []byte(`{"format":"wf-log","version":3}`))
	other := appendEntry(nil, []byte(`{"format":"other","version":1}`))
	for name, tc := range map[string]struct{ text, want string }{
		"newer":     {string(newer), "newer wf"},
		"other log": {string(other), "not a log of wf"},
		"text":      {"hello\nworld\n", "damaged"},
		"one line":  {"hello", "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			write(t, path, []byte(tc.text))
			l, err := OpenLog(LocalDisk{}, path, collect(new([]string)))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("err %v, want %q", err, tc.want)
			}
			if l != nil {
				l.Close()
			}
			if got, _ := os.ReadFile(path); string(got) != tc.text {
				t.Fatalf("the file was changed to %q", got)
			}
		})
	}
}

func TestLogReplayErrorNamesTheLine(t *testing.T) {
	path, _, _ := sampleLog(t, 3)
	full := errors.New("enough")
	n := 0
	l, err := OpenLog(LocalDisk{}, path, func([]byte) error {
		if n++; n == 2 {
			return full
		}
		return nil
	})
	if l != nil || !errors.Is(err, full) || !strings.Contains(err.Error(), "log:3:") {
		t.Fatalf("log %v, err %v", l, err)
	}
}

// alone repeats the test in a process of its own, where it returns true. Tests that limit the size of files need that,
// because go test lets package testing write a log of the files that a process opens.
func alone(t *testing.T) bool {
	t.Helper()
	const name = "WF_TEST_ALONE"
	if os.Getenv(name) == t.Name() {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), name+"="+t.Name())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return false
}

// limitFiles limits the size of all files of this process, so that writes fail half-way as on a full disk,
// until lift is called. The test must be alone.
func limitFiles(t *testing.T, size uint64) (lift func()) {
	t.Helper()
	signal.Ignore(unix.SIGXFSZ)
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	lift = func() {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
			t.Error(err)
		}
		signal.Reset(unix.SIGXFSZ)
	}
	return sync.OnceFunc(lift)
}

func TestLogFullDisk(t *testing.T) {
	if !alone(t) {
		return
	}
	path := filepath.Join(t.TempDir(), "log")
	l, err := OpenLog(LocalDisk{}, path, collect(new([]string)))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Append([]byte("first")), l.Flush(), l.Append([]byte("second"))); err != nil {
		t.Fatal(err)
	}
	lift := limitFiles(t, uint64(l.size)+9)
	defer lift()
	if err := l.Sync(); err == nil {
		t.Fatal("the write should have failed")
	}
	lift()
	var meanwhile []string
	if info, err := ReadLog(path, collect(&meanwhile)); err != nil || len(meanwhile) != 1 || info.Torn != 9 {
		t.Errorf("on the full disk: records %q, %+v, %v", meanwhile, info, err)
	}
	if err := l.Append([]byte("third")); err != nil {
		t.Fatalf("after a failed write: %v", err)
	}
	if err := errors.Join(l.Sync(), l.Close()); err != nil {
		t.Fatal(err)
	}
	var got []string
	if _, err := ReadLog(path, collect(&got)); err != nil || strings.Join(got, " ") != "first second third" {
		t.Fatalf("records %q, %v", got, err)
	}
}

func TestLogRefusesInvalidRecords(t *testing.T) {
	l, err := OpenLog(LocalDisk{}, filepath.Join(t.TempDir(), "log"), collect(new([]string)))
	if err != nil {
		t.Fatal(err)
	}
	if l.Append([]byte("two\nlines")) == nil {
		t.Error("a line feed was accepted")
	}
	if l.Append(make([]byte, MaxPayload+1)) == nil {
		t.Error("a record beyond MaxPayload was accepted")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Append([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
}

func TestLogLongRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, err := OpenLog(LocalDisk{}, path, collect(new([]string)))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, size := range []int{readBufSize - entryOverhead - 1, readBufSize - entryOverhead, readBufSize, 3*readBufSize + 1, MaxPayload, 5} {
		want = append(want, strings.Repeat("y", size))
		if err := l.Append([]byte(want[len(want)-1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	if info, err := ReadLog(path, collect(&got)); err != nil || info.Torn != 0 || !isPrefix(got, want) || len(got) != len(want) {
		t.Fatalf("%d of %d records, %+v, %v", len(got), len(want), info, err)
	}
}

// FuzzReadLog checks that no input makes the reader panic, and that good records before any other bytes are
// read.
func FuzzReadLog(f *testing.F) {
	_, data, _ := sampleLog(f, 4)
	f.Add(data)
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0}, 40))
	f.Add(append(bytes.Clone(data[len(headerLine()):]), "00000000 \n"...))
	f.Fuzz(func(t *testing.T, tail []byte) {
		(&scan{path: "log"}).read(bytes.NewReader(tail), collect(new([]string))) // any outcome but a panic

		good := appendEntry(bytes.Clone(headerLine()), []byte("one"))
		good = appendEntry(good, []byte("two"))
		var got []string
		info := scan{path: "log"}
		err := info.read(io.MultiReader(bytes.NewReader(good), bytes.NewReader(tail)), collect(&got))
		var damaged *DamagedError
		if err != nil && !errors.As(err, &damaged) {
			t.Fatal(err)
		}
		if len(got) < 2 || got[0] != "one" || got[1] != "two" || info.size < int64(len(good)) {
			t.Fatalf("records %q, %+v: a good prefix was lost", got, info)
		}
		if err == nil && info.size+info.torn+info.reserve != int64(len(good)+len(tail)) {
			t.Fatalf("%+v does not cover %d bytes", info, len(good)+len(tail))
		}
	})
}

func BenchmarkReplay(b *testing.B) {
	const records, size = 200_000, 150
	path := filepath.Join(b.TempDir(), "log")
	l, err := OpenLog(LocalDisk{}, path, collect(new([]string)))
	if err != nil {
		b.Fatal(err)
	}
	payload := bytes.Repeat([]byte("z"), size)
	for range records {
		if err := l.Append(payload); err != nil {
			b.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadLog(path, func([]byte) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(records*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkSync makes a record of 200 bytes durable, in a growing file and in one with a reserve.
func BenchmarkSync(b *testing.B) {
	for name, reserve := range map[string]int{"grows": 0, "filled": 4096} {
		b.Run(name, func(b *testing.B) {
			l, err := OpenLog(LocalDisk{}, filepath.Join(b.TempDir(), "log"), collect(new([]string)))
			if err != nil {
				b.Fatal(err)
			}
			payload := bytes.Repeat([]byte("z"), 200)
			for b.Loop() {
				if reserve > 0 {
					err = l.Reserve(reserve)
				}
				if err := errors.Join(err, l.Append(payload), l.Sync()); err != nil {
					b.Fatal(err)
				}
			}
			if err := l.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
