package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/dialog"
	"wf/tui/drawing"
	"wf/tui/words"
)

// TestNewEdgeIsDrawnWhileConnecting: A refused edge has another colour.
func TestNewEdgeIsDrawnWhileConnecting(t *testing.T) {
	m := at(t, "a")
	m.doc.picture.view, m.doc.picture.chosen = drawing.List, true
	m.refresh()
	press(m, "c", "e")
	if got := frame(m); !strings.Contains(got, "╰▸e ") || m.doc.picture.preview.Refused {
		t.Errorf("a to e:\n%s", got)
	}
	press(m, "tab", "backspace", "b", "tab")
	if frame(m); !m.doc.picture.preview.Refused { // a -> b is there
		t.Error("an edge that is there already is drawn like a new one")
	}
	press(m, "esc")
	if got := frame(m); strings.Contains(got, "▸") && m.doc.picture.view == drawing.List && strings.Contains(got, "╰▸") {
		t.Errorf("after Esc:\n%s", got)
	}
}

// TestClickChoosesTheTarget: A click chooses a target in the drawing and in the list of matches.
func TestClickChoosesTheTarget(t *testing.T) {
	m := at(t, "a")
	press(m, "c")
	x, y := find(t, m, "· e")
	click(m, x+2, y, tea.MouseLeft)
	d, ok := m.dialogs[0].(*connector)
	if !ok || worded(d.edits()) != "add-edge a e blocking" || m.doc.selectedNode().Name != "e" {
		t.Fatalf("a click chose %v", m.dialogs)
	}
	press(m, "e", "c", "h", "o")
	x, y = find(t, m, "│ d  echo d")
	click(m, x+2, y, tea.MouseLeft)
	if got := worded(d.edits()); got != "add-edge a d blocking" {
		t.Errorf("a click on what was found: %s", got)
	}
	click(m, 100, 28, tea.MouseLeft)
	if len(m.dialogs) != 1 || worded(d.edits()) != "add-edge a d blocking" {
		t.Error("a click on nothing did something")
	}
}

// TestEachOfManyEdgesCanBeDeleted: Each edge of a node with many edges can be chosen by keys, by name and by mouse.
func TestEachOfManyEdgesCanBeDeleted(t *testing.T) {
	s := api.Status{}
	for i := range 40 {
		s.Nodes = append(s.Nodes, api.NodeStatus{ID: fmt.Sprint("id-", i), Name: fmt.Sprint("n", i)})
		if i > 0 {
			s.Edges = append(s.Edges, api.EdgeStatus{Key: i, Source: "id-0", Target: fmt.Sprint("id-", i), Type: "blocking"})
		}
	}
	m := testModel(110, 20, s)
	press(m, "g", "D", "o")
	frame(m) // the length of a page depends on the latest screen
	press(m, "pgdown", "pgdown")
	d, ok := m.dialogs[0].(*dialog.Chooser)
	if !ok || d.At <= 10 || len(d.Choices) != 39 || !strings.Contains(frame(m), words.Count(d.At+1, 39)) {
		t.Fatalf("%T:\n%s", m.dialogs[0], frame(m))
	}
	press(m, "3", "7")
	if got := frame(m); !strings.Contains(got, "only the edge n0 → n37") || strings.Contains(got, "n36") {
		t.Errorf("37 leaves\n%s", got)
	}
	press(m, "x", "enter")
	if len(m.dialogs) != 1 {
		t.Error("Enter chose nothing, and closed the question")
	}
	press(m, "backspace", "backspace")
	for range 50 {
		m.Update(tea.MouseWheelMsg{X: 50, Y: 8, Button: tea.MouseWheelDown})
	}
	x, y := find(t, m, "n0 → n39")
	click(m, x, y, tea.MouseLeft)
	if len(m.dialogs) != 0 {
		t.Error("a click did not choose")
	}
}

// TestClickInALongMenuChoosesTheLine: A click in a menu that is longer than the screen chooses the line under the
// pointer.
func TestClickInALongMenuChoosesTheLine(t *testing.T) {
	m := at(t, "a")
	chosen := 0
	var choices []dialog.Choice
	for i := range 30 {
		choices = append(choices, dialog.Choice{Key: "", Label: fmt.Sprintf("line %d.", i), Do: later(func() tea.Msg { chosen = i; return nil })})
	}
	m.open(&dialog.Menu{Title: "Many", Choices: choices, At: 29})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 12})
	x, y := find(t, m, "line 27.")
	if click(m, x, y, tea.MouseLeft); chosen != 27 {
		t.Errorf("chose %d", chosen)
	}
}

func TestHelpOfTheDrawingListsEdits(t *testing.T) {
	var all strings.Builder
	for _, l := range helpLines(registry(), atDrawing, 100, false) {
		all.WriteString(l.Text + "\n")
	}
	for _, a := range registry() {
		if a.where&atDrawing != 0 && len(a.keys) > 0 && !strings.Contains(all.String(), a.help) {
			t.Errorf("the help lacks %s", a.name)
		}
	}
}
