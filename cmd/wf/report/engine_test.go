package report

import (
	"testing"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
)

// A node at an engine shows what the engine tells while it waits and runs, and where it ran.
func TestStateOfANodeAtAnEngine(t *testing.T) {
	job := func(state, why, host string) *api.EngineJob {
		return &api.EngineJob{Executor: "hpc", ID: "4711", State: state, Why: why, Host: host}
	}
	for _, c := range []struct {
		node         api.NodeStatus
		status, list string
	}{
		{api.NodeStatus{State: api.StateQueued, Engine: job("PENDING", "Priority, position 12, expected 14:05", ""), Command: "x"},
			"queued  hpc job 4711 PENDING: Priority, position 12, expected 14:05", "hpc job 4711 PENDING: Priority, position 12, expected 14:05  x"},
		{api.NodeStatus{State: api.StateRunning, Engine: job("RUNNING", "", "n17"), Started: number(noon.Add(-time.Minute)), Command: "x"},
			"running  1m00s  on n17 (hpc job 4711)", "on n17 (hpc job 4711)  x"},
		{api.NodeStatus{State: api.StateFailed, Reason: api.ReasonMemory, Signal: "SIGKILL", Engine: job("", "", "n17"), PeakBytes: 3 << 30, DurationMS: number(int64(2000)), Command: "x"},
			"failed  out of memory  2.0s  on n17 (hpc job 4711)  peak 3G", "on n17 (hpc job 4711)  x"},
		{api.NodeStatus{State: api.StateOK, DurationMS: number(int64(2000)), Command: "x"}, "ok  2.0s", "x"},
	} {
		if got := stateDetail(c.node, noon); got != c.status {
			t.Errorf("status: %q, want %q", got, c.status)
		}
		if got := lsDetail(console.Paint{}, c.node, noon); got != c.list {
			t.Errorf("list: %q, want %q", got, c.list)
		}
	}
}
