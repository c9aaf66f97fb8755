package tui

import (
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/tui/drawing"
)

// selectedName returns the name of the selected node, or "".
func selectedName(m *model) string {
	if n := m.doc.selectedNode(); n != nil {
		return n.Name
	}
	return ""
}

// TestSelectionFollowsWhatRuns: F selects the node that runs longest, the next one when it ends, and at last what failed. A key
// that moves the selection ends it.
func TestSelectionFollowsWhatRuns(t *testing.T) {
	status := pipeline(4)
	for i := range status.Nodes {
		if n := &status.Nodes[i]; n.Name == "align_S002" {
			n.Started = ptr(noon.Add(-90 * time.Second))
		}
	}
	m := testModel(120, 30, status)
	m.doc.picture.view = drawing.List
	press(m, "F")
	if got := selectedName(m); got != "align_S002" {
		t.Fatalf("F selects %q", got)
	}
	m.toast.clear()
	if got := frame(m); !strings.Contains(got, "F following") {
		t.Errorf("the footer does not say that the selection follows:\n%s", got)
	}
	end := func(name string) {
		m.Update(news{m.link.feed, batch{nodes: map[string]api.Event{"id-" + name: {Type: api.NodeFinished, Run: "42", Node: "id-" + name,
			Execution: 1, Time: noon, DurationMS: ptr(int64(90_000))}}}})
	}
	for _, step := range []struct{ ends, then string }{{"align_S002", "align_S000"}, {"align_S000", "align_S003"}, {"align_S003", "trim_S001"}} {
		end(step.ends)
		if got := selectedName(m); got != step.then {
			t.Errorf("after the end of %s, %q is selected, want %q", step.ends, got, step.then)
		}
	}
	press(m, "g")
	if got := selectedName(m); got == "trim_S001" || m.doc.following {
		t.Errorf("after g %q is selected, following: %v", got, m.doc.following)
	}
	press(m, "F", "F")
	if m.doc.following {
		t.Error("F does not end it")
	}
}

// TestDialogKeepsTheSelection: A dialog is about the selection, so it stays while the dialog is open.
func TestDialogKeepsTheSelection(t *testing.T) {
	m := testModel(120, 30, pipeline(4))
	m.doc.picture.view = drawing.List
	press(m, "F", "r")
	was := selectedName(m)
	m.Update(news{m.link.feed, batch{nodes: map[string]api.Event{"id-" + was: {Type: api.NodeFinished, Run: "42", Node: "id-" + was,
		Execution: 1, Time: noon, DurationMS: ptr(int64(1))}}}})
	if got := selectedName(m); got != was {
		t.Errorf("with an open menu the selection goes from %q to %q", was, got)
	}
	press(m, "esc")
	if got := selectedName(m); got == was {
		t.Errorf("after the menu %q is still selected", got)
	}
}
