package runner

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/peer/peertest"
	"wf/executor/wire"
)

// TestOtherUserIsRefused checks that a connection of another user is refused, even if the mode of the socket lets all users
// connect.
func TestOtherUserIsRefused(t *testing.T) {
	r, _ := newTestRunner(t, 0)

	r.dir = peertest.SharedFolder(t)
	r.listener.dir = r.dir
	if err := r.listener.open(); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(r.listener.fd)
	path := filepath.Join(r.dir, wire.SocketFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	connect := func() error {
		conn, err := net.Dial("unix", path)
		if err == nil {
			t.Cleanup(func() { conn.Close() })
		}
		return err
	}
	if err := connect(); err != nil {
		t.Fatal(err)
	}
	r.links.accept(&r.listener, time.Now())
	if len(r.links.all) != 1 {
		t.Fatalf("%d connections of this user", len(r.links.all))
	}
	peertest.AsOtherUser(t, connect)
	r.links.accept(&r.listener, time.Now())
	if len(r.links.all) != 1 {
		t.Error("another user was accepted")
	}
	for _, l := range r.links.all {
		r.links.disconnect(l)
	}
}
