package tui

import (
	"image/color"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// TestPaletteFitsTheTerminal: The setting decides; with auto, what the terminal says about itself does.
func TestPaletteFitsTheTerminal(t *testing.T) {
	light, dark := tea.BackgroundColorMsg{Color: color.White}, tea.BackgroundColorMsg{Color: color.Black}
	few := tea.ColorProfileMsg{Profile: colorprofile.ANSI}
	for _, one := range []struct {
		setting string
		says    []tea.Msg
		want    string
	}{
		{"auto", nil, "dark"}, {"auto", []tea.Msg{dark}, "dark"}, {"auto", []tea.Msg{light}, "light"}, {"", []tea.Msg{light, dark}, "dark"},
		{"auto", []tea.Msg{light, few}, "16"}, {"dark", []tea.Msg{light}, "dark"}, {"light", []tea.Msg{dark}, "light"}, {"colorblind", []tea.Msg{light, few}, "colorblind"},
		{"16", nil, "16"},
	} {
		m := testModel(80, 24, pipeline(2))
		m.opt.Color, m.opt.Palette = true, one.setting
		for _, msg := range one.says {
			m.Update(msg)
		}
		m.draw()
		if got := m.term.screen.Scheme.Name(); got != one.want {
			t.Errorf("%q after %v is %s, want %s", one.setting, one.says, got, one.want)
		}
		if asks := m.opt.askBackground() != nil; asks != (one.setting == "" || one.setting == "auto" || one.setting == "colorblind") {
			t.Errorf("%q asks the terminal: %v", one.setting, asks)
		}
	}
}
