package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"wf/api"
	"wf/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// running is a daemon in this process.
type running struct {
	t      testing.TB
	cfg    Config
	reg    api.Registry
	dir    string // of workfiles
	x      *manualExecutor
	files  *opened
	cancel context.CancelFunc
	ended  chan error
	http   *http.Client // on the unix socket
	log    *syncBuffer
}

// opened counts how often each workfile was opened, and contains the latest workspace of each.
type opened struct {
	mu     sync.Mutex
	times  map[string]int
	latest map[string]*workspace.Workspace
}

// counting is newOpener with a count of the openings.
func (o *opened) counting(cfg workspace.Config) opener[*workspace.Workspace] {
	real := newOpener(cfg)
	counted := real
	counted.open = func(path string, retry bool) (*workspace.Workspace, error) {
		w, err := real.open(path, retry)
		o.mu.Lock()
		defer o.mu.Unlock()
		o.times[path]++
		o.latest[path] = w
		return w, err
	}
	return counted
}

func (o *opened) get(path string) *workspace.Workspace {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.latest[path]
}

func (o *opened) count(path string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.times[path]
}

// start runs a daemon in folders of its own until the end of the test. change may alter its config. Its workspaces are
// real; the test ends their commands.
func start(t testing.TB, change func(*Config)) *running {
	t.Helper()
	r := &running{t: t, dir: realTempDir(t), x: newManualExecutor(), ended: make(chan error, 1), log: &syncBuffer{},
		files: &opened{times: map[string]int{}, latest: map[string]*workspace.Workspace{}}}
	ready := make(chan api.Registry, 1)
	r.cfg = Config{Runtime: t.TempDir(), State: t.TempDir(), Port: freePort(t), Version: "test", Slots: 2, linger: time.Minute,
		Executor: r.x, Ready: func(reg api.Registry) { ready <- reg }, Log: slog.New(slog.NewTextHandler(r.log, nil))}
	if change != nil {
		change(&r.cfg)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.cancel = cancel
	go func() { r.ended <- run(ctx, r.cfg.withDefaults(), r.files.counting) }()
	select {
	case r.reg = <-ready:
	case err := <-r.ended:
		cancel()
		t.Fatalf("the daemon did not start: %v", err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", r.reg.Socket)
	}}
	r.http = &http.Client{Transport: transport}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		cancel()
		r.wait()
	})
	return r
}

// wait waits for the end of the daemon. It may be called more than once.
func (r *running) wait() {
	r.t.Helper()
	err := <-r.ended
	r.ended <- err
	if err != nil {
		r.t.Errorf("Run: %v", err)
	}
}

// ask sends a request through the socket; an error in the answer is returned as *api.Error.
func (r *running) ask(method, path string, body, into any) *api.Error {
	r.t.Helper()
	var in io.Reader
	if body != nil {
		b, _ := json.Marshal(body)
		in = bytes.NewReader(b)
	}
	req, _ := http.NewRequestWithContext(r.t.Context(), method, "http://"+api.SocketHost+path, in)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(api.HeaderClient, "c-test")
	return r.do(r.http, req, into)
}

func (r *running) do(c *http.Client, req *http.Request, into any) *api.Error {
	r.t.Helper()
	resp, err := c.Do(req)
	if err != nil {
		r.t.Fatalf("%s %s: %v", req.Method, req.URL, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		e := &api.Error{}
		if err := json.NewDecoder(resp.Body).Decode(e); err != nil {
			r.t.Fatalf("%s %s: status %d without an error in it: %v", req.Method, req.URL, resp.StatusCode, err)
		}
		if want := e.Code.Status(); want != resp.StatusCode {
			r.t.Errorf("code %q came with status %d, want %d", e.Code, resp.StatusCode, want)
		}
		return e
	}
	if into != nil {
		if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
			r.t.Fatal(err)
		}
	}
	return nil
}

// workfile writes a workfile of one node, n, whose command runs until the test ends it, and returns its path.
func (r *running) workfile(name string) string {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.WriteFile(path, []byte(oneNode), 0o644); err != nil {
		r.t.Fatal(err)
	}
	return path
}

const oneNode = `<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="l" for="node" attr.name="label" attr.type="string"/>
<key id="x" for="node" attr.name="note" attr.type="string"/><graph edgedefault="directed"><node id="n"><data key="l">work</data></node></graph></graphml>`

// open opens a workfile, which it creates if it is missing, and returns its workspace and the path of its routes.
func (r *running) open(name string) (*workspace.Workspace, string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if _, err := os.Stat(path); err != nil {
		r.workfile(name)
	}
	var info api.WorkspaceInfo
	if e := r.ask("POST", api.OpenWorkspace.Path, api.OpenRequest{Path: path}, &info); e != nil {
		r.t.Fatal(e)
	}
	return r.files.get(path), api.CloseWorkspace.At(info.ID)
}

// startRun starts a run of the workspace with this path.
func (r *running) startRun(path string) string {
	r.t.Helper()
	var accepted api.RunAccepted
	if e := r.ask("POST", path+"/runs", api.RunRequest{}, &accepted); e != nil {
		r.t.Fatal(e)
	}
	return accepted.Run
}

// realTempDir returns a folder of the test without a symbolic link in its path.
func realTempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// allowIdle ends the lease of the test's client.
func (r *running) allowIdle(path string) {
	r.t.Helper()
	if e := r.ask("DELETE", path, nil, nil); e != nil {
		r.t.Fatal(e)
	}
}

// freePort returns a port that was free a moment ago.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// syncBuffer is a log that can be read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
