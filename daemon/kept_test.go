package daemon

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestKeptWorkspaceStaysOpen checks that a kept workspace does not close before it is released, unless it is evicted.
func TestKeptWorkspaceStaysOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakes()
		ws := newTestWorkspaces(f, time.Second, func() {})
		defer ws.close()
		release, err := ws.keep(t.Context(), "/w")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		mustBe(t, f.get("/w"), true)
		release()
		time.Sleep(shortLinger + time.Millisecond)
		synctest.Wait()
		mustBe(t, f.get("/w"), false)

		release, err = ws.keep(t.Context(), "/w")
		if err != nil {
			t.Fatal(err)
		}
		w := f.get("/w")
		done, err := ws.evict(t.Context(), "w")
		if err != nil {
			t.Fatal(err)
		}
		mustBe(t, w, false)
		done()
		release() // after its end
	})
}
