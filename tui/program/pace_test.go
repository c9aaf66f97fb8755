package program

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// counted counts what is asked of it.
type counted struct{ messages, screens int }

func (c *counted) Init() tea.Cmd                       { return nil }
func (c *counted) Update(tea.Msg) (tea.Model, tea.Cmd) { c.messages++; return c, nil }
func (c *counted) View() tea.View                      { c.screens++; return tea.NewView(string(rune('0' + c.messages%10))) }

// TestScreensPerIntervalAreLimited: Of many messages in an interval only a few are drawn, and the last one is.
func TestScreensPerIntervalAreLimited(t *testing.T) {
	now, c := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC), &counted{}
	p := newPaced(c)
	p.clock = func() time.Time { return now }
	var due tea.Cmd
	for range 1005 {
		_, cmd := p.Update(tea.KeyPressMsg{})
		p.View()
		if cmd != nil && due != nil {
			t.Fatal("a second redraw was ordered")
		}
		if cmd != nil {
			due = cmd
		}
	}
	if c.messages != 1005 || c.screens != mostScreens || due == nil {
		t.Fatalf("%d messages, %d screens, a redraw is ordered: %v", c.messages, c.screens, due != nil)
	}
	now = now.Add(Interval)
	p.Update(due())
	if v := p.View(); v.Content != "5" || c.screens != mostScreens+1 || c.messages != 1005 {
		t.Errorf("the last screen shows %q, after %d screens", v.Content, c.screens)
	}
}
