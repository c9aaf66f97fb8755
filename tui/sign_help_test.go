package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wf/tui/drawing"
)

// TestClickExplainsTheSign: A click on the sign of a state or on a line says what it means, in each view; one on a name says nothing.
func TestClickExplainsTheSign(t *testing.T) {
	for _, view := range []drawing.View{drawing.Chart, drawing.List} {
		for _, ascii := range []bool{false, true} {
			m := testModel(140, 40, pipeline(2))
			m.opt.ASCII = ascii
			m.doc.picture.view, m.doc.picture.chosen = view, true
			m.refresh()
			m.draw()
			said := map[string]bool{}
			p := &m.doc.picture
			for y := range p.area.Height {
				for x := range p.area.Width {
					m.toast.clear()
					m.Update(tea.MouseClickMsg{X: p.area.X + x, Y: p.area.Y + y, Button: tea.MouseLeft})
					if c := p.grid.At(x, y); m.toast.text != "" && c.Style.Ink == drawing.InkText && c.Style.Mods&drawing.Line == 0 {
						t.Fatalf("a click on %q of a name says %q", c.Text, m.toast.text)
					}
					said[m.toast.text] = true
					if m.page != mainPage { // a double click
						m.page = mainPage
					}
				}
			}
			all := strings.Join(sortedKeys(said), "\n")
			for _, want := range []string{" failed", " runs", " ok", "cannot run, because something before it failed"} {
				if !strings.Contains(all, want) {
					t.Errorf("%v, ASCII %v: no sign is explained as %q:\n%s", view, ascii, want, all)
				}
			}
			if !strings.Contains(all, "fetch_ref") && !strings.Contains(all, "edge") {
				t.Errorf("%v, ASCII %v: no line is explained:\n%s", view, ascii, all)
			}
		}
	}
}
