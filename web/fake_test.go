package web

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"wf/api"
	"wf/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// theFile is the workfile that the fake daemon has.
const theFile = "/srv/flow.graphml"

// A fakeDaemon answers on a unix socket, as a daemon does, and notes what it was asked.
type fakeDaemon struct {
	t      *testing.T
	socket string
	mux    *http.ServeMux
	frames chan api.Frame // to the latest watcher
	srv    *http.Server

	mu       sync.Mutex // guards the others
	noted    *sync.Cond // told of each request in asked
	status   api.Status
	asked    []string // METHOD PATH?QUERY BODY
	watchers []*websocket.Conn
	watched  chan bool // gets a value for each watcher
}

func newFakeDaemon(t *testing.T, status api.Status) *fakeDaemon {
	d := &fakeDaemon{t: t, socket: filepath.Join(t.TempDir(), "s"), mux: http.NewServeMux(), status: status, frames: make(chan api.Frame), watched: make(chan bool, 100)}
	d.noted = sync.NewCond(&d.mu)
	d.answer("GET", api.GetVersion.Path, api.VersionInfo{Version: "v1", Protocol: api.Version, PID: 1, Requests: true})
	d.answer("GET", api.GetServer.Path, api.ServerStatus{Workspaces: []api.WorkspaceInfo{{ID: "ws", Workfile: theFile, Runs: status.ActiveRuns}}})
	d.mux.HandleFunc("POST "+api.OpenWorkspace.Path, func(w http.ResponseWriter, r *http.Request) {
		var q api.OpenRequest
		_ = json.NewDecoder(r.Body).Decode(&q)
		id := "ws"
		if q.Path != theFile {
			id = "other"
		}
		_ = json.NewEncoder(w).Encode(api.WorkspaceInfo{ID: id, Workfile: q.Path})
	})
	d.mux.HandleFunc("GET "+api.WatchEvents.Path, d.watch)
	d.start()
	t.Cleanup(d.stop)
	return d
}

func (d *fakeDaemon) start() {
	l, err := net.Listen("unix", d.socket)
	if err != nil {
		d.t.Fatal(err)
	}
	d.srv = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		d.mu.Lock()
		d.asked = append(d.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
		d.noted.Broadcast()
		d.mu.Unlock()
		d.mux.ServeHTTP(w, r)
	})}
	go d.srv.Serve(l) //nolint:errcheck // it is closed
}

// stop ends the daemon with its connections, as a crash does.
func (d *fakeDaemon) stop() {
	d.srv.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, conn := range d.watchers {
		conn.Close()
	}
	d.watchers = nil
}

// answer serves a route with a fixed answer: bytes, or a value as JSON.
func (d *fakeDaemon) answer(method, path string, v any) {
	d.mux.HandleFunc(method+" "+path, func(w http.ResponseWriter, _ *http.Request) {
		if text, plain := v.(string); plain {
			_, _ = io.WriteString(w, text)
			return
		}
		if e, refused := v.(*api.Error); refused {
			w.WriteHeader(e.Code.Status())
		}
		_ = json.NewEncoder(w).Encode(v)
	})
}

// watch sends the snapshot, then the frames of the test.
func (d *fakeDaemon) watch(w http.ResponseWriter, r *http.Request) {
	conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	d.mu.Lock()
	d.watchers = append(d.watchers, conn)
	first := api.Frame{Snapshot: &api.Snapshot{Seq: 0, Status: d.status}}
	d.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for {
			if _, _, err := conn.NextReader(); err != nil {
				return
			}
		}
	}()
	defer conn.Close()
	if conn.WriteJSON(first) != nil {
		return
	}
	d.watched <- true
	for {
		select {
		case f := <-d.frames:
			if conn.WriteJSON(f) != nil {
				return
			}
		case <-gone:
			return
		}
	}
}

// got returns the requests so far that begin with begin.
func (d *fakeDaemon) got(begin string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.begun(begin)
}

// await returns the requests that begin with begin as soon as there is one, and none after ten seconds. A page may close its
// dialog before the daemon has the request.
func (d *fakeDaemon) await(begin string) []string {
	ctx, cancel := context.WithTimeout(d.t.Context(), 10*time.Second)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.noted.Broadcast()
	})()
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.begun(begin)) == 0 && ctx.Err() == nil {
		d.noted.Wait()
	}
	return d.begun(begin)
}

// begun is got for a caller that holds mu.
func (d *fakeDaemon) begun(begin string) (lines []string) {
	for _, line := range d.asked {
		if strings.HasPrefix(line, begin) {
			lines = append(lines, line)
		}
	}
	return lines
}

// A clock is set by its test.
type clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// serving is a server of the page with a fake daemon.
type serving struct {
	*Server
	t      *testing.T
	daemon *fakeDaemon
	clock  *clock
	http   *http.Client
}

// serve serves the page until the end of the test.
func serve(t *testing.T, d *fakeDaemon) *serving {
	t.Helper()
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &serving{t: t, daemon: d, clock: &clock{now: time.Now()}, http: &http.Client{Transport: &http.Transport{}}}
	s.Server = New(l, Options{
		Connect: func(ctx context.Context, start bool, lost func(error)) (*client.Client, error) {
			return client.Connect(ctx, client.Options{Lost: lost, NoStart: !start, Timeout: 5 * time.Second,
				Dial: func(ctx context.Context, _ bool) (net.Conn, error) {
					return (&net.Dialer{}).DialContext(ctx, "unix", d.socket)
				}})
		},
		Workfiles: func() []Workfile {
			return []Workfile{{Path: theFile, Run: "1", Result: api.ResFailed, When: time.Now()}}
		},
		Version: "test",
		Now:     s.clock.time,
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		s.http.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

// request sends a request as the page does, changed by change, and returns its status, headers and body.
func (s *serving) request(method, path, token, body string, change func(*http.Request)) (int, http.Header, string) {
	s.t.Helper()
	req, err := http.NewRequest(method, s.origin+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if change != nil {
		change(req)
	}
	resp, err := s.http.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, string(data)
}

// code returns the code of an address.
func code(address string) string {
	_, code, _ := strings.Cut(address, "#code=")
	return code
}

// enter signs in.
func (s *serving) enter(v Visit) (token string) {
	s.t.Helper()
	status, _, body := s.request("POST", "/session", "", `{"code":"`+code(s.Invite(v))+`"}`, nil)
	var answer struct{ Token string }
	if err := json.Unmarshal([]byte(body), &answer); err != nil || status != http.StatusOK {
		s.t.Fatalf("%d %s", status, body)
	}
	return answer.Token
}

// open signs in and opens the workfile.
func (s *serving) open(v Visit) (token string) {
	s.t.Helper()
	token = s.enter(v)
	if status, _, body := s.request("POST", "/open", token, `{"path":"`+theFile+`"}`, nil); status != http.StatusOK {
		s.t.Fatalf("%d %s", status, body)
	}
	return token
}

// two is a workfile with two nodes.
func two() api.Status {
	return api.Status{Workfile: theFile, Workspace: "ws", ActiveRuns: []string{}, Nodes: []api.NodeStatus{
		{ID: "n0", Name: "first", Command: "echo first", State: api.StateIdle}, {ID: "n1", Name: "second", Command: "echo second", State: api.StateIdle}},
		Edges: []api.EdgeStatus{{Key: 1, Source: "n0", Target: "n1", Type: "blocking"}}}
}
