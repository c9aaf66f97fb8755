package runview

import (
	"testing"

	"wf/api"
)

// TestFired checks which conditions of edges can be decided from events.
func TestFired(t *testing.T) {
	ok, failed := &api.NodeStatus{State: api.StateOK, ExitCode: pointer(0)}, &api.NodeStatus{State: api.StateFailed, ExitCode: pointer(12)}
	for _, c := range []struct {
		when  string
		n     *api.NodeStatus
		fires bool
		known bool
	}{{"", ok, true, true}, {"", failed, false, true}, {"success", ok, true, true}, {"failure", failed, true, true}, {"failure", ok, false, true},
		{"done", failed, true, true}, {"exit:2,10-20", failed, true, true}, {"exit:2,13-20", failed, false, true}, {"exit:0", ok, true, true},
		{"case:a", ok, false, false}, {"if:1 > 2", ok, false, false}, {"else", failed, false, false},
		{"done", &api.NodeStatus{State: api.StateRunning}, false, true}} {
		if fires, known := fired(c.when, c.n); fires != c.fires || known != c.known {
			t.Errorf("%q after %s: %v, %v", c.when, c.n.State, fires, known)
		}
	}
}
