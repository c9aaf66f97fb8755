package tui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"wf/tui/cells"
)

// A terminalLook is what the terminal has said about itself.
type terminalLook struct {
	light bool // its background is light
	few   bool // it has 16 colours
}

// askBackground asks the terminal for its background, if the palette depends on it.
func (o *Options) askBackground() tea.Cmd {
	if _, fixed := cells.SchemeNamed(o.Palette); !o.Color || fixed && o.Palette != cells.ColorBlind.Name() {
		return nil
	}
	return tea.RequestBackgroundColor
}

// palette returns the palette of the setting or, if that is auto, the one that fits the terminal. A terminal that does not say that it is
// light is dark.
func (o *Options) palette(t terminalLook) *cells.Scheme {
	p, ok := cells.SchemeNamed(o.Palette)
	switch {
	case p == cells.ColorBlind && t.light:
		return cells.ColorBlindLight
	case ok:
		return p
	case t.few:
		return cells.Few
	case t.light:
		return cells.Light
	}
	return nil
}

// note takes what the terminal says about itself.
func (t *terminalLook) note(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		t.light = !msg.IsDark()
	case tea.ColorProfileMsg:
		t.few = msg.Profile == colorprofile.ANSI
	}
}
