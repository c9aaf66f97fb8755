package words

import "wf/api"

// A Look is the look of a state: its glyph, its ASCII sign, and its colour as the parameters of an escape sequence
// (SGR). Colour never carries meaning alone.
type Look struct{ Glyph, ASCII, SGR string }

// looks are the looks of the states.
var looks = map[api.State]Look{
	api.StateIdle:      {"·", ".", "2"},
	api.StateQueued:    {"○", "o", "36"},
	api.StateRunning:   {"●", "*", "1;34"},
	api.StateOK:        {"✓", "+", "32"},
	api.StateFailed:    {"✗", "x", "1;31"},
	api.StateHandled:   {"↪", "&", "33"}, // the failure was handled by an edge
	api.StateBlocked:   {"⊘", "!", "2;33"},
	api.StateKept:      {"✓", "=", "2;32"},
	api.StateCancelled: {"◌", "~", "33"},
	api.StateSkipped:   {"↷", "/", "2"},
	api.StateWaiting:   {"◆", "?", "1;35"},
	api.StateRetrying:  {"↻", "r", "1;33"},
}

// LookOf returns the look of a state. Unknown states have the look of idle.
func LookOf(state api.State) Look {
	if look, known := looks[state]; known {
		return look
	}
	return looks[api.StateIdle]
}

// Sign returns the glyph of a state, or its ASCII sign.
func (l Look) Sign(ascii bool) string {
	if ascii {
		return l.ASCII
	}
	return l.Glyph
}
