package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/dialog"
)

// footerText is the last row of the screen.
func footerText(m *model) string {
	rows := strings.Split(strings.TrimRight(frame(m), "\n"), "\n")
	return rows[len(rows)-1]
}

// TestFooterShowsTheNextStep: The footer shows the most useful action, and a click on its hint does the action.
func TestFooterShowsTheNextStep(t *testing.T) {
	m := flowModel(6)
	if text := footerText(m); strings.Contains(text, "R resume") {
		t.Errorf("while a run goes on: %s", text)
	}
	m.doc.flow.Status.ActiveRuns, m.doc.flow.Status.Runs = nil, nil
	m.doc.flow.Status.Counts = api.Counts{Failed: 1, OK: 9}
	text := footerText(m)
	if !strings.Contains(text, "R resume") {
		t.Fatalf("after a failure: %s", text)
	}
	x := len([]rune(text[:strings.Index(text, "? help")]))
	m.Update(tea.MouseClickMsg{X: x, Y: m.term.height - 1, Button: tea.MouseLeft})
	if m.page != helpPage {
		t.Error("a click on the word help does not open the help")
	}
}

func TestFooterOfAnEmptyFileOffersToAddANode(t *testing.T) {
	m := flowModel(6)
	s := m.doc.flow.Status
	s.Nodes, s.Edges, s.Counts, s.ActiveRuns, s.Runs = nil, nil, api.Counts{}, nil, nil
	m.Update(news{m.link.feed, batch{snapshot: &api.Snapshot{Status: s}}})
	screen := frame(m)
	if !strings.Contains(screen, "the workfile has no nodes: a adds the first one") {
		t.Errorf("the screen does not say what to do:\n%s", screen)
	}
	if text := footerText(m); !strings.Contains(text, "a add") || strings.Contains(text, "mark") {
		t.Errorf("footer: %s", text)
	}
}

// TestUnavailableKeySaysWhy: A key whose action is not available explains why.
func TestUnavailableKeySaysWhy(t *testing.T) {
	m := flowModel(6)
	m.doc.flow.Status.ActiveRuns, m.doc.flow.Status.Runs = nil, nil
	for key, want := range map[string]string{"x": "stop: nothing is running", "Q": "leave and stop: nothing is running", "z": "zoom: only the graph has this: v changes the view"} {
		press(m, key)
		if m.toast.text != want {
			t.Errorf("%s says %q", key, m.toast.text)
		}
	}
}

// TestRightButtonOpensTheMenuOfTheItem: The right button opens a menu of the actions for the item under the pointer.
func TestRightButtonOpensTheMenuOfTheItem(t *testing.T) {
	m := flowModel(6)
	frame(m)
	m.Update(tea.MouseClickMsg{X: 12, Y: 1, Button: tea.MouseRight})
	d, ok := m.dialogs[0].(*dialog.Menu)
	if !ok || d.Choices[0].Label != "open" || d.Choices[len(d.Choices)-1].Label != "all commands" {
		t.Fatalf("the menu is %v", m.dialogs)
	}
	for _, c := range d.Choices {
		if c.Label == "whole log" {
			m.handle(c.Do)
		}
	}
	if m.page != logPage {
		t.Error("the choice does not do what it says")
	}
}
