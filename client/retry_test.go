package client

import (
	"net/http"
	"testing"
	"time"

	"wf/api"
)

// TestRunRequestIsRepeatedWithItsKey kills the daemon while it starts a run. The next daemon gets the same request with
// the same key, marked as repeated; the client opens the workspace there first.
func TestRunRequestIsRepeatedWithItsKey(t *testing.T) {
	dir := t.TempDir()
	first := newFake(t, dir)
	first.info.Requests = true
	first.start()
	var keys, agains []string
	second := newFake(t, dir)
	second.mux.HandleFunc("POST "+api.ListRuns.At("id"), func(w http.ResponseWriter, r *http.Request) {
		keys, agains = append(keys, r.Header.Get(api.HeaderRequest)), append(agains, r.Header.Get(api.HeaderAgain))
		if second.count(api.OpenWorkspace.Path) == 0 {
			reply(w, 404, api.Error{Code: api.CodeNotFound, Message: "not open"})
			return
		}
		reply(w, 200, api.RunAccepted{Run: "1"})
	})
	var starts int
	c := mustConnect(t, Options{Runtime: dir, Version: "v1", Start: starter(second, &starts)})
	first.stop()
	dying(t, dir)
	ws := &Workspace{ID: "id", Workfile: "/w", c: c}
	accepted, err := ws.StartRun(t.Context(), api.RunRequest{})
	if err != nil || accepted.Run != "1" || second.count(api.OpenWorkspace.Path) != 1 || starts != 1 {
		t.Fatalf("%+v, %v, opened %d times, %d starts", accepted, err, second.count(api.OpenWorkspace.Path), starts)
	}
	if len(keys) != 2 || len(keys[0]) < 20 || keys[0] != keys[1] || agains[0] != "1" || agains[1] != "1" {
		t.Errorf("keys %q, again %q", keys, agains)
	}
	if _, err := ws.StartRun(t.Context(), api.RunRequest{}); err != nil || keys[2] == keys[0] || agains[2] != "" {
		t.Errorf("another run: %v, keys %q, again %q", err, keys, agains)
	}
}

// TestRepetitionEnds checks that a request fails after Options.Timeout if the connection breaks during every answer.
func TestRepetitionEnds(t *testing.T) {
	dir := t.TempDir()
	d := newFake(t, dir)
	d.mux.HandleFunc("GET "+api.GetServer.Path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100") // less than this is sent
	})
	d.start()
	c := mustConnect(t, Options{Runtime: dir, Version: "v1", Timeout: 100 * time.Millisecond})
	if _, err := c.Server(t.Context()); !connectionBroke(err) {
		t.Errorf("%v", err)
	}
	if n := d.count(api.GetServer.Path); n < 2 {
		t.Errorf("asked %d times", n)
	}
}
