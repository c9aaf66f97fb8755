package remote

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// otherUser is another user, for tests that run as root.
const otherUser = 65534

// TestOtherUserIsRefused connects as another user to the sockets of a keeper and of a holder, whose modes allow that by mistake.
func TestOtherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be two users")
	}
	dir, err := os.MkdirTemp("", "wf") // the path of a socket is limited
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	k := &Keeper{Runtime: dir, Version: "v1", SSH: "/bin/false"}
	h := Holder{Runtime: dir, Version: "v1"}
	id := strings.Repeat("0", 32)
	go func() { ended <- k.Serve(ctx) }()
	go func() { ended <- h.Serve(ctx, id) }()
	for path, request := range map[string]any{socketPath(dir, Destination{}, "v1"): Request{Kind: kindDaemon}, farPath(dir, id): hello{Protocol: Protocol, Link: id}} {
		for end := time.Now().Add(10 * time.Second); ; {
			// A socket has a file before it listens, so only a connection shows that it is ready.
			if conn, err := net.Dial("unix", path); err == nil {
				conn.Close()
				break
			}
			if time.Now().After(end) {
				t.Fatalf("no socket %s", path)
			}
			runtime.Gosched()
		}
		for _, name := range []string{dir, path} {
			if err := os.Chmod(name, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if got := askAs(t, otherUser, path, request); got != "" {
			t.Errorf("%s answers another user: %q", filepath.Base(path), got)
		}
		if got := askAs(t, 0, path, request); got == "" {
			t.Errorf("%s does not answer its own user", filepath.Base(path))
		}
	}
	stop()
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// askAs sends a line to a socket as a user, and returns the beginning of the answer.
func askAs(t *testing.T, uid uintptr, path string, request any) (answer string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The kernel checks the user of the thread. The thread is never unlocked, so it ends with the goroutine.
		runtime.LockOSThread()
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, uid, uid, uid); errno != 0 {
			t.Errorf("become user %d: %v", uid, errno)
			return
		}
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Errorf("connect as user %d: %v", uid, err)
			return
		}
		defer conn.Close()
		_ = writeLine(conn, request) // the other end may have closed the connection
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		buf := make([]byte, 64)
		n, err := conn.Read(buf)
		if os.IsTimeout(err) {
			t.Errorf("user %d is not refused", uid)
		}
		if err == io.EOF || err == nil {
			answer = string(buf[:n])
		}
	}()
	<-done
	return answer
}
