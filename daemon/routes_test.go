package daemon

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"wf/api"
)

// send is ask with a given body and content type.
func (r *running) send(method, path, kind string, body io.Reader) *api.Error {
	req, _ := http.NewRequest(method, "http://"+api.SocketHost+path, body)
	req.Header.Set("Content-Type", kind)
	return r.do(r.http, req, nil)
}

func TestBodies(t *testing.T) {
	r := start(t, nil)
	good := `{"path":"` + r.workfile("w") + `","later":"a field of the future"}`
	cases := []struct {
		name, kind, body string
		want             api.Code
	}{
		{"json", "application/json", good, ""},
		{"json with charset", "application/json; charset=utf-8", good, ""},
		{"what a form sends", "text/plain", good, api.CodeInvalid},
		{"no type", "", good, api.CodeInvalid},
		{"json in name only", "application/json-seq", good, api.CodeInvalid},
		{"broken", "application/json", `{"path":`, api.CodeInvalid},
		{"two values", "application/json", good + good, api.CodeInvalid},
		{"relative path", "application/json", `{"path":"w"}`, api.CodeInvalid},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			e := r.send("POST", api.OpenWorkspace.Path, tc.kind, strings.NewReader(tc.body))
			if (e == nil) != (tc.want == "") || e != nil && e.Code != tc.want {
				t.Errorf("answer %+v, want code %q", e, tc.want)
			}
		})
	}
	large := `{"path":"/` + strings.Repeat("w", int(api.OpenWorkspace.Limit)) + `"}`
	if e := r.send("POST", api.OpenWorkspace.Path, "application/json", strings.NewReader(large)); e == nil || !strings.Contains(e.Message, "larger than") {
		t.Errorf("too large: %v", e)
	}
	// The environment of a run may be larger than other bodies.
	_, path := r.open("w")
	env := `{"env":["X=` + strings.Repeat("x", 2*int(api.OpenWorkspace.Limit)) + `"]}`
	if e := r.send("POST", path+"/runs", "application/json", bytes.NewReader([]byte(env))); e != nil {
		t.Errorf("large environment: %v", e)
	}
}

func TestUnknownRoutesAndWorkspaces(t *testing.T) {
	r := start(t, nil)
	for _, path := range []string{"/", "/v1/nothing", "/v2/version", api.GetStatus.At("none")} {
		if e := r.ask("GET", path, nil, nil); e == nil || e.Code != api.CodeNotFound {
			t.Errorf("%s: %v", path, e)
		}
	}
}

// TestEveryEndpointIsServed: The table of the daemon and the list of package api are the same.
func TestEveryEndpointIsServed(t *testing.T) {
	known := map[api.Endpoint]bool{}
	for _, e := range api.Endpoints() {
		known[e] = true
	}
	served := (&daemon{}).table()
	for _, e := range served {
		if !known[e.Endpoint] {
			t.Errorf("%s %s is not in api.Endpoints", e.Method, e.Path)
		}
	}
	if len(served) != len(known) {
		t.Errorf("%d routes are served, api.Endpoints has %d", len(served), len(known))
	}
}

func TestPanicIsAnAnswer(t *testing.T) {
	r := start(t, nil)
	d := &daemon{cfg: r.cfg.withDefaults()}
	handler := d.guard(socketAccess(), http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a bug") }))
	req := httptest.NewRequest("GET", "http://"+api.SocketHost+"/", nil)
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, req)
	if answer.Code != http.StatusInternalServerError {
		t.Fatalf("answer %d %s", answer.Code, answer.Body)
	}
	if !strings.Contains(r.log.String(), "panic") {
		t.Error("the log does not mention it")
	}
}

func TestRefusedRequestsAreNotLogged(t *testing.T) {
	r := start(t, nil)
	req, _ := http.NewRequest("POST", r.reg.URL+"/secret-path", strings.NewReader("secret-body"))
	req.Header.Set("X-Secret", "secret-header")
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if e := r.do(c, req, nil); e == nil {
		t.Fatal("let in")
	}
	if strings.Contains(r.log.String(), "secret") {
		t.Errorf("log: %s", r.log)
	}
}

// serveOutput answers one request with out and returns the response.
func serveOutput(t *testing.T, out io.ReadCloser) *http.Response {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stream(w, r, out) }))
	t.Cleanup(server.Close)
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport}).Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func TestOutputIsStreamed(t *testing.T) {
	in, out := io.Pipe()
	resp := serveOutput(t, in)
	defer resp.Body.Close()
	for _, piece := range []string{"one", "\x00two"} { // each one arrives before the next one is written
		if _, err := out.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(piece))
		if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != piece {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	// After the client has gone, the daemon closes the output, so the writer gets an error.
	resp.Body.Close()
	for {
		if _, err := out.Write([]byte("more")); err != nil {
			break
		}
	}
}

func TestOutputThatBreaksIsCut(t *testing.T) {
	resp := serveOutput(t, io.NopCloser(io.MultiReader(strings.NewReader("half"), brokenReader{})))
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("%q looks complete", b)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }
