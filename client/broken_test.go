package client

import (
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"wf/api"
)

// dying is a daemon that is killed while the first client sends a request: it accepts one connection and ends without
// a response. It closes gone after its end.
func dying(t *testing.T, runtime string) (gone chan struct{}) {
	t.Helper()
	socket := filepath.Join(runtime, api.FileSocket)
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // as after kill -9
	writeRegistry(t, runtime, api.Registry{PID: 1, Socket: socket}, 0o600)
	gone = make(chan struct{})
	go func() {
		defer close(gone)
		if conn, err := l.Accept(); err == nil {
			conn.Read(make([]byte, 1)) // with the rest of the request unread, closing resets
			conn.Close()
		}
		l.Close()
	}()
	t.Cleanup(func() {
		l.Close()
		<-gone
	})
	return gone
}

func TestConnectToADaemonThatIsKilled(t *testing.T) {
	dir := t.TempDir()
	dying(t, dir)
	var starts int
	mustConnect(t, Options{Runtime: dir, Version: "v1", Start: starter(newFake(t, dir), &starts)})
	if starts != 1 {
		t.Errorf("%d daemons were started, want 1", starts)
	}
}

func TestReadIsRepeatedAfterDaemonDies(t *testing.T) {
	dir := t.TempDir()
	first := newFake(t, dir).start()
	var starts int
	second := newFake(t, dir)
	second.mux.HandleFunc("GET "+api.GetServer.Path, func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, api.ServerStatus{PID: 7})
	})
	c := mustConnect(t, Options{Runtime: dir, Version: "v1", Start: starter(second, &starts)})
	first.stop()
	dying(t, dir)
	status, err := c.Server(t.Context())
	if err != nil || status.PID != 7 || starts != 1 {
		t.Errorf("status %+v, %v, %d starts", status, err, starts)
	}
}

func TestReadIsRepeatedAfterTruncatedAnswer(t *testing.T) {
	dir := t.TempDir()
	d := newFake(t, dir)
	d.mux.HandleFunc("GET "+api.GetServer.Path, func(w http.ResponseWriter, _ *http.Request) {
		if d.count(api.GetServer.Path) == 1 {
			w.Header().Set("Content-Length", "100")
			w.Write([]byte(`{"socket":"half","pid":`))
			return // less than Content-Length: the server closes the connection
		}
		reply(w, 200, api.ServerStatus{PID: 7})
	})
	d.start()
	c := mustConnect(t, Options{Runtime: dir, Version: "v1"})
	status, err := c.Server(t.Context())
	if err != nil || status.PID != 7 || status.Socket != "" || d.count(api.GetServer.Path) != 2 {
		t.Errorf("status %+v, %v, asked %d times", status, err, d.count(api.GetServer.Path))
	}
}

func TestChangeIsNotRepeatedByDaemonWithoutKeys(t *testing.T) {
	dir := t.TempDir()
	first := newFake(t, dir).start()
	var starts int
	c := mustConnect(t, Options{Runtime: dir, Version: "v1", Start: starter(newFake(t, dir), &starts)})
	first.stop()
	dying(t, dir)
	if _, err := c.New(t.Context(), api.NewRequest{Path: "/x"}); !connectionBroke(err) || starts != 0 {
		t.Errorf("err %v, %d starts", err, starts)
	}
}
