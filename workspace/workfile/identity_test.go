package workfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestLastingID: the id of a workfile does not change when the file is missing for a while.
func TestLastingID(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path, link := filepath.Join(dir, "Workfile"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	want, _, err := ID(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, p := range []string{path, filepath.Join(link, "Workfile")} {
			if id, err := LastingID(p); err != nil || id != want {
				t.Errorf("%s: %s, %v", p, id, err)
			}
		}
		os.Remove(path)
	}
	for _, p := range []string{"", "Workfile", filepath.Join(dir, "none", "Workfile")} {
		if id, err := LastingID(p); err == nil {
			t.Errorf("%q has the id %s", p, id)
		}
	}
}

// TestRenamed: the daemon takes the file after its own rename for its own, and a file that another program has written since
// then, in place or by another rename, for changed.
func TestRenamed(t *testing.T) {
	dir := t.TempDir()
	path, tmp := filepath.Join(dir, "Workfile"), filepath.Join(dir, "tmp")
	cases := map[string]struct {
		meanwhile func() error
		changed   bool
	}{
		"nothing": {func() error { return nil }, false},
		"appended": {func() error {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString(" ")
			return err
		}, true},
		"rewritten later with as many bytes": {func() error {
			if err := os.WriteFile(path, []byte("NEW"), 0o600); err != nil {
				return err
			}
			later := time.Now().Add(time.Second)
			return os.Chtimes(path, later, later)
		}, true},
		"replaced": {func() error {
			if err := os.WriteFile(tmp, []byte("new"), 0o600); err != nil {
				return err
			}
			return os.Rename(tmp, path)
		}, true},
		"removed": {func() error { return os.Remove(path) }, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(tmp, []byte("new"), 0o600); err != nil {
				t.Fatal(err)
			}
			written, err := os.Stat(tmp)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.Rename(tmp, path), c.meanwhile()); err != nil {
				t.Fatal(err)
			}
			kept := renamed(path, identify(written))
			info, err := os.Stat(path)
			if changed := err != nil || identify(info) != kept; changed != c.changed {
				t.Errorf("changed: %t", changed)
			}
		})
	}
}
