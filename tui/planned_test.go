package tui

import (
	"strings"
	"testing"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/drawing"
)

// TestPlanIsShownBeforeEnter: While a choice is selected, the drawing shows what it would run. Another choice, and the end of the menu, remove it.
func TestPlanIsShownBeforeEnter(t *testing.T) {
	status := pipeline(2)
	status.Runs, status.LastRun = nil, &api.RunSummary{Run: "42", Result: api.ResFailed, Ended: &noon}
	for i := range status.Nodes {
		if n := &status.Nodes[i]; n.State == api.StateRunning {
			n.State, n.Started = api.StateIdle, nil
		}
	}
	m := testModel(120, 30, status)
	m.doc.picture.view, m.doc.picture.chosen, m.doc.noStrip = drawing.List, true, true
	m.refresh()
	before := frame(m)
	press(m, "r")
	req := previewOf(m.dialogs)
	if req == nil || req.Mode != api.ModeResume {
		t.Fatalf("the first choice would start %+v", req)
	}
	p := &m.doc.lens.plan
	if m.refresh(); p.req != req {
		t.Fatal("it is not the planned run")
	}
	p.take(&m.doc.flow, api.Plan{Mode: api.ModeResume, Nodes: 3, Total: 11, Kept: 5, Conditional: 1, Steps: []api.PlanStep{
		{Node: "id-trim_S001", Reason: api.PlanFailed}, {Node: "id-align_S001", Reason: api.PlanNotReached}, {Node: "id-report", Reason: api.PlanConditional}}})
	m.refresh()
	got := frame(m)
	for _, want := range []string{"fetch_ref    kept", "trim_S001    would run", "align_S001   would run", "report       may run", "sort_S000    idle",
		"would run 3 of 11 nodes, and up to 1 more; keeps 5"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q on\n%s", want, got)
		}
	}
	if run, idle := colorOf(m, "trim_S001"), colorOf(m, "sort_S000"); run != cells.Key.FG || idle != cells.Plain.FG {
		t.Errorf("the colours are %v and %v", run, idle)
	}
	press(m, "down")
	if got := frame(m); strings.Contains(got, "would run") {
		t.Errorf("another choice shows the plan of the first one:\n%s", got)
	}
	if m.dialogs[0].(*dialog.Menu).Selected().Key != "s" {
		t.Error("the second choice is not selected")
	}
	press(m, "esc")
	if after := frame(m); after != before {
		t.Errorf("after the menu the screen is\n%s\nand was\n%s", after, before)
	}
}
