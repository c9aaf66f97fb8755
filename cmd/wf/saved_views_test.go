package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"wf/tui"
)

// TestSavedViews checks that a stored view is restored, and that a damaged, large or irregular file, or one of another user,
// counts as missing and does not block.
func TestSavedViews(t *testing.T) {
	s := savedViews(filepath.Join(t.TempDir(), "state", "views"))
	id := strings.Repeat("ab", 32)
	want := tui.SavedView{View: "list", Size: 2, Open: []string{"n1", "n2"}, Split: 0.4, Inspect: true, CutLines: true, Stream: "stderr"}
	if got := s.Recall(id); !reflect.DeepEqual(got, tui.SavedView{}) {
		t.Errorf("before a view was stored: %+v", got)
	}
	s.Keep(id, want)
	if got := s.Recall(id); !reflect.DeepEqual(got, want) {
		t.Errorf("stored %+v, got %+v", want, got)
	}
	if info, err := os.Stat(s.path(id)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	for name, spoil := range map[string]func(path string) error{
		"half":   func(path string) error { return os.WriteFile(path, []byte(`{"view":"list","zo`), 0o600) },
		"types":  func(path string) error { return os.WriteFile(path, []byte(`{"view":7}`), 0o600) },
		"large":  func(path string) error { return os.WriteFile(path, make([]byte, viewBytes+1), 0o600) },
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"link":   func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		if err := os.RemoveAll(s.path(id)); err != nil {
			t.Fatal(err)
		}
		if err := spoil(s.path(id)); err != nil {
			t.Fatal(err)
		}
		if got := s.Recall(id); !reflect.DeepEqual(got, tui.SavedView{}) {
			t.Errorf("%s: %+v", name, got)
		}
		s.Keep(id, want)
		if got := s.Recall(id); name != "folder" && !reflect.DeepEqual(got, want) {
			t.Errorf("%s is not replaced: %+v", name, got)
		}
	}
	s.Keep("../../escape", want)
	if left, _ := filepath.Glob(filepath.Join(string(s), ".new-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
