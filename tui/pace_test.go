package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// counted counts what is asked of it.
type counted struct{ messages, frames int }

func (c *counted) Init() tea.Cmd                       { return nil }
func (c *counted) Update(tea.Msg) (tea.Model, tea.Cmd) { c.messages++; return c, nil }
func (c *counted) View() tea.View                      { c.frames++; return tea.NewView(string(rune('0' + c.messages%10))) }

// However many messages come in the time of one frame, few are drawn, and what the last one did is.
func TestPace(t *testing.T) {
	now, c := noon, &counted{}
	p := newPaced(c)
	p.clock = func() time.Time { return now }
	var due tea.Cmd
	for range 1005 {
		_, cmd := p.Update(tea.KeyPressMsg{})
		p.View()
		if cmd != nil && due != nil {
			t.Fatal("a second frame is on its way")
		}
		if cmd != nil {
			due = cmd
		}
	}
	if c.messages != 1005 || c.frames != mostFrames || due == nil {
		t.Fatalf("%d messages, %d frames, one more is to come: %v", c.messages, c.frames, due != nil)
	}
	now = now.Add(frameTime)
	p.Update(due())
	if v := p.View(); v.Content != "5" || c.frames != mostFrames+1 || c.messages != 1005 {
		t.Errorf("the last frame shows %q, after %d frames", v.Content, c.frames)
	}
}
