package client

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"wf/api"
)

// TestPlantedServer checks that the client sends nothing to a socket that another user serves, even if the registry
// names it, and that it never tries the port in the registry.
func TestPlantedServer(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be two users")
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, api.FileSocket)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	planted := listenAs(t, 65534, socket)
	heard := make(chan string, 2)
	for _, l := range []net.Listener{planted, tcp} {
		go func() {
			conn, err := l.Accept()
			if err != nil {
				heard <- ""
				return
			}
			data, _ := io.ReadAll(conn)
			conn.Close()
			heard <- string(data)
		}()
	}
	writeRegistry(t, dir, api.Registry{PID: 1, Socket: socket, URL: "http://" + tcp.Addr().String(), Token: "secret"}, 0o600)
	_, err = connect(t, Options{Runtime: dir})
	var u *UnreachableError
	if !errors.As(err, &u) || !strings.Contains(err.Error(), "is served by user 65534") {
		t.Errorf("got %v", err)
	}
	tcp.Close()
	planted.Close()
	for range 2 {
		if text := <-heard; text != "" {
			t.Errorf("the other user received %q", text)
		}
	}
}

// listenAs listens on a socket as another user, whom the kernel reports as the peer.
func listenAs(t *testing.T, uid int, path string) net.Listener {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), path)
	defer file.Close()
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); errno != 0 {
			t.Errorf("become user %d: %v", uid, errno)
		}
		if err := syscall.Listen(fd, 1); err != nil {
			t.Error(err)
		}
	}()
	<-done
	l, err := net.FileListener(file)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
