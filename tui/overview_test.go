package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"wf/api"
	"wf/tui/drawing"
)

// wide returns a model with a graph that does not fit.
func wide(width, height int) *model {
	m := testModel(width, height, pipeline(40))
	m.doc.picture.view, m.doc.picture.chosen, m.doc.picture.zoom = drawing.Chart, true, drawing.Chips
	m.refresh()
	m.draw()
	return m
}

// TestOverviewShowsTheVisiblePart: If a graph does not fit, the overview shows the visible part until the user hides
// it. A click scrolls the drawing.
func TestOverviewShowsTheVisiblePart(t *testing.T) {
	m := wide(120, 30)
	if got := frame(m); !strings.Contains(got, "┌─ overview ─") || !strings.Contains(got, "% down") || !strings.Contains(got, "✗") {
		t.Errorf("no overview:\n%s", got)
	}
	o := m.doc.picture.overview
	click(m, o.X+o.Width-1, o.Y+o.Height-1, tea.MouseLeft)
	if got := frame(m); !strings.Contains(got, "100% down") || m.doc.picture.selected.Kind == 0 {
		t.Errorf("after a click at its end:\n%s", got)
	}
	press(m, "G") // the overview never covers the selection
	r := m.doc.picture.layout.Where(m.doc.picture.selected)
	frame(m)
	if x, y := r.X-m.doc.picture.from.X, r.Y-m.doc.picture.from.Y; m.doc.picture.overview.Contains(x+m.term.areas.drawing.X, y+m.term.areas.drawing.Y) {
		t.Error("the overview covers the selection")
	}
	press(m, "O")
	if got := frame(m); strings.Contains(got, "overview") || !strings.Contains(got, "% down") {
		t.Errorf("after O:\n%s", got)
	}
	press(m, "O", "0")
	if got := frame(m); strings.Contains(got, "overview ─") {
		t.Errorf("when all of it is in sight:\n%s", got)
	}
	m = wide(70, 30)
	if got := frame(m); !strings.Contains(got, "% down, 0% right") {
		t.Errorf("stacked:\n%s", got)
	}
}

// TestSelectionIsAlwaysVisible: After any arrow key, in any view and size, the selection is on the screen.
func TestSelectionIsAlwaysVisible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(leastWidth, 200).Draw(t, "width"), rapid.IntRange(leastHeight, 60).Draw(t, "height")
		m := testModel(width, height, pipeline(rapid.IntRange(1, 40).Draw(t, "samples")))
		m.doc.picture.view, m.doc.picture.chosen = rapid.SampledFrom([]drawing.View{drawing.Chart, drawing.List}).Draw(t, "view"), true
		m.doc.picture.zoom = drawing.Zoom(rapid.IntRange(0, int(drawing.Stages)).Draw(t, "zoom"))
		keys := []string{"up", "down", "left", "right", "pgup", "pgdown", "home", "end", "n", "p", "P", "v", "z", "0", "t", "space", "enter", "backspace", "1", "f", "esc"}
		for range rapid.IntRange(1, 30).Draw(t, "keys") {
			switch rapid.IntRange(0, 9).Draw(t, "kind") {
			case 0:
				m.Update(tea.MouseWheelMsg{X: 3, Y: 3, Button: tea.MouseWheelDown})
				m.draw()
				width, height = rapid.IntRange(leastWidth, 200).Draw(t, "width"), rapid.IntRange(leastHeight, 60).Draw(t, "height")
				m.Update(tea.WindowSizeMsg{Width: width, Height: height})
			case 1:
				m.Update(news{m.link.feed, batch{snapshot: &api.Snapshot{Status: pipeline(rapid.IntRange(1, 40).Draw(t, "samples"))}}})
			default:
				press(m, rapid.SampledFrom(keys).Draw(t, "key"))
			}
			m.draw()
			p := &m.doc.picture
			d := m.term.areas.drawing
			if d.Width == 0 || p.selected == drawing.Nothing {
				continue
			}
			r := p.layout.Where(p.selected)
			if r.W == 0 || r.X+r.W <= p.from.X || r.X >= p.from.X+d.Width || r.Y < p.from.Y || r.Y+r.H > p.from.Y+d.Height && r.H <= d.Height {
				t.Fatalf("%v at %+v is not in %dx%d from %+v", p.selected, r, d.Width, d.Height, p.from)
			}
		}
	})
}
