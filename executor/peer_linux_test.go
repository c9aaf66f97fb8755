package executor

import (
	"context"
	"io"
	"net"
	"path/filepath"
	"testing"

	"wf/executor/peer/peertest"
	"wf/executor/wire"
)

// TestPlantedRunner serves the socket of a run as another user: the daemon sends nothing to it, and the run still gets its
// runner.
func TestPlantedRunner(t *testing.T) {
	dir := peertest.SharedFolder(t)
	path := filepath.Join(dir, "runner.sock")
	var planted net.Listener
	peertest.AsOtherUser(t, func() (err error) {
		planted, err = net.Listen("unix", path)
		return err
	})
	defer planted.Close()
	received := make(chan string, 1)
	go func() {
		conn, err := planted.Accept()
		if err != nil {
			received <- err.Error()
			return
		}
		defer conn.Close()
		text, _ := io.ReadAll(conn)
		received <- string(text)
	}()
	if conn, err := wire.Dial(context.Background(), t.TempDir(), path); err == nil {
		conn.Close()
		t.Error("the socket of another user is trusted")
	}
	if text := <-received; text != "" {
		t.Errorf("the other user got %q", text)
	}
}
