package daemon

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wf/api"
)

func TestConcurrentOpensShareOneWorkspace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakes()
		f.gate = make(chan struct{})
		ws := newTestWorkspaces(f, 0, nil)
		defer ws.close()
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				e, err := ws.open(t.Context(), "/w", false)
				if err != nil {
					t.Error(err)
					return
				}
				ws.release(e)
			})
		}
		synctest.Wait() // all calls wait for the one opening
		close(f.gate)
		all.Wait()
		if n := f.times("/w"); n != 1 {
			t.Errorf("opened %d times", n)
		}
	})
}

func TestUnusedWorkspaceLingersThenCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakes()
		var idleAt time.Time
		ws := newTestWorkspaces(f, time.Second, func() { idleAt = time.Now() })
		defer ws.close()
		e, err := ws.open(t.Context(), "/w", false)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour) // a use keeps it open
		w := f.get("/w")
		mustBe(t, w, true)
		released := time.Now()
		ws.release(e)
		time.Sleep(shortLinger - time.Millisecond)
		synctest.Wait()
		mustBe(t, w, true)
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		mustBe(t, w, false)
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := idleAt.Sub(released); got != shortLinger+time.Second {
			t.Errorf("idle %v after the release, want %v", got, shortLinger+time.Second)
		}
	})
}

// TestManyUnusedWorkspaces opens more workspaces than may stay open unused, in a daemon that is meant to stay: the ones
// that are released while there are too many close soon, the others stay for a while.
func TestManyUnusedWorkspaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakes()
		ws := newTestWorkspaces(f, 0, nil)
		defer ws.close()
		paths := make([]string, 2*mostLingering)
		entries := make([]*entry[*fake], len(paths))
		for i := range paths {
			paths[i] = fmt.Sprint("/w", i)
			var err error
			if entries[i], err = ws.open(t.Context(), paths[i], false); err != nil {
				t.Fatal(err)
			}
		}
		for _, e := range entries[:mostLingering] {
			ws.release(e)
		}
		time.Sleep(2 * shortLinger)
		synctest.Wait()
		for _, e := range entries[mostLingering:] {
			ws.release(e)
		}
		time.Sleep(longLinger - time.Millisecond)
		synctest.Wait()
		for i, path := range paths {
			mustBe(t, f.get(path), i >= mostLingering)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		for _, path := range paths {
			mustBe(t, f.get(path), false)
		}
	})
}

func TestRunKeepsAWorkspaceOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakes()
		ws := newTestWorkspaces(f, 0, nil)
		defer ws.close()
		e, _ := ws.open(t.Context(), "/w", false)
		w := f.get("/w")
		w.start()
		ws.release(e)
		time.Sleep(time.Hour)
		mustBe(t, w, true)
		w.end()
		time.Sleep(2 * longLinger)
		synctest.Wait()
		mustBe(t, w, false)
		if _, err := ws.open(t.Context(), "/w", false); err != nil || f.times("/w") != 2 {
			t.Errorf("opening again: %v, opened %d times", err, f.times("/w"))
		}
	})
}

func TestFailedOpenLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakes()
		f.fail = &api.Error{Code: api.CodeWorkfile, Message: "broken"}
		ws := newTestWorkspaces(f, 0, nil)
		defer ws.close()
		if _, err := ws.open(t.Context(), "/w", false); !errors.Is(err, f.fail) {
			t.Fatalf("got %v", err)
		}
		synctest.Wait()
		f.fail = nil
		if _, err := ws.open(t.Context(), "/w", false); err != nil {
			t.Fatalf("after the repair: %v", err)
		}
	})
}

func TestWorkspaceThatEndsByItselfIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakes()
		ws := newTestWorkspaces(f, 0, nil)
		defer ws.close()
		e, _ := ws.open(t.Context(), "/w", false)
		f.get("/w").Close(t.Context())
		synctest.Wait()
		again, err := ws.find(t.Context(), e.id)
		if err != nil || again == e || f.times("/w") != 2 {
			t.Errorf("%v, the same: %v, opened %d times", err, again == e, f.times("/w"))
		}
		ws.release(e)
		ws.release(again)
	})
}

func TestClosedTableOpensNoWorkspace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakes()
		ws := newTestWorkspaces(f, time.Second, func() { t.Error("idle after the end") })
		e, _ := ws.open(t.Context(), "/w", false)
		w := f.get("/w")
		ws.close() // although it is in use
		mustBe(t, w, false)
		var gone *api.Error
		if _, err := ws.open(t.Context(), "/w", false); !errors.As(err, &gone) || gone.Code != api.CodeGone {
			t.Errorf("open: %v", err)
		}
		if _, err := ws.find(t.Context(), e.id); !errors.As(err, &gone) || gone.Code != api.CodeGone {
			t.Errorf("find: %v", err)
		}
		time.Sleep(time.Hour)
	})
}
