package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestKillsOnLogout: the last file that says something about it wins, and what is commented out
// says nothing.
func TestKillsOnLogout(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want bool, why string) {
		t.Helper()
		if got := killsOnLogout(root); got != want {
			t.Errorf("%s: kills on logout: %v", why, got)
		}
	}
	expect(false, "no file")
	write("etc/systemd/logind.conf", "[Login]\n#KillUserProcesses=yes\n")
	expect(false, "a comment")
	write("usr/lib/systemd/logind.conf.d/10-site.conf", "[Login]\nKillUserProcesses=yes\n")
	expect(true, "what the distribution says")
	write("etc/systemd/logind.conf.d/90-own.conf", "[Login]\n  KillUserProcesses=no  \n")
	expect(false, "what the administrator says")
}

// TestDiskOf: a local disk is not taken for one of the network, and has room.
func TestDiskOf(t *testing.T) {
	found, err := diskOf(t.TempDir())
	if err != nil || found.bytes == 0 {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := diskOf("/nonexistent/folder"); err == nil {
		t.Error("a folder that is not there has a disk")
	}
	if got := existing("/nonexistent/folder"); got != "/" {
		t.Errorf("the nearest folder above is %q", got)
	}
}
