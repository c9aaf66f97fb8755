package web

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/api"
)

// TestControl: A later wf web gets a new address from the server that runs, with its own environment, and ends it.
func TestControl(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	path := filepath.Join(t.TempDir(), "web.sock")
	if _, _, err := AskInvite(t.Context(), path, Visit{}); !errors.Is(err, ErrNotRunning) {
		t.Errorf("nobody listens: %v", err)
	}
	c, err := NewControl(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v %v", info, err)
	}
	if _, err := NewControl(path); !errors.Is(err, ErrRunning) {
		t.Errorf("a second server: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Serve(ctx, s.Server, stop) }()
	address, state, err := AskInvite(t.Context(), path, Visit{File: theFile, ReadOnly: true, Request: api.RunRequest{User: "ann"}})
	if err != nil || state.PID != os.Getpid() || !strings.HasPrefix(address, s.origin+"/#code=") {
		t.Fatalf("%s %+v %v", address, state, err)
	}
	status, _, body := s.request("POST", "/session", "", `{"code":"`+code(address)+`"}`, nil)
	if status != http.StatusOK || !strings.Contains(body, `"read_only":true`) || !strings.Contains(body, `"user":"ann"`) {
		t.Errorf("%d %s", status, body)
	}
	if err := AskState(t.Context(), path); err != nil {
		t.Error(err)
	}
	if _, err := AskStop(t.Context(), path); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := AskStop(t.Context(), path); !errors.Is(err, ErrNotRunning) {
		t.Errorf("after its end: %v", err)
	}
}

// TestKilledServer: The socket of a server that was killed is replaced.
func TestKilledServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "web.sock")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := NewControl(path)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if c, err = NewControl(path); err != nil {
		t.Fatal(err)
	}
	c.Close()
}
