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

// listening is a runner that listens, for a test.
func listening(t *testing.T) *runner {
	t.Helper()
	r, _ := newTestRunner(t, 0)
	r.links = map[int]*link{}
	r.dir, r.socket = t.TempDir(), filepath.Join(t.TempDir(), "second")
	if err := r.listen(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(r.listener) })
	return r
}

func (r *runner) reachable() bool {
	conn, err := wire.Dial(context.Background(), r.dir, r.socket)
	if err == nil {
		conn.Close()
	}
	return err == nil
}

// TestSocketIsMadeAnew: without a daemon a runner makes its socket again, whoever removed it.
func TestSocketIsMadeAnew(t *testing.T) {
	r := listening(t)
	if !r.reachable() {
		t.Fatal("nobody answers")
	}
	if err := os.Remove(r.place.path); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	r.callForDaemon(now) // it was in its place a moment ago
	if r.reachable() {
		t.Fatal("the socket is looked at all the time")
	}
	r.callForDaemon(now.Add(placePause))
	if !r.reachable() {
		t.Error("nobody answers at the socket that was made anew")
	}
}

// TestSecondSocket: where the folder of the run has no sockets the runner listens in the other place.
func TestSecondSocket(t *testing.T) {
	r := listening(t)
	unix.Close(r.listener)
	if err := os.Remove(r.place.path); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(r.dir, wire.SocketFile, "in-the-way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := r.listen(); err != nil {
		t.Fatal(err)
	}
	if r.place.path != r.socket || !r.reachable() {
		t.Errorf("it listens at %s", r.place.path)
	}
}

// TestForgottenRunEnds: a run whose folder is gone, and of which nothing is going, is found by nobody.
func TestForgottenRunEnds(t *testing.T) {
	r := listening(t)
	r.options.StartDaemon = func() error { return nil }
	now := time.Now()
	r.callForDaemon(now)
	r.callForDaemon(now.Add(lonelyPatience))
	if r.closing {
		t.Fatal("it ends although its folder is there")
	}
	if err := os.RemoveAll(r.dir); err != nil {
		t.Fatal(err)
	}
	r.callForDaemon(now.Add(time.Hour))
	if !r.closing {
		t.Error("it goes on without a folder")
	}
}
