package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/tui/cells"
	"wf/tui/drawing"
)

// find returns the position of a text on the screen.
func find(t *testing.T, m *model, text string) (x, y int) {
	t.Helper()
	for y, line := range strings.Split(frame(m), "\n") {
		if head, _, found := strings.Cut(line, text); found {
			return cells.Columns(head), y
		}
	}
	t.Fatalf("%q is not on the screen:\n%s", text, frame(m))
	return 0, 0
}

func click(m *model, x, y int, button tea.MouseButton) {
	m.Update(tea.MouseClickMsg{X: x, Y: y, Button: button})
	m.Update(tea.MouseReleaseMsg{X: x, Y: y, Button: button})
}

// TestMouseSelectsScrollsAndDrags: A click selects, a second one opens, the wheel scrolls the area under the pointer,
// the divider can be dragged, a click in a menu chooses, and a click outside closes it.
func TestMouseSelectsScrollsAndDrags(t *testing.T) {
	m := testModel(120, 30, pipeline(12))
	m.doc.picture.view, m.doc.picture.chosen, m.doc.picture.zoom = drawing.Chart, true, drawing.Stages
	now := noon
	m.clock = func() time.Time { return now }
	m.refresh()

	x, y := find(t, m, "align ")
	click(m, x, y, tea.MouseLeft)
	if name := m.doc.picture.layout.Name(m.doc.picture.selected); name != "align" {
		t.Fatalf("a click selected %q", name)
	}
	click(m, x, y, tea.MouseLeft)
	if find(t, m, "align_S002"); m.doc.picture.selected.Kind != drawing.ANode {
		t.Error("a double click did not open the stage")
	}
	press(m, "backspace")
	if got := frame(m); strings.Contains(got, "align_S002") || m.doc.picture.selected.Kind != drawing.AStage {
		t.Errorf("the stage is not closed again:\n%s", got)
	}
	press(m, "enter")
	now = now.Add(time.Minute)
	x, y = find(t, m, "✗ trim ")
	click(m, x, y, tea.MouseLeft)
	if press(m, "n"); m.doc.selectedNode() == nil || m.doc.selectedNode().Name != "trim_S001" {
		t.Error("the failed node within the stage is not selected")
	}

	m.Update(tea.WindowSizeMsg{Width: 120, Height: 14})
	top := m.doc.picture.from.Y
	m.Update(tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelDown})
	if frame(m); m.doc.picture.from.Y <= top {
		t.Errorf("the wheel scrolled from %d to %d", top, m.doc.picture.from.Y)
	}

	d := m.term.areas.divider
	m.Update(tea.MouseClickMsg{X: d.X, Y: d.Y + 2, Button: tea.MouseLeft})
	m.Update(tea.MouseMotionMsg{X: 40, Y: d.Y + 2, Button: tea.MouseLeft})
	m.Update(tea.MouseReleaseMsg{X: 40, Y: d.Y + 2})
	if frame(m); m.term.areas.divider.X != 40 {
		t.Errorf("the divider is at %d", m.term.areas.divider.X)
	}
	m.Update(tea.MouseMotionMsg{X: 90, Y: d.Y + 2})
	if frame(m); m.term.areas.divider.X != 40 {
		t.Error("the divider follows a mouse that has let go of it")
	}

	press(m, "x")
	x, y = find(t, m, "nothing")
	click(m, x, y, tea.MouseLeft)
	if len(m.dialogs) > 0 {
		t.Error("a choice in a menu did not close it")
	}
	press(m, "x")
	frame(m)
	click(m, 0, 0, tea.MouseLeft)
	if len(m.dialogs) > 0 {
		t.Error("a click beside a menu did not close it")
	}
	click(m, 5, 5, tea.MouseRight)
	if len(m.dialogs) != 1 {
		t.Error("the right button shows no commands")
	}
}
