package tui

import (
	"wf/api"
	"wf/tui/cells"
	"wf/tui/drawing"
	"wf/tui/words"
)

// stateStyle returns the style of a state, the same as on the command line.
func stateStyle(state api.State) cells.Style {
	s, _ := cells.Style{}.SGR(words.LookOf(state).SGR)
	return s
}

// drawStates maps the states of the daemon to those of drawings.
var drawStates = map[api.State]drawing.State{
	api.StateIdle: drawing.Idle, api.StateQueued: drawing.Queued, api.StateRunning: drawing.Running,
	api.StateOK: drawing.OK, api.StateFailed: drawing.Failed, api.StateBlocked: drawing.Blocked,
	api.StateCancelled: drawing.Cancelled, api.StateKept: drawing.Kept, api.StateSkipped: drawing.Skipped,
	api.StateWaiting: drawing.Waiting, api.StateRetrying: drawing.Retrying, api.StateHandled: drawing.Handled,
}

// inkStyle returns the style of a cell of a drawing.
func inkStyle(s drawing.Style) cells.Style {
	out := cells.Plain
	switch state, ok := s.Ink.State(); {
	case ok:
		out = inkOfState(state)
	case s.Ink == drawing.InkDim:
		out = cells.Dimmed
	case s.Ink == drawing.InkWhen:
		out = cells.Style{FG: cells.Palette(3)}
	}
	if s.Mods&drawing.Line != 0 { // a line has the colour of its state, not its weight
		out.Attrs &^= cells.Bold
	}
	if s.Mods&drawing.Near != 0 {
		out = out.With(cells.Bold)
		out.Attrs &^= cells.Dim
	}
	if s.Mods&drawing.Faint != 0 {
		out = out.With(cells.Dim)
		out.Attrs &^= cells.Bold
	}
	if s.Mods&drawing.Token != 0 {
		out = cells.Style{FG: cells.Palette(6), Attrs: cells.Bold}
	}
	if s.Mods&drawing.Marked != 0 {
		out = out.With(cells.Underline | cells.Bold)
	}
	if s.Mods&drawing.Selected != 0 {
		out = out.With(cells.Reverse)
		out.Attrs &^= cells.Dim
	}
	return out
}

// inkOfState returns the style of a state in a drawing.
func inkOfState(state drawing.State) cells.Style { return stateStyle(api.State(state.String())) }

// pasteDrawing copies a drawing into a.
func pasteDrawing(a cells.Area, g *drawing.Grid) {
	for y := range min(a.Height, g.Height) {
		for x, from := range g.Row(y)[:min(a.Width, g.Width)] {
			*a.At(x, y) = cells.Cell{Text: from.Text, Wide: from.Width == 2, Cover: from.Width == 0, Style: inkStyle(from.Style)}
		}
	}
}
