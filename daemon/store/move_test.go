package store

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// TestMove moves the values of a workspace and of its runs to another one, with their expiry, and checks that others do not
// change.
func TestMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "kv.db")
		if err := open(t, path).Move(t.Context(), "aa", "bb"); err != nil {
			t.Fatalf("without a file: %v", err)
		}
		s := open(t, path)
		s.mustSet(t, Workfile("aa"), "k", "v", Terms{})
		s.mustSet(t, Run("aa", 7), "short", "s", Terms{TTL: time.Minute})
		s.mustSet(t, Workfile("aaa"), "k", "other", Terms{})
		s.mustSet(t, Machine(), "k", "machine", Terms{})
		if err := s.Move(t.Context(), "aa", "bb"); err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct {
			scope Scope
			key   string
			value string
		}{{Workfile("aa"), "k", "<none>"}, {Workfile("bb"), "k", "v"}, {Run("aa", 7), "short", "<none>"}, {Run("bb", 7), "short", "s"},
			{Workfile("aaa"), "k", "other"}, {Machine(), "k", "machine"}} {
			if got := s.mustGet(t, want.scope, want.key); got != want.value {
				t.Errorf("%s of %v is %q, want %q", want.key, want.scope, got, want.value)
			}
		}
		time.Sleep(2 * time.Minute)
		if got := s.mustGet(t, Run("bb", 7), "short"); got != "<none>" {
			t.Errorf("a value that has expired is %q", got)
		}
		s.Close()
	})
}
