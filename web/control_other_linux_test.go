package web

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"wf/executor/peer/peertest"
)

// TestOtherUserAtTheControlSocket: Another user who reaches the socket, whose modes allow it by mistake, gets no address, and a
// server of another user is told nothing.
func TestOtherUserAtTheControlSocket(t *testing.T) {
	dir := peertest.SharedFolder(t)
	path := filepath.Join(dir, "web.sock")
	s := serve(t, newFakeDaemon(t, two()))
	c, err := NewControl(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Serve(ctx, s.Server, stop) }()
	peertest.AsOtherUser(t, func() error {
		conn, err := net.Dial("unix", path)
		if err != nil {
			return err
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "POST /invite HTTP/1.1\r\nHost: web\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
		if answer, _ := io.ReadAll(conn); len(answer) > 0 {
			return fmt.Errorf("another user got %q", answer)
		}
		return nil
	})
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}

	planted := filepath.Join(dir, "planted.sock")
	var l net.Listener
	peertest.AsOtherUser(t, func() (err error) {
		l, err = net.Listen("unix", planted)
		return err
	})
	defer l.Close()
	got := make(chan int, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		data, _ := io.ReadAll(conn)
		got <- len(data)
	}()
	if _, _, err := AskInvite(t.Context(), planted, Visit{}); err == nil {
		t.Error("a server of another user is trusted")
	}
	if n := <-got; n > 0 {
		t.Errorf("it was sent %d bytes", n)
	}
}
