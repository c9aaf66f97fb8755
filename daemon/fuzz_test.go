package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"wf/api"
)

// FuzzRequests sends anything to any route, past the door. The answer is ours, whatever was asked: a
// JSON value, with the HTTP status that the code of an error has, and never a bug.
func FuzzRequests(f *testing.F) {
	for i, r := range (&daemon{}).table() {
		f.Add(uint8(i), "x", "1", "nodes=0&node=a&offset=1&execution=1&stream=stdout&nonce="+strings.Repeat("ab", api.NonceBytes), "application/json", []byte(`{"path":"/w"}`))
		f.Add(uint8(i), "", "-", "offset=-1&follow=1", "application/json; charset=utf-8", []byte(r.Path))
	}
	f.Add(uint8(8), "w", "1", "", "application/json", []byte(`{"jobs":1e400,"env":["\ud800"],"grace_ms":null,"nodes":{}}`))
	f.Add(uint8(4), "w", "1", "", "application/json", []byte(`{"path":"/x"}{"path":"/y"}`))
	f.Add(uint8(4), "w", "1", "", "text/plain", []byte(strings.Repeat("[", 100_000)))
	var log syncBuffer
	cfg := Config{Runtime: f.TempDir(), State: f.TempDir(), Port: freePort(f), Slots: 1, Log: slog.New(slog.NewTextHandler(&log, nil))}.withDefaults()
	doors, err := openDoors(cfg)
	if err != nil {
		f.Fatal(err)
	}
	d := newDaemon(cfg, doors, func(*slots) opener { return obligingOpener{newFakes()} })
	f.Cleanup(func() {
		d.workspaces.close()
		d.cfg.values.Close()
		doors.close()
	})
	routes, table := d.routes(), d.table()
	f.Fuzz(func(t *testing.T, at uint8, id, run, query, kind string, body []byte) {
		route := table[int(at)%len(table)]
		if route.Path == api.StopServer.Path || strings.HasSuffix(route.Path, "/events") {
			t.Skip("ends the daemon, or the talk in requests")
		}
		path := strings.NewReplacer("{id}", pathSegment(id), "{run}", pathSegment(run)).Replace(route.Path)
		req, err := http.NewRequest(route.Method, "http://"+api.SocketHost+path, bytes.NewReader(body))
		if err != nil {
			t.Skip("no request")
		}
		req.URL.RawQuery = query
		req.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		d.guard(socketDoor(), anyWorkspace(d, routes)).ServeHTTP(w, req)
		checkAnswer(t, w)
		if strings.Contains(log.String(), "panic") {
			t.Fatalf("%s %s: %s", route.Method, path, log.String())
		}
	})
}

// pathSegment keeps a text within its place of a path.
func pathSegment(text string) string {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("/?#%.", r) || r <= ' ' || r >= 0x7f {
			return '_'
		}
		return r
	}, text)
	return "x" + text
}

// anyWorkspace opens the workspace that is asked for before it is.
func anyWorkspace(d *daemon, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, ok := strings.CutPrefix(r.URL.Path, api.OpenWorkspace.Path+"/"); ok {
			id, _, _ := strings.Cut(rest, "/")
			if e, err := d.workspaces.open(r.Context(), id, false); err == nil {
				defer d.workspaces.release(e)
			}
		}
		next.ServeHTTP(w, r)
	})
}

// checkAnswer wants a whole answer in our words.
func checkAnswer(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	answer := w.Result()
	defer answer.Body.Close()
	if answer.Header.Get("Content-Type") == "application/octet-stream" {
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
	if err := json.Unmarshal(value, &e); err != nil || e.Message == "" || httpStatus[e.Code] != answer.StatusCode || e.Code == api.CodeInternal {
		t.Fatalf("status %d with %s", answer.StatusCode, value)
	}
}

// obliging is a workspace that says yes to everything, and does nothing: what is fuzzed is the way
// to it, and paths in requests must not lead to files of this machine.
type obliging struct{ *fake }

func (obliging) StartRun(context.Context, string, api.RunRequest) (api.RunAccepted, error) {
	return api.RunAccepted{}, nil
}
func (obliging) StopRun(context.Context, string, string, api.StopRequest) (api.StopResult, error) {
	return api.StopResult{}, nil
}
func (obliging) StopAll(context.Context, string, api.StopRequest) ([]api.StopResult, error) {
	return nil, nil
}
func (obliging) Select(context.Context, []string) (api.NodeList, error) { return api.NodeList{}, nil }
func (obliging) Plan(context.Context, api.RunRequest) (api.Plan, error) { return api.Plan{}, nil }
func (obliging) Runs(context.Context) (api.RunList, error)              { return api.RunList{}, nil }
func (obliging) Run(context.Context, string) (api.RunDetail, error)     { return api.RunDetail{}, nil }
func (obliging) RemoveRun(context.Context, string) error                { return nil }
func (obliging) Check(context.Context) (api.Check, error)               { return api.Check{}, nil }
func (obliging) Why(context.Context, string, string) (api.Why, error)   { return api.Why{}, nil }
func (obliging) Prune(context.Context, api.PruneRequest) (api.PruneResult, error) {
	return api.PruneResult{}, nil
}
func (obliging) LogTimes(context.Context, api.LogInfo) (*api.LogTimes, error) {
	return &api.LogTimes{}, nil
}

func (obliging) LogInfo(context.Context, string, string, int, bool) (api.LogInfo, error) {
	return api.LogInfo{}, nil
}
func (obliging) Output(context.Context, string, string, int, string, int64, bool) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("output")), nil
}
func (obliging) Edit(context.Context, api.Author, api.EditRequest) (api.EditResult, error) {
	return api.EditResult{}, nil
}
func (obliging) Undo(context.Context, api.Author) (api.EditResult, error) {
	return api.EditResult{}, nil
}
func (obliging) Redo(context.Context, api.Author) (api.EditResult, error) {
	return api.EditResult{}, nil
}
func (obliging) Reset(context.Context, string, api.ResetRequest) (api.ResetResult, error) {
	return api.ResetResult{}, nil
}
func (obliging) SaveAs(_ context.Context, req api.SaveAsRequest) (string, error) {
	return req.Path, nil
}

// obligingOpener opens such ones.
type obligingOpener struct{ *fakes }

func (o obligingOpener) open(path string, retry bool) (Workspace, error) {
	w, err := o.fakes.open(path, retry)
	return obliging{w.(*fake)}, err
}
