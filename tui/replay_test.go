package tui

import (
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/tui/drawing"
)

// recordedRun returns the details of a run of the workfile pipeline(2): each node runs for ten seconds, one after the other, and
// trim_S001 fails.
func recordedRun(m *model) api.RunDetail {
	end := noon
	d := api.RunDetail{RunSummary: api.RunSummary{Run: "41", Result: api.ResFailed, Started: noon.Add(-100 * time.Second), Ended: &end,
		DurationMS: ptr(int64(100_000)), Nodes: len(m.doc.flow.Nodes), Counts: api.Counts{OK: 6, Failed: 1, Blocked: 4}}}
	start := d.Started
	for i := range m.doc.flow.Nodes {
		n := &m.doc.flow.Nodes[i]
		if n.Name == "align_S001" || n.Name == "sort_S001" || n.Name == "report" {
			d.Left = append(d.Left, api.NodeStatus{ID: n.ID, State: api.StateIdle})
			continue
		}
		began, ended := start, start.Add(10*time.Second)
		x := api.Execution{Node: n.ID, Name: n.Name, Execution: 1, Command: n.Command, Started: &began, Ended: &ended, DurationMS: ptr(int64(10_000)), OK: true, Over: true}
		if n.Name == "trim_S001" {
			x.OK, x.Reason, x.ExitCode = false, api.ReasonExit, ptr(1)
		}
		d.Execs = append(d.Execs, x)
		start = ended
	}
	return d
}

// TestReplayStepsThroughARun: The keys go through the moments of a run. The screen shows the states and times of each.
func TestReplayStepsThroughARun(t *testing.T) {
	inUTC(t)
	m := testModel(120, 30, pipeline(2))
	m.doc.picture.view = drawing.List
	replayRun(&m.doc, recordedRun(m), true)
	m.refresh()
	see := func(want ...string) {
		t.Helper()
		got := frame(m)
		for _, text := range want {
			if !strings.Contains(got, text) {
				t.Fatalf("no %q on\n%s", text, got)
			}
		}
	}
	see("replay of run 41: 11:58:20 (+0s) step 1 of 10, esc ends it", "fetch_ref    running 0s", "index_ref    idle", " 0/11  ●1 ", "0s of 1m40s")
	press(m, ".")
	see("11:58:30 (+10s) step 2 of 10", "fetch_ref    10.0s", "index_ref    running 0s", " 1/11  ●1 ")
	press(m, "end", ",")
	see("(+1m20s) step 9 of 10", "trim_S001    exit 1 after 10.0s", "sort_S001    blocked")
	press(m, "home")
	see("step 1 of 10")
	press(m, ",")
	see("this is the beginning of the run")
	press(m, "esc")
	see("run 42 running", "fetch_ref    9.7s")
	if isReplaying(m) {
		t.Error("Esc does not end the replay")
	}
}
