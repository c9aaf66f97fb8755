package daemon

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLogIsRotatedWhenLarge(t *testing.T) {
	for _, size := range []int64{logBytes, logBytes + 1} {
		path := largeLog(t, size)
		log, err := OpenLog(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Rotate(); err != nil {
			t.Fatal(err)
		}
		log.Logger(slog.LevelInfo).Info("hello")
		log.Close()
		data, _ := os.ReadFile(path)
		old, oldErr := os.Stat(path + ".1")
		if rotated := size > logBytes; rotated != (oldErr == nil) || rotated != (len(data) < 1000) {
			t.Errorf("size %d: log of %d bytes now, old %v %v", size, len(data), old, oldErr)
		}
		if !strings.Contains(string(data), "hello") {
			t.Errorf("size %d: the log is written to another file", size)
		}
	}
}

// largeLog creates a log of this size in a state folder.
func largeLog(t *testing.T, size int64) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), FileLog)
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, size)); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOnlyTheHolderOfTheLockRotates checks that a second daemon does not rotate the log of the first.
func TestOnlyTheHolderOfTheLockRotates(t *testing.T) {
	r := start(t, nil)
	path := largeLog(t, logBytes+1)
	log, err := OpenLog(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cfg := r.cfg
	cfg.Locked = log.Rotate
	if err := run(t.Context(), cfg.withDefaults(), newOpener); !errors.Is(err, ErrAlreadyRunning) {
		t.Fatalf("second daemon: %v", err)
	}
	if _, err := os.Lstat(path + ".1"); !os.IsNotExist(err) {
		t.Errorf("the log was rotated: %v", err)
	}
	start(t, func(c *Config) { c.Locked = log.Rotate })
	if _, err := os.Lstat(path + ".1"); err != nil {
		t.Errorf("the only daemon does not rotate the log: %v", err)
	}
}

func TestLogIsNoLink(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.Symlink(target, filepath.Join(dir, FileLog)); err != nil {
		t.Fatal(err)
	}
	if log, err := OpenLog(dir); err == nil {
		log.Close()
		t.Error("a symbolic link is followed")
	}
	if _, err := os.Lstat(target); !os.IsNotExist(err) {
		t.Error("the target of the link was created")
	}
}
