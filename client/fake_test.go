package client

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"go.uber.org/goleak"

	"wf/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeDaemon answers on a socket as a daemon does, with the routes that a test gives it.
type fakeDaemon struct {
	t       testing.TB
	runtime string
	info    api.VersionInfo
	written api.Registry // what the registry has besides pid and socket
	mux     *http.ServeMux
	srv     *http.Server
	lock    *flock.Flock
	done    chan struct{}
	once    sync.Once

	mu    sync.Mutex // guards asked
	asked []*http.Request
}

// newFake returns a daemon that is not started yet. It is stopped at the end of the test.
func newFake(t testing.TB, runtime string) *fakeDaemon {
	d := &fakeDaemon{t: t, runtime: runtime, mux: http.NewServeMux(), done: make(chan struct{}),
		info: api.VersionInfo{Version: "v1", Protocol: api.Version, PID: 4121}}
	d.mux.HandleFunc("GET "+api.GetVersion.Path, func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, d.info) })
	d.mux.HandleFunc("POST "+api.StopServer.Path, func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, struct{}{})
		go d.stop()
	})
	d.mux.HandleFunc("POST "+api.OpenWorkspace.Path, func(w http.ResponseWriter, r *http.Request) {
		var q api.OpenRequest
		_ = json.NewDecoder(r.Body).Decode(&q)
		reply(w, 200, api.WorkspaceInfo{ID: "id", Workfile: q.Path})
	})
	t.Cleanup(d.stop)
	return d
}

func reply(w http.ResponseWriter, status int, v any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// start takes the lock, listens and writes the registry.
func (d *fakeDaemon) start() *fakeDaemon {
	d.t.Helper()
	d.lock = flock.New(filepath.Join(d.runtime, api.FileLock))
	if ok, err := d.lock.TryLock(); !ok {
		d.t.Errorf("lock of the fake daemon: %v", err)
	}
	socket := filepath.Join(d.runtime, api.FileSocket)
	os.Remove(socket)
	l, err := net.Listen("unix", socket)
	if err != nil {
		d.t.Error(err)
		return d
	}
	d.srv = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		d.asked = append(d.asked, r)
		d.mu.Unlock()
		d.mux.ServeHTTP(w, r)
	})}
	go func() {
		defer close(d.done)
		_ = d.srv.Serve(l)
	}()
	d.written.PID, d.written.Socket = d.info.PID, socket
	writeRegistry(d.t, d.runtime, d.written, 0o600)
	return d
}

// stop ends the fake like an orderly end of a daemon: registry, socket, lock.
func (d *fakeDaemon) stop() {
	d.end(func() { os.Remove(filepath.Join(d.runtime, api.FileRegistry)) })
}

// crash ends the fake like kill -9: its registry stays.
func (d *fakeDaemon) crash() { d.end(func() {}) }

func (d *fakeDaemon) end(leave func()) {
	d.once.Do(func() {
		if d.srv == nil {
			return
		}
		leave()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if d.srv.Shutdown(ctx) != nil {
			d.srv.Close()
		}
		<-d.done
		d.lock.Close()
	})
}

// count returns the number of requests for a path.
func (d *fakeDaemon) count(path string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, r := range d.asked {
		if r.URL.Path == path {
			n++
		}
	}
	return n
}

func writeRegistry(t testing.TB, runtime string, reg api.Registry, mode os.FileMode) {
	t.Helper()
	b, _ := json.Marshal(reg)
	path := filepath.Join(runtime, api.FileRegistry)
	if err := os.WriteFile(path+".tmp", b, mode); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(path+".tmp", mode); err != nil {
		t.Error(err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		t.Error(err)
	}
}

// starter returns a Starter that starts d and counts the starts.
func starter(d *fakeDaemon, starts *int) Starter {
	return func(context.Context) (<-chan error, error) {
		*starts++
		d.start()
		return make(chan error), nil
	}
}

// connect returns a client that is closed at the end of the test.
func connect(t *testing.T, opt Options) (*Client, error) {
	t.Helper()
	c, err := Connect(t.Context(), opt)
	if err == nil {
		t.Cleanup(c.Close)
	}
	return c, err
}

func mustConnect(t *testing.T, opt Options) *Client {
	t.Helper()
	c, err := connect(t, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
