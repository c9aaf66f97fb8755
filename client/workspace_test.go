package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"wf/api"
)

// openFake returns an open workspace of a fake daemon.
func openFake(t *testing.T, d *fakeDaemon, opt Options) *Workspace {
	t.Helper()
	opt.Runtime = d.runtime
	c := mustConnect(t, opt)
	w, err := c.Open(t.Context(), "/data/Workfile")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestClosedWorkspaceIsOpenedAgain(t *testing.T) {
	for _, c := range []api.Code{api.CodeNotFound, api.CodeGone} {
		d := newFake(t, t.TempDir())
		closed := true
		d.mux.HandleFunc("GET /v1/workspaces/id/status", func(w http.ResponseWriter, _ *http.Request) {
			if closed {
				closed = false
				reply(w, 410, api.Error{Code: c, Message: "closed"})
				return
			}
			reply(w, 200, api.Status{Workfile: "/data/Workfile"})
		})
		w := openFake(t, d.start(), Options{})
		if s, err := w.Status(t.Context(), true); err != nil || s.Workfile != "/data/Workfile" {
			t.Errorf("%s: %+v, %v", c, s, err)
		}
		if n := d.count(api.OpenWorkspace.Path); n != 2 {
			t.Errorf("%s: opened %d times", c, n)
		}
		d.stop()
	}
}

func TestRefusalIsTheDaemonsError(t *testing.T) {
	d := newFake(t, t.TempDir())
	want := api.Error{Code: api.CodeConflict, Message: "busy", Run: "7", Nodes: []string{"a"}}
	d.mux.HandleFunc("POST /v1/workspaces/id/runs", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(api.HeaderClient) == "" || r.Header.Get("Content-Type") != "application/json" || r.Host != api.SocketHost {
			t.Errorf("headers %v, host %s", r.Header, r.Host)
		}
		reply(w, 409, want)
	})
	d.mux.HandleFunc("GET /v1/workspaces/id/check", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) })
	w := openFake(t, d.start(), Options{})
	_, err := w.StartRun(t.Context(), api.RunRequest{})
	var got *api.Error
	if !errors.As(err, &got) || got.Code != want.Code || got.Run != "7" || len(got.Nodes) != 1 {
		t.Errorf("got %#v", err)
	}
	if _, err := w.Check(t.Context()); code(err) != api.CodeInternal {
		t.Errorf("an answer without a body: %v", err)
	}
}

func TestDaemonThatHasEndedIsStartedAgain(t *testing.T) {
	dir := t.TempDir()
	first, second := newFake(t, dir), newFake(t, dir)
	second.mux.HandleFunc("GET /v1/workspaces/id/runs", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, api.RunList{Schema: api.SchemaRuns})
	})
	var starts int
	w := openFake(t, first.start(), Options{Start: starter(second, &starts)})
	first.stop()
	if _, err := w.Runs(t.Context()); err != nil || starts != 1 {
		t.Errorf("starts %d, %v", starts, err)
	}
}

func TestLostDaemonIsUnreachable(t *testing.T) {
	d := newFake(t, t.TempDir())
	d.mux.HandleFunc("GET /v1/workspaces/id/status", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	w := openFake(t, d.start(), Options{})
	_, err := w.Status(t.Context(), false)
	var u *UnreachableError
	if !errors.As(err, &u) {
		t.Errorf("got %v", err)
	}
}

func TestRequestEndsWithItsContext(t *testing.T) {
	d := newFake(t, t.TempDir())
	arrived := make(chan struct{})
	d.mux.HandleFunc("POST /v1/workspaces/id/runs/-/stop", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server notices that the client goes
		close(arrived)
		<-r.Context().Done()
	})
	w := openFake(t, d.start(), Options{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := w.Stop(ctx, "", api.StopRequest{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestRunNameIsOneSegment(t *testing.T) {
	d := newFake(t, t.TempDir())
	var got string
	d.mux.HandleFunc("DELETE /v1/workspaces/id/runs/{run}", func(w http.ResponseWriter, r *http.Request) {
		got = r.PathValue("run")
		reply(w, 200, struct{}{})
	})
	w := openFake(t, d.start(), Options{})
	if err := w.RemoveRun(t.Context(), "../a b?c"); err != nil || got != "../a b?c" {
		t.Errorf("run %q, %v", got, err)
	}
}

func TestOutputFollows(t *testing.T) {
	d := newFake(t, t.TempDir())
	more := make(chan string)
	d.mux.HandleFunc("GET /v1/workspaces/id/output", func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query(); q.Get("node") != "n" || q.Get("offset") != "5" || q.Get("follow") != "1" || q.Get("stream") != "stderr" || q.Get("execution") != "2" {
			t.Errorf("query %v", q)
		}
		for s := range more {
			io.WriteString(w, s)
			w.(http.Flusher).Flush()
		}
	})
	w := openFake(t, d.start(), Options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out := make(chan string)
	go func() { more <- "one" }()
	r, err := w.Output(ctx, LogQuery{Node: "n", Execution: 2}, "stderr", 5, true)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		b, _ := io.ReadAll(r)
		out <- string(b)
	}()
	more <- "two"
	close(more)
	if got := <-out; got != "onetwo" {
		t.Errorf("read %q", got)
	}
}
