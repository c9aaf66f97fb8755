package traces

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"wf/workspace/tracing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// collector is a collector for tests. answer may be replaced; by default it accepts everything.
type collector struct {
	*httptest.Server
	t      *testing.T
	answer func(w http.ResponseWriter, n int)

	mu    sync.Mutex
	spans map[string]spanJSON // by id
	seen  chan int            // number of each request, from 1
	n     int
}

func newCollector(t *testing.T) *collector {
	c := &collector{t: t, spans: map[string]spanJSON{}, seen: make(chan int, 1000), answer: func(w http.ResponseWriter, _ int) { io.WriteString(w, `{}`) }}
	c.Server = httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(c.Server.Close)
	return c
}

func (c *collector) serve(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.n++
	n := c.n
	c.mu.Unlock()
	c.read(r)
	c.answer(w, n)
	c.seen <- n
}

// What follows reads a request by the rules of OTLP for JSON, and shares nothing with the writer.

type spanJSON struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	ParentID   string      `json:"parentSpanId"`
	State      string      `json:"traceState"`
	Flags      json.Number `json:"flags"`
	Name       string      `json:"name"`
	Kind       json.Number `json:"kind"`
	Start      string      `json:"startTimeUnixNano"` // a number would be an error of the decoder
	End        string      `json:"endTimeUnixNano"`
	Attributes []attrJSON  `json:"attributes"`
	Links      []struct {
		TraceID string `json:"traceId"`
		SpanID  string `json:"spanId"`
	} `json:"links"`
	Status struct {
		Code    json.Number `json:"code"`
		Message string      `json:"message"`
	} `json:"status"`
}

type attrJSON struct {
	Key   string `json:"key"`
	Value struct {
		String *string `json:"stringValue"`
		Int    *string `json:"intValue"`
		Bool   *bool   `json:"boolValue"`
	} `json:"value"`
}

var (
	trace16 = regexp.MustCompile(`^[0-9a-f]{32}$`)
	span8   = regexp.MustCompile(`^[0-9a-f]{16}$`)
)

func (c *collector) read(r *http.Request) {
	if r.Method != "POST" || r.Header.Get("Content-Type") != "application/json" || !strings.HasPrefix(r.Header.Get("User-Agent"), "wf/") {
		c.t.Errorf("%s %s: %v", r.Method, r.URL, r.Header)
	}
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			c.t.Error(err)
			return
		}
		body = z
	}
	var req struct {
		ResourceSpans []struct {
			Resource   struct{ Attributes []attrJSON }
			ScopeSpans []struct {
				Scope struct{ Name, Version string }
				Spans []spanJSON
			}
		}
	}
	dec := json.NewDecoder(body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&req); err != nil {
		c.t.Error(err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rs := range req.ResourceSpans {
		c.check(rs.Resource.Attributes)
		for _, ss := range rs.ScopeSpans {
			if ss.Scope.Name != "wf" || len(ss.Spans) > batchSize {
				c.t.Errorf("scope %+v with %d spans", ss.Scope, len(ss.Spans))
			}
			for _, s := range ss.Spans {
				c.span(s)
			}
		}
	}
}

func (c *collector) check(list []attrJSON) {
	seen := map[string]bool{}
	for _, a := range list {
		values := 0
		for _, set := range []bool{a.Value.String != nil, a.Value.Int != nil, a.Value.Bool != nil} {
			if set {
				values++
			}
		}
		if a.Key == "" || seen[a.Key] || values != 1 {
			c.t.Errorf("attribute %+v", a)
		}
		seen[a.Key] = true
		if a.Value.Int != nil {
			if _, err := strconv.ParseInt(*a.Value.Int, 10, 64); err != nil {
				c.t.Error(err)
			}
		}
	}
}

func (c *collector) span(s spanJSON) {
	start, err1 := strconv.ParseUint(s.Start, 10, 64)
	end, err2 := strconv.ParseUint(s.End, 10, 64)
	kind, err3 := s.Kind.Int64()
	if !trace16.MatchString(s.TraceID) || !span8.MatchString(s.SpanID) || s.ParentID != "" && !span8.MatchString(s.ParentID) ||
		errors.Join(err1, err2, err3) != nil || end < start || kind < 1 || kind > 5 || s.Name == "" {
		c.t.Errorf("span %+v", s)
	}
	c.check(s.Attributes)
	for _, l := range s.Links {
		if !trace16.MatchString(l.TraceID) || !span8.MatchString(l.SpanID) {
			c.t.Errorf("link %+v", l)
		}
	}
	if code := s.Status.Code.String(); code != "" && code != "2" {
		c.t.Errorf("status %q", code)
	}
	c.spans[s.SpanID] = s
}

func (c *collector) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.spans)
}

// await waits for request n.
func (c *collector) await(n int) {
	c.t.Helper()
	for got := range c.seen {
		if got == n {
			return
		}
	}
}

// testbed is a state folder with a run that is over, and a sender.
type testbed struct {
	t     *testing.T
	c     Config
	log   *syncBuffer
	spans int
	over  atomic.Bool
	held  atomic.Int32
	done  chan struct{} // gets a value when a job no longer holds the daemon
}

func newTestbed(t *testing.T, target tracing.Target) *testbed {
	b := &testbed{t: t, log: &syncBuffer{written: make(chan struct{}, 1)}, spans: 3, done: make(chan struct{}, 100)}
	b.over.Store(true)
	b.c = Config{State: t.TempDir(), Version: "1", Log: slog.New(slog.NewTextHandler(b.log, nil)),
		Build: func(id string, n int) (*tracing.Trace, bool, error) {
			ids := tracing.NewIDs(fmt.Sprint(id, n), "")
			tr := &tracing.Trace{ID: ids.Trace}
			for i := range b.spans {
				tr.Spans = append(tr.Spans, tracing.Span{ID: ids.Execution("n", i), Name: "n", Kind: tracing.Internal, Start: time.Now(), End: time.Now()})
			}
			return tr, b.over.Load(), nil
		},
		Hold: func() func() { b.held.Add(1); return b.letGo }}
	b.leave("w", 1, target)
	return b
}

func (b *testbed) letGo() {
	b.held.Add(-1)
	select {
	case b.done <- struct{}{}:
	default: // the test waits for the first ones only
	}
}

// leave writes the note about a trace that is to be sent.
func (b *testbed) leave(id string, n int, target tracing.Target) {
	if target.TimeoutMS == 0 {
		target.TimeoutMS = 10_000
	}
	target.Resource = map[string]string{"service.name": "wf"}
	data, _ := json.Marshal(target)
	if err := os.MkdirAll(filepath.Dir(b.note(id, n)), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(b.note(id, n), data, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *testbed) note(id string, n int) string {
	return filepath.Join(b.c.State, "workspaces", id, "runs", strconv.Itoa(n), tracing.FileTarget)
}

func (b *testbed) pending(id string, n int) bool {
	_, err := os.Stat(b.note(id, n))
	return err == nil
}

// syncBuffer is a log that a test can wait for.
type syncBuffer struct {
	mu      sync.Mutex
	b       bytes.Buffer
	written chan struct{} // has a value after a write
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case b.written <- struct{}{}:
	default:
	}
	return b.b.Write(p)
}

// await waits until the log contains a text.
func (b *syncBuffer) await(text string) {
	for !strings.Contains(b.String(), text) {
		<-b.written
	}
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// TestSend: a trace goes in requests of limited size, with the headers, and its note is removed.
func TestSend(t *testing.T) {
	for _, plain := range []bool{false, true} {
		c := newCollector(t)
		b := newTestbed(t, tracing.Target{Endpoint: c.URL + "/v1/traces", Headers: map[string]string{"X-Key": "k"}, Plain: plain})
		b.spans = 2*batchSize + 1
		var bad atomic.Int32
		c.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Key") != "k" || r.URL.Path != "/v1/traces" || (r.Header.Get("Content-Encoding") == "gzip") == plain {
				bad.Add(1)
			}
			c.serve(w, r)
		})
		s := Start(b.c)
		c.await(3)
		s.Ended("w", 1) // again: there is no note any more
		<-b.done
		s.Close()
		if c.count() != b.spans || bad.Load() != 0 || b.pending("w", 1) || b.held.Load() != 0 || c.n != 3 {
			t.Errorf("plain %v: %d spans, %d requests, pending %v, held %d, log %s", plain, c.count(), c.n, b.pending("w", 1), b.held.Load(), b.log)
		}
	}
}

// TestRetries: what may pass later is tried again from the request that failed on, and what never passes is given up.
func TestRetries(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		again  bool
	}{"busy": {429, true}, "gateway": {502, true}, "unavailable": {503, true}, "slow gateway": {504, true},
		"bad": {400, false}, "unauthorized": {401, false}, "missing": {404, false}, "large": {413, false}, "server": {500, false}, "redirect": {307, false}, "created": {201, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCollector(t)
			c.answer = func(w http.ResponseWriter, n int) {
				if n == 2 {
					w.Header().Set("Location", "/elsewhere")
					w.WriteHeader(tc.status)
				}
			}
			b := newTestbed(t, tracing.Target{Endpoint: c.URL})
			b.spans = batchSize + 1
			s := Start(b.c)
			c.await(2)
			if tc.again {
				c.await(3)
			}
			s.Ended("w", 2)
			<-b.done // the queue is in order
			s.Close()
			if b.pending("w", 1) || tc.again != (c.count() == b.spans) && tc.again || !tc.again && (c.n != 2 || !strings.Contains(b.log.String(), "given up")) || tc.again && c.n != 3 {
				t.Errorf("%d requests, %d spans, pending %v, log %s", c.n, c.count(), b.pending("w", 1), b.log)
			}
		})
	}
}

// TestDown: nothing listens. The daemon may end soon, the note stays, and the next sender sends the trace.
func TestDown(t *testing.T) {
	c := newCollector(t)
	address := c.URL
	b := newTestbed(t, tracing.Target{Endpoint: "http://127.0.0.1:1"})
	s := Start(b.c)
	s.Ended("w", 1)
	b.log.await("cannot be sent now")
	start := time.Now()
	s.Close()
	if took := time.Since(start); took > time.Second || !b.pending("w", 1) || b.held.Load() != 0 {
		t.Errorf("closed after %v, pending %v, held %d", took, b.pending("w", 1), b.held.Load())
	}
	b.leave("w", 1, tracing.Target{Endpoint: address})
	s = Start(b.c)
	c.await(1)
	s.Close()
	if c.count() != b.spans {
		t.Errorf("%d spans", c.count())
	}
}

// TestSlow: a collector that does not answer, or sends without end, holds neither the end of the daemon nor other runs.
func TestSlow(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter, release chan struct{}){
		"silent": func(_ http.ResponseWriter, release chan struct{}) { <-release },
		"endless": func(w http.ResponseWriter, release chan struct{}) {
			for {
				select {
				case <-release:
					return
				default:
					if _, err := io.WriteString(w, strings.Repeat("x", 4096)); err != nil {
						return
					}
				}
			}
		},
		"drip": func(w http.ResponseWriter, release chan struct{}) {
			w.(http.Flusher).Flush()
			<-release
		},
	} {
		t.Run(name, func(t *testing.T) {
			entered, release := make(chan struct{}, 10), make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				entered <- struct{}{}
				answer(w, release)
			}))
			defer server.Close()
			defer close(release)
			b := newTestbed(t, tracing.Target{Endpoint: server.URL})
			s := Start(b.c)
			<-entered
			start := time.Now()
			for range 10 * mostQueued { // never waits, and keeps no more than it may
				s.Ended("w", 7)
			}
			s.Close()
			if took := time.Since(start); took > 2*time.Second || b.held.Load() != 0 {
				t.Errorf("took %v, held %d", took, b.held.Load())
			}
		})
	}
}

// TestTimeout: the time of a request is limited by the target.
func TestTimeout(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	b := newTestbed(t, tracing.Target{Endpoint: server.URL, TimeoutMS: 20})
	s := Start(b.c)
	b.log.await("cannot be sent now")
	s.Close()
	if !b.pending("w", 1) {
		t.Error("the trace was given up")
	}
}

// TestPartialSuccess: what a collector rejects is logged and not sent again.
func TestPartialSuccess(t *testing.T) {
	c := newCollector(t)
	c.answer = func(w http.ResponseWriter, _ int) {
		io.WriteString(w, `{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too \u001b[31m old\nx"}}`)
	}
	b := newTestbed(t, tracing.Target{Endpoint: c.URL})
	s := Start(b.c)
	c.await(1)
	s.Ended("w", 2)
	<-b.done
	s.Close()
	if c.n != 1 || !strings.Contains(b.log.String(), "has rejected spans") || strings.ContainsRune(b.log.String(), 0x1b) {
		t.Errorf("%d requests, log %q", c.n, b.log)
	}
}

// TestNotes: a run that goes on is left alone; a note that cannot be read is removed; secrets are not logged.
func TestNotes(t *testing.T) {
	c := newCollector(t)
	b := newTestbed(t, tracing.Target{Endpoint: c.URL})
	b.over.Store(false)
	b.leave("v", 4, tracing.Target{Endpoint: "gopher://user:geheim@x/"})
	b.leave("v", 5, tracing.Target{Endpoint: "http://user:geheim@127.0.0.1:1/?k=geheim", Headers: map[string]string{"k": "geheim"}})
	if err := os.WriteFile(b.note("v", 4)+"x", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Start(b.c)
	s.Ended("w", 3)
	<-b.done
	s.Close()
	if !b.pending("w", 1) || b.pending("v", 4) || c.n != 0 {
		t.Errorf("pending %v, %v; %d requests", b.pending("w", 1), b.pending("v", 4), c.n)
	}
	if strings.Contains(b.log.String(), "k=geheim") || strings.Contains(b.log.String(), "user:geheim@127") {
		t.Errorf("log %s", b.log)
	}
	b.over.Store(true)
	s = Start(b.c)
	c.await(1)
	s.Close()
}

// TestCertificate: OTEL_EXPORTER_OTLP_CERTIFICATE names who is trusted; without it a strange certificate is refused.
func TestCertificate(t *testing.T) {
	got := make(chan struct{}, 10)
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		got <- struct{}{}
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	defer server.Close()
	file := filepath.Join(t.TempDir(), "c.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newTestbed(t, tracing.Target{Endpoint: server.URL})
	s := Start(b.c)
	b.log.await("certificate")
	s.Close()
	b.leave("w", 1, tracing.Target{Endpoint: server.URL, Certificate: file})
	s = Start(b.c)
	<-got
	s.Close()
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{"": 0, "7": 7 * time.Second, "-1": 0, "x": 0, "999999999999": keepTime, "9999999": keepTime,
		"Mon, 23 Nov 2026 12:00:30 GMT": 30 * time.Second, "Mon, 23 Nov 2026 11:00:30 GMT": 0} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
