package daemon

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"wf/api"
)

// until waits until is returns true.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}

// findable reports whether a new client finds the daemon of r, and no other daemon can start.
func (r *running) findable() bool {
	reg, err := readRegistry(r.cfg.Runtime)
	if err != nil || reg != r.reg {
		return false
	}
	conn, err := net.Dial("unix", reg.Socket)
	if err == nil {
		conn.Close()
	}
	l := newLock(filepath.Join(r.cfg.Runtime, api.FileLock))
	got, lockErr := l.file.TryLock()
	l.Close()
	return err == nil && lockErr == nil && !got
}

func TestRuntimeFilesAreMadeAgain(t *testing.T) {
	for _, lost := range []string{api.FileLock, api.FileRegistry, api.FileSocket, "."} {
		t.Run(lost, func(t *testing.T) {
			r := start(t, nil)
			for os.RemoveAll(filepath.Join(r.cfg.Runtime, lost)) != nil { // the daemon creates files again meanwhile
				runtime.Gosched()
			}
			until(t, "the daemon can be found again", r.findable)
			if e := r.ask("GET", api.GetVersion.Path, nil, nil); e != nil {
				t.Fatal(e)
			}
		})
	}
}

// TestFolderOfTheSocketIsMadeAgain uses a runtime folder with a long path, so that the socket is in another folder.
func TestFolderOfTheSocketIsMadeAgain(t *testing.T) {
	r := start(t, func(c *Config) {
		c.Runtime = filepath.Join(c.Runtime, strings.Repeat("long", 30))
		if err := os.Mkdir(c.Runtime, 0o700); err != nil {
			t.Fatal(err)
		}
	})
	if err := os.RemoveAll(filepath.Dir(r.reg.Socket)); err != nil {
		t.Fatal(err)
	}
	until(t, "the daemon can be found again", r.findable)
}

// TestDamagedRegistryIsWrittenAgain checks that a registry of zeros, as after a crash with a full disk, is replaced.
func TestDamagedRegistryIsWrittenAgain(t *testing.T) {
	r := start(t, nil)
	if err := os.WriteFile(filepath.Join(r.cfg.Runtime, api.FileRegistry), make([]byte, 10), 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, "the registry is whole again", r.findable)
}

// TestDaemonGivesWay checks that a daemon that lost its lock to another daemon ends, and removes no files of the other.
func TestDaemonGivesWay(t *testing.T) {
	r := start(t, nil)
	elsewhere := r.cfg.Runtime + "-moved"
	if err := os.Rename(r.cfg.Runtime, elsewhere); err != nil { // moves all files at once, including the lock
		t.Fatal(err)
	}
	defer os.RemoveAll(elsewhere)
	if err := os.Mkdir(r.cfg.Runtime, 0o700); err != nil {
		t.Skip("the daemon was quicker")
	}
	l, err := acquire(t.Context(), r.cfg.Runtime)
	if err != nil {
		t.Skip("the daemon was quicker")
	}
	defer l.Close()
	other := api.Registry{PID: 1, Token: "of a successor", Socket: "elsewhere"}
	if err := writeRegistry(r.cfg.Runtime, other); err != nil {
		t.Fatal(err)
	}
	leftSocket(t, filepath.Join(r.cfg.Runtime, api.FileSocket))
	r.wait()
	if got, err := readRegistry(r.cfg.Runtime); err != nil || got != other {
		t.Errorf("the registry of the other is %+v, %v", got, err)
	}
	if _, err := os.Lstat(filepath.Join(r.cfg.Runtime, api.FileSocket)); err != nil {
		t.Errorf("the socket of the other: %v", err)
	}
}

// TestWorkspaceThatEndedIsOpenedAgain checks that the daemon opens a workspace with runs again after it crashed.
func TestWorkspaceThatEndedIsOpenedAgain(t *testing.T) {
	earlier, _ := withRun(t)
	path := filepath.Join(earlier.dir, "w")
	earlier.cancel()
	earlier.wait()
	r := start(t, func(c *Config) {
		c.State, c.Executor, c.IdleTimeout = earlier.cfg.State, earlier.x, time.Millisecond
	})
	until(t, "it is open", func() bool { return r.files.get(path) != nil })
	_ = r.files.get(path).Close(t.Context())
	until(t, "it is open again", func() bool { return r.files.count(path) == 2 })
}
