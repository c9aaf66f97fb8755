package runner

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/wire"
)

// listening returns a runner that listens.
func listening(t *testing.T) *runner {
	t.Helper()
	r, _ := newTestRunner(t, 0)

	r.listener.second = filepath.Join(t.TempDir(), "second")
	if err := r.listener.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(r.listener.fd) })
	return r
}

func (r *runner) reachable() bool {
	conn, err := wire.Dial(context.Background(), r.dir, r.listener.second)
	if err == nil {
		conn.Close()
	}
	return err == nil
}

// TestSocketIsCreatedAgain checks that a runner without a daemon creates its socket again if it is removed.
func TestSocketIsCreatedAgain(t *testing.T) {
	r := listening(t)
	if !r.reachable() {
		t.Fatal("no runner answers")
	}
	if err := os.Remove(r.listener.place.path); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	r.restartDaemon(now) // the last check was a moment ago
	if r.reachable() {
		t.Fatal("the socket is checked too often")
	}
	r.restartDaemon(now.Add(placePause))
	if !r.reachable() {
		t.Error("no runner answers at the new socket")
	}
}

// TestSecondSocket checks that a runner listens at its second path if the folder of the run cannot contain sockets.
func TestSecondSocket(t *testing.T) {
	r := listening(t)
	unix.Close(r.listener.fd)
	if err := os.Remove(r.listener.place.path); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(r.dir, wire.SocketFile, "in-the-way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := r.listener.open(); err != nil {
		t.Fatal(err)
	}
	if r.listener.place.path != r.listener.second || !r.reachable() {
		t.Errorf("it listens at %s", r.listener.place.path)
	}
}

// TestRunWithoutFolderEnds checks that a runner ends if the folder of its run is removed and nothing is running: no daemon
// could find it.
func TestRunWithoutFolderEnds(t *testing.T) {
	r := listening(t)
	r.options.StartDaemon = func() error { return nil }
	now := time.Now()
	r.restartDaemon(now)
	r.restartDaemon(now.Add(daemonRestartDelay))
	if r.closing.requested {
		t.Fatal("it ends although its folder is there")
	}
	if err := os.RemoveAll(r.dir); err != nil {
		t.Fatal(err)
	}
	r.restartDaemon(now.Add(time.Hour))
	if !r.closing.requested {
		t.Error("it goes on without a folder")
	}
}
