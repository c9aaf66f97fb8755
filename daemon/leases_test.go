package daemon

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestWorkspaceStaysOpenForItsClient checks that a workspace stays open until its client releases it, or the last
// connection of the client is closed.
func TestWorkspaceStaysOpenForItsClient(t *testing.T) {
	for name, end := range map[string]func(r *running, path string){
		"lets go": func(r *running, path string) { r.allowIdle(path) },
		"goes":    func(r *running, _ string) { r.http.Transport.(*http.Transport).CloseIdleConnections() },
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, func(c *Config) { c.linger = time.Millisecond })
			w, path := r.open("w")
			if again, _ := r.open("w"); again != w {
				t.Fatal("opened twice")
			}
			time.Sleep(50 * time.Millisecond) // much longer than an unused one stays open
			mustBe(t, w, true)
			end(r, path)
			<-w.Done()
			if e := r.ask("GET", path+"/status", nil, nil); e != nil {
				t.Errorf("a later request: %v", e)
			}
			if n := r.files.count(w.Info().Workfile); n != 2 {
				t.Errorf("opened %d times", n)
			}
		})
	}
}

// TestRequestOpensClosedWorkspace checks that the id of a workspace that was open before is enough to open it again.
func TestRequestOpensClosedWorkspace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakes()
		ws := newTestWorkspaces(f, 0, nil)
		defer ws.close()
		e, _ := ws.open(t.Context(), "/w", false)
		w := f.get("/w")
		ws.release(e)
		time.Sleep(time.Hour)
		mustBe(t, w, false)
		e, err := ws.find(t.Context(), e.id)
		if err != nil || f.times("/w") != 2 {
			t.Fatalf("%v, opened %d times", err, f.times("/w"))
		}
		ws.release(e)
		if _, err := ws.find(t.Context(), "unknown"); err == nil {
			t.Error("a workspace that was never opened is found")
		}
	})
}

// TestLeasesEndWithTheLastConnection checks that the leases of a client end with its last connection.
func TestLeasesEndWithTheLastConnection(t *testing.T) {
	all := &leases{byID: map[string]*holder{}}
	released := map[string]int{}
	keep := func(own *holder, id string) *openEntry {
		e := &openEntry{id: id}
		all.keep(own, e, func() { released[id]++ })
		return e
	}
	a, b, c := &connection{}, &connection{}, &connection{}
	one := all.join(a, "c1")
	if all.join(b, "c1") != one || all.join(a, "c1") != one || all.join(c, "") == one {
		t.Fatal("connections with one id have different holders")
	}
	e := keep(one, "w")
	all.keep(one, e, func() { released["twice"]++ }) // the second use is released at once
	keep(all.join(c, ""), "x")
	all.leave(a)
	if released["w"] != 0 || released["twice"] != 1 {
		t.Errorf("%v", released)
	}
	all.leave(c)
	all.leave(b)
	if released["w"] != 1 || released["x"] != 1 || len(all.byID) != 0 {
		t.Errorf("%v, %v", released, all.byID)
	}
	keep(all.join(b, "c1"), "late") // its connection is already closed
	if released["late"] != 1 {
		t.Errorf("%v", released)
	}
}
