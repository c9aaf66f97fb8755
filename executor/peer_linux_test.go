package executor

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"wf/executor/peer/peertest"
	"wf/executor/wire"
)

// TestPlantedRunner serves the socket of a run as another user: the daemon sends nothing to it, and the run still gets its
// runner.
func TestPlantedRunner(t *testing.T) {
	dir := openedFolder(t)
	path := filepath.Join(dir, "runner.sock")
	var planted net.Listener
	peertest.AsOtherUser(t, func() (err error) {
		planted, err = net.Listen("unix", path)
		return err
	})
	defer planted.Close()
	heard := make(chan string, 1)
	go func() {
		conn, err := planted.Accept()
		if err != nil {
			heard <- err.Error()
			return
		}
		defer conn.Close()
		text, _ := io.ReadAll(conn)
		heard <- string(text)
	}()
	if conn, err := wire.Dial(context.Background(), t.TempDir(), path); err == nil {
		conn.Close()
		t.Error("the socket of another user is trusted")
	}
	if text := <-heard; text != "" {
		t.Errorf("the other user got %q", text)
	}
}

// openedFolder returns a folder that other users can enter and write into.
func openedFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "wf")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}
