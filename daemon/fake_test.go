package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"wf/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakes is an opener of fake workspaces: the id of a path is the path without its slashes.
type fakes struct {
	mu     sync.Mutex // guards what follows
	opened map[string]int
	latest map[string]*fake
	fail   error
	left   []string
	going  []string      // runs that an earlier daemon has left in each of them
	gate   chan struct{} // when set, opening waits for it
}

func newFakes() *fakes { return &fakes{opened: map[string]int{}, latest: map[string]*fake{}} }

func (o *fakes) id(path string) (string, string, error) {
	return strings.ReplaceAll(path, "/", ""), path, nil
}

func (o *fakes) open(path string, _ bool) (Workspace, error) {
	if o.gate != nil {
		<-o.gate
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opened[path]++
	if o.fail != nil {
		return nil, o.fail
	}
	id, _, _ := o.id(path)
	w := &fake{path: path, ident: id, done: make(chan struct{}), stopped: make(chan struct{}), runs: slices.Clone(o.going)}
	o.latest[path] = w
	return w, nil
}

func (o *fakes) create(req api.NewRequest) error { return nil }

func (o *fakes) move(from, to string) (api.MoveResult, error) {
	return api.MoveResult{From: from, To: to}, nil
}

func (o *fakes) gone() ([]api.GoneHistory, error) { return nil, nil }

func (o *fakes) removeHistory(string) error { return nil }

func (o *fakes) unfinished() []string { return o.left }

func (o *fakes) tidy() {}

func (o *fakes) held() []api.HeldWorkspace { return nil }

func (o *fakes) get(path string) *fake {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.latest[path]
}

func (o *fakes) times(path string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.opened[path]
}

// fake is a workspace with runs that a test begins and ends. Methods that no test needs are
// those of the nil interface: calling them panics.
type fake struct {
	Workspace
	path, ident string
	done        chan struct{}
	once        sync.Once

	mu       sync.Mutex // guards what follows
	runs     []string
	watchers []*fakeWatcher
	seq      uint64
	onIdle   func()
	stopped  chan struct{} // closed by StopAll
	asked    []string      // clients that started runs
	out      io.ReadCloser
}

func (w *fake) Done() <-chan struct{} { return w.done }

func (w *fake) Busy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.runs)+len(w.watchers) > 0
}

func (w *fake) SetResults(string) {}

func (w *fake) OnIdle(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.onIdle = f
}

func (w *fake) Info() api.WorkspaceInfo {
	w.mu.Lock()
	defer w.mu.Unlock()
	return api.WorkspaceInfo{ID: w.ident, Workfile: w.path, Clients: len(w.watchers), Runs: append([]string{}, w.runs...)}
}

func (w *fake) Close(context.Context) error {
	w.mu.Lock()
	for _, v := range w.watchers {
		v.drop("the workspace is closing")
	}
	w.watchers = nil
	w.mu.Unlock()
	w.once.Do(func() { close(w.done) })
	return nil
}

func (w *fake) Status(context.Context, bool) (api.Status, error) {
	return api.Status{Workfile: w.path}, nil
}

func (w *fake) StartRun(_ context.Context, client string, _ api.RunRequest) (api.RunAccepted, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, client)
	w.runs = append(w.runs, "1")
	return api.RunAccepted{Run: "1"}, nil
}

// CallerOf knows every command.
func (w *fake) CallerOf(context.Context, api.Caller) (map[string]int, bool, error) {
	return nil, true, nil
}

// end ends all runs as the real workspace does: the event, then idleness.
func (w *fake) end() {
	w.mu.Lock()
	runs := w.runs
	w.runs = nil
	for _, r := range runs {
		w.publish(api.Event{Type: api.RunComplete, Run: r})
	}
	idle := w.onIdle
	quiet := len(w.watchers) == 0
	w.mu.Unlock()
	if quiet && idle != nil {
		idle()
	}
}

// publish sends an event to all watchers. The caller holds mu.
func (w *fake) publish(ev api.Event) {
	w.seq++
	ev.Seq = w.seq
	for _, v := range w.watchers {
		v.frames <- encode(api.Frame{Events: []api.Event{ev}})
	}
}

func (w *fake) StopAll(context.Context, string, api.StopRequest) ([]api.StopResult, error) {
	w.end()
	close(w.stopped)
	return nil, nil
}

func (w *fake) Output(context.Context, string, string, int, string, int64, bool) (io.ReadCloser, error) {
	return w.out, nil
}

func (w *fake) Watch(context.Context, string, api.WatchOptions) (Watcher, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := &fakeWatcher{w: w, frames: make(chan []byte, 1000)}
	v.frames <- encode(api.Frame{Snapshot: &api.Snapshot{Seq: w.seq, Status: api.Status{ActiveRuns: w.runs}}})
	w.watchers = append(w.watchers, v)
	return v, nil
}

type fakeWatcher struct {
	w      *fake
	frames chan []byte
	once   sync.Once
	reason string
}

func (v *fakeWatcher) Frames() <-chan []byte { return v.frames }

func (v *fakeWatcher) Reason() string { return v.reason }

func (v *fakeWatcher) drop(reason string) {
	v.once.Do(func() {
		v.reason = reason
		close(v.frames)
	})
}

func (v *fakeWatcher) Close() {
	v.w.mu.Lock()
	for i, x := range v.w.watchers {
		if x == v {
			v.w.watchers = append(v.w.watchers[:i:i], v.w.watchers[i+1:]...)
			break
		}
	}
	idle := v.w.onIdle
	quiet := len(v.w.watchers)+len(v.w.runs) == 0
	v.w.mu.Unlock()
	v.drop("")
	if quiet && idle != nil {
		idle()
	}
}

func encode(f api.Frame) []byte {
	b, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	return b
}

// running is a daemon in this process.
type running struct {
	t      testing.TB
	cfg    Config
	reg    api.Registry
	fakes  *fakes
	cancel context.CancelFunc
	ended  chan error
	http   *http.Client // on the unix socket
	log    *syncBuffer
}

// start runs a daemon in folders of its own until the test ends. change may alter its config.
func start(t testing.TB, change func(*Config, *fakes)) *running {
	t.Helper()
	r := &running{t: t, fakes: newFakes(), ended: make(chan error, 1), log: &syncBuffer{}}
	ready := make(chan api.Registry, 1)
	r.cfg = Config{Runtime: t.TempDir(), State: t.TempDir(), Port: freePort(t), Version: "test", Slots: 2, linger: time.Minute,
		Ready: func(reg api.Registry) { ready <- reg }, Log: slog.New(slog.NewTextHandler(r.log, nil))}
	if change != nil {
		change(&r.cfg, r.fakes)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.cancel = cancel
	go func() { r.ended <- run(ctx, r.cfg.withDefaults(), func(*slots) opener { return r.fakes }) }()
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

// wait waits for the end of the daemon; it may be called again.
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
		if want := httpStatus[e.Code]; want != resp.StatusCode {
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

// open opens a workfile and returns its fake and the path of its routes.
func (r *running) open(path string) (*fake, string) {
	r.t.Helper()
	var info api.WorkspaceInfo
	if e := r.ask("POST", api.OpenWorkspace.Path, api.OpenRequest{Path: path}, &info); e != nil {
		r.t.Fatal(e)
	}
	return r.fakes.get(path), api.CloseWorkspace.At(info.ID)
}

// letGo says that the client of the test needs a workspace no more.
func (r *running) letGo(path string) {
	r.t.Helper()
	if e := r.ask("DELETE", path, nil, nil); e != nil {
		r.t.Fatal(e)
	}
}

// freePort is a port that was free a moment ago.
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
