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

// TestPlantedRunner: a socket that somebody else serves in the place of a runner's is sent nothing,
// and does not keep the run from having its runner.
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
		t.Error("somebody else's runner is trusted")
	}
	if text := <-heard; text != "" {
		t.Errorf("somebody else was sent %q", text)
	}
}

// openedFolder is a folder that other users can enter and write into.
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
