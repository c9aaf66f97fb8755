package history

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ruin returns functions that damage a file, or replace it by something else, by name.
func ruin(t *testing.T, text []byte) map[string]func(path string) error {
	t.Helper()
	all := map[string]func(string) error{
		"a folder":    func(path string) error { return os.Mkdir(path, 0o700) },
		"a pipe":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a link":      func(path string) error { return os.Symlink("/dev/zero", path) },
		"a loop":      func(path string) error { return os.Symlink(path, path) },
		"a socket":    func(path string) error { return syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0) },
		"1 GiB of 0":  func(path string) error { return os.Truncate(path, 1<<30) },
		"mode 000":    func(path string) error { return os.WriteFile(path, text, 0) },
		"random":      func(path string) error { return os.WriteFile(path, noise(uint64(len(text))), 0o600) },
		"64 KiB of 0": func(path string) error { return os.WriteFile(path, make([]byte, 64<<10), 0o600) },
	}
	for cut := range text {
		all[fmt.Sprintf("cut at %d", cut)] = func(path string) error { return os.WriteFile(path, text[:cut], 0o600) }
	}
	chance := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		at, bit := chance.IntN(len(text)), chance.IntN(8)
		all[fmt.Sprintf("bit %d of byte %d", bit, at)] = func(path string) error {
			flipped := bytes.Clone(text)
			flipped[at] ^= 1 << bit
			return os.WriteFile(path, flipped, 0o600)
		}
	}
	return all
}

// noise returns pseudo-random bytes.
func noise(seed uint64) []byte {
	b := make([]byte, 1000)
	chance := rand.NewChaCha8([32]byte{byte(seed)})
	chance.Read(b)
	return b
}

// each calls f for every damage to the file at path. f must return soon and use little memory.
func each(t *testing.T, path string, f func(what string)) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, do := range ruin(t, text) {
		err := os.RemoveAll(path)
		if err == nil && what == "1 GiB of 0" {
			err = os.WriteFile(path, nil, 0o600)
		}
		if err == nil {
			err = do(path)
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		done := make(chan struct{})
		go func() {
			defer close(done)
			f(what)
		}()
		select {
		case <-done:
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s: it hangs", what)
		}
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 256<<20 { // in sum, a part of it at a time
			t.Errorf("%s: %d MiB were taken", what, taken>>20)
		}
	}
	if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, text, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedMark checks that the error names an unreadable mark, and that the others are read.
func TestDamagedMark(t *testing.T) {
	state := t.TempDir()
	if err := errors.Join(MarkActive(LocalDisk{}, state, "a1", "/data/x"), MarkActive(LocalDisk{}, state, "b2", "/data/y")); err != nil {
		t.Fatal(err)
	}
	each(t, filepath.Join(state, string(activeDir), "a1"), func(what string) {
		marks, err := Active(state)
		other := ActiveMark{}
		if n := len(marks); n > 0 {
			other = marks[n-1]
		}
		if other != (ActiveMark{"b2", "/data/y"}) {
			t.Errorf("%s: the other mark is %+v", what, other)
		}
		if err == nil && (len(marks) != 2 || marks[0].Workspace != "a1") {
			t.Errorf("%s: no error for the damage: %+v", what, marks)
		}
		if err != nil && !strings.Contains(err.Error(), "a1") {
			t.Errorf("%s: the error names no file: %v", what, err)
		}
		if !IsActive(state, "a1") {
			t.Errorf("%s: it does not count as a mark", what)
		}
	})
}

// TestDamagedRecovery checks that an unreadable note quarantines no workspace and does not hide others.
func TestDamagedRecovery(t *testing.T) {
	state := t.TempDir()
	for _, id := range []string{"a1", "b2"} {
		if err := BeginRecovery(LocalDisk{}, state, Recovery{Workspace: id, Workfile: "/x", Tries: RecoveryLimit}, noon); err != nil {
			t.Fatal(err)
		}
	}
	each(t, filepath.Join(state, string(recoveryDir), "a1"), func(what string) {
		held, err := Quarantined(state)
		if len(held) == 0 || held[len(held)-1].Workspace != "b2" {
			t.Errorf("%s: the other one is not quarantined: %+v, %v", what, held, err)
		}
		got, err := ReadRecovery(state, "a1", "/x")
		if got.Workspace != "a1" || err != nil && got.Tries != 0 {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	})
}

// TestDamagedLastRun checks that no number is used twice if the file last-run is damaged.
func TestDamagedLastRun(t *testing.T) {
	s := openStore(t)
	write(t, filepath.Join(s.dir, lastRunFile), []byte("4711\n"))
	each(t, filepath.Join(s.dir, lastRunFile), func(what string) {
		if n, err := s.lastRemoved(); err == nil && n == 0 {
			t.Errorf("%s: read as none", what)
		}
	})
}

// TestDamagedLog checks that the complete entries of a damaged runner log are read in order, and that OpenLog
// keeps them or reports the damage.
func TestDamagedLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record")
	var lines []string
	l, err := OpenLog(LocalDisk{}, path, func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		lines = append(lines, fmt.Sprintf(`{"k":"end","n":%d,"e":1,"c":%d}`, i, i*7))
		if err := l.Append([]byte(lines[i])); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(l.Sync(), l.Close()); err != nil {
		t.Fatal(err)
	}
	each(t, path, func(what string) {
		n := 0
		replay := func(line []byte) error {
			if string(line) != lines[n] {
				t.Errorf("%s: line %d is %q", what, n, line)
			}
			n++
			return nil
		}
		info, readErr := ReadLog(path, replay)
		read := n
		n = 0
		l, openErr := OpenLog(LocalDisk{}, path, replay)
		if l != nil {
			openErr = errors.Join(openErr, l.Close())
		}
		if openErr == nil && n != read || readErr == nil && openErr != nil && what != "1 GiB of 0" {
			t.Errorf("%s: %d lines read (%v), %d when opened (%v)", what, read, readErr, n, openErr)
		}
		whole := !strings.Contains(what, " at ") // a cut between two lines cannot be detected
		if whole && openErr == nil && n < len(lines) && n > 0 && info.Torn == 0 {
			t.Errorf("%s: %d of %d lines without an error", what, n, len(lines))
		}
	})
}
