package history_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"wf/workspace/history"
	"wf/workspace/history/historytest"
)

// TestCheck removes, moves, replaces and truncates the files of an open log.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		deed func(path string) error
		want string // "" = no error
	}{
		"nothing":  {func(string) error { return nil }, ""},
		"removed":  {os.Remove, "removed"},
		"moved":    {func(path string) error { return os.Rename(path, path+".old") }, "removed"},
		"emptied":  {func(path string) error { return os.Truncate(path, 0) }, "cut"},
		"cut":      {func(path string) error { return os.Truncate(path, 40) }, "cut"},
		"replaced": {replaceByCopy, "another file"},
		"moved and put back": {func(path string) error {
			if err := os.Rename(path, path+".old"); err != nil {
				return err
			}
			return os.Rename(path+".old", path)
		}, ""},
	} {
		for _, segments := range []int{1, 2} {
			t.Run(name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "log")
				l := logOfSegments(t, path, segments)
				if err := l.Check(); err != nil {
					t.Fatalf("before: %v", err)
				}
				last := path
				if segments == 2 {
					last += ".2"
				}
				if err := c.deed(last); err != nil {
					t.Fatal(err)
				}
				err := l.Check()
				if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("%d segments: %v, want %q", segments, err, c.want)
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestCheckLooksAtAllSegments removes the first of two segments.
func TestCheckLooksAtAllSegments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := logOfSegments(t, path, 2)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := l.Check(); err == nil || !strings.Contains(err.Error(), path+": it has been removed") {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// replaceByCopy replaces a file by a copy, like rsync and many editors.
func replaceByCopy(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// logOfSegments makes a log with a record and a reserve in each segment.
func logOfSegments(t *testing.T, path string, segments int) *history.Log {
	t.Helper()
	disk := &historytest.Faults{Disk: history.LocalDisk{}}
	l, err := history.OpenLog(disk, path, func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for n := range segments {
		if err := l.Append([]byte(record(n))); err != nil {
			t.Fatal(err)
		}
		if err := l.Flush(); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			count, _ := disk.Count()
			disk.Plan = historytest.Plan{At: count + 1, Err: syscall.EIO}
		}
		if err := l.Sync(); err != nil {
			t.Fatal(err)
		}
		if err := l.Reserve(1000); err != nil {
			t.Fatal(err)
		}
	}
	return l
}
