package history

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestRecovery checks that attempts add up until EndRecovery, and that RecoveryLimit quarantines the workspace.
func TestRecovery(t *testing.T) {
	state := t.TempDir()
	for try := 1; try <= RecoveryLimit; try++ {
		before, err := ReadRecovery(state, "a1", "/x")
		if err != nil || before.Tries != try-1 || before.Quarantined() || before.Workspace != "a1" || before.Workfile != "/x" {
			t.Fatalf("before try %d: %+v, %v", try, before, err)
		}
		if held, err := Quarantined(state); err != nil || len(held) != 0 {
			t.Errorf("before try %d: held %+v, %v", try, held, err)
		}
		if err := BeginRecovery(LocalDisk{}, state, before, noon.Add(time.Duration(try)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	held, err := Quarantined(state)
	if err != nil || len(held) != 1 || held[0].Tries != RecoveryLimit || held[0].PID != os.Getpid() ||
		!held[0].Last.Equal(noon.Add(RecoveryLimit*time.Minute)) {
		t.Errorf("held %+v, %v", held, err)
	}
	if err := errors.Join(EndRecovery(LocalDisk{}, state, "a1"), EndRecovery(LocalDisk{}, state, "a1")); err != nil {
		t.Error(err)
	}
	if after, err := ReadRecovery(state, "a1", "/x"); err != nil || after.Tries != 0 {
		t.Errorf("after the end: %+v, %v", after, err)
	}
	if _, err := ReadRecovery(state, "../up", "/x"); err == nil {
		t.Error("a note outside its folder was read")
	}
}

// TestUnreadableRecovery checks that an unreadable note quarantines no workspace and that the error names it.
func TestUnreadableRecovery(t *testing.T) {
	state := t.TempDir()
	if err := os.Mkdir(filepath.Join(state, string(recoveryDir)), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{", `{"workspace":"a1","tries":-3}`, `{"workspace":"b2","tries":7}`, "\x00\x00"} {
		write(t, filepath.Join(state, string(recoveryDir), "a1"), []byte(text))
		if got, err := ReadRecovery(state, "a1", "/x"); err == nil || got.Tries != 0 || got.Workspace != "a1" {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if held, err := Quarantined(state); err == nil || len(held) != 0 {
			t.Errorf("%q: held %+v, %v", text, held, err)
		}
	}
}
