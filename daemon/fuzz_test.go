package daemon

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/api"
)

// FuzzRequests sends arbitrary requests to all routes, behind the checks of access. The answer is always a JSON value,
// with the HTTP status of its error code, and never CodeInternal.
func FuzzRequests(f *testing.F) {
	for i, r := range (&daemon{}).table() {
		f.Add(uint8(i), "x", "1", "nodes=0&node=a&offset=1&execution=1&stream=stdout&nonce="+strings.Repeat("ab", api.NonceBytes), "application/json", []byte(`{"path":"/w"}`))
		f.Add(uint8(i), "", "-", "offset=-1&follow=1", "application/json; charset=utf-8", []byte(r.Path))
	}
	f.Add(uint8(8), "ww", "1", "", "application/json", []byte(`{"jobs":1e400,"env":["\ud800"],"grace_ms":null,"nodes":{}}`))
	f.Add(uint8(4), "w", "1", "", "application/json", []byte(`{"path":"/x"}{"path":"/y"}`))
	f.Add(uint8(4), "w", "1", "", "text/plain", []byte(strings.Repeat("[", 100_000)))
	var log syncBuffer
	cfg := Config{Runtime: f.TempDir(), State: f.TempDir(), Port: freePort(f), Slots: 1, Executor: newManualExecutor(), Log: slog.New(slog.NewTextHandler(&log, nil))}.withDefaults()
	listeners, err := openListeners(cfg)
	if err != nil {
		f.Fatal(err)
	}
	d := newDaemon(cfg, listeners, newOpener)
	d.receiver.start(d)
	path := filepath.Join(realTempDir(f), "w")
	if err := os.WriteFile(path, []byte(oneNode), 0o644); err != nil {
		f.Fatal(err)
	}
	e, err := d.workspaces.open(f.Context(), path, false)
	if err != nil {
		f.Fatal(err)
	}
	d.triggers.keeper.Open()
	f.Cleanup(func() {
		d.triggers.keeper.Close()
		d.workspaces.close()
		d.cfg.values.Close()
		listeners.close()
	})
	routes, table := d.routes(), d.table()
	f.Fuzz(func(t *testing.T, at uint8, id, run, query, kind string, body []byte) {
		route := table[int(at)%len(table)]
		switch route.Path {
		case api.StopServer.Path, api.WatchEvents.Path:
			t.Skip("ends the daemon, or the talk in requests")
		case api.CreateWorkfile.Path, api.MoveWorkfile.Path, api.OpenWorkspace.Path, api.SaveCopy.Path, api.EditWorkfile.Path, api.EnableTriggers.Path:
			t.Skip("must not lead to files or commands of this machine")
		}
		id = pathSegment(id)
		if len(id)%2 == 0 {
			id = e.id
		}
		path := strings.NewReplacer("{id}", id, "{run}", pathSegment(run)).Replace(route.Path)
		req, err := http.NewRequest(route.Method, "http://"+api.SocketHost+path, bytes.NewReader(body))
		if err != nil {
			t.Skip("no request")
		}
		req.URL.RawQuery = query
		req.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		d.guard(socketAccess(), routes).ServeHTTP(w, req)
		checkAnswer(t, w)
		if strings.Contains(log.String(), "panic") {
			t.Fatalf("%s %s: %s", route.Method, path, log.String())
		}
	})
}

// pathSegment escapes a text so that it is one segment of a path.
func pathSegment(text string) string {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("/?#%.", r) || r <= ' ' || r >= 0x7f {
			return '_'
		}
		return r
	}, text)
	return "x" + text
}

// checkAnswer checks that an answer is complete and, for an error, an api.Error.
func checkAnswer(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	answer := w.Result()
	defer answer.Body.Close()
	kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	if kind == "application/octet-stream" || kind == "text/plain" || kind == "application/openmetrics-text" { // the latter are metrics
		return
	}
	dec := json.NewDecoder(answer.Body)
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		t.Fatalf("status %d, no JSON: %v", answer.StatusCode, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		t.Fatalf("status %d, more than one value", answer.StatusCode)
	}
	if answer.StatusCode == http.StatusOK {
		return
	}
	var e api.Error
	if err := json.Unmarshal(value, &e); err != nil || e.Message == "" || e.Code.Status() != answer.StatusCode || e.Code == api.CodeInternal {
		t.Fatalf("status %d with %s", answer.StatusCode, value)
	}
}
