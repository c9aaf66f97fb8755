package daemon

import (
	"testing"
	"testing/synctest"

	"wf/api"
)

// TestCallerIsQuickerThanTheTakingUp: a command asks for a run, or watches one, while the daemon takes up the run
// that the command is of. It is known when that is over.
func TestCallerIsQuickerThanTheTakingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakes()
		f.gate = make(chan struct{})
		ws := newTestWorkspaces(f, 0, nil)
		defer ws.close()
		n := &nested{table: ws}
		known := make(chan *api.Caller)
		go func() { known <- n.verify(t.Context(), &api.Caller{Workfile: "/w", Run: "1"}) }()
		synctest.Wait()
		go func() {
			ws.resume([]string{"/w"})
			close(ws.resumed)
		}()
		close(f.gate)
		if c := <-known; c == nil || c.Run != "1" {
			t.Errorf("the command is %+v", c)
		}
	})
}
