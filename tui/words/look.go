package words

import "wf/api"

// A Look is the look of a state: its glyph, its ASCII sign, and its colour as the parameters of an escape sequence
// (SGR). Colour never carries meaning alone.
type Look struct{ Glyph, ASCII, SGR string }

// LookOf returns the look of a state. Unknown states have the look of idle.
func LookOf(state api.State) Look {
	switch state {
	case api.StateQueued:
		return Look{"○", "o", "36"}
	case api.StateRunning:
		return Look{"●", "*", "1;34"}
	case api.StateOK:
		return Look{"✓", "+", "32"}
	case api.StateFailed:
		return Look{"✗", "x", "1;31"}
	case api.StateHandled: // the failure was handled by an edge
		return Look{"↪", ">", "33"}
	case api.StateBlocked:
		return Look{"⊘", "!", "2;33"}
	case api.StateKept:
		return Look{"✓", "=", "2;32"}
	case api.StateCancelled:
		return Look{"◌", "~", "33"}
	case api.StateSkipped:
		return Look{"↷", "/", "2"}
	case api.StateWaiting:
		return Look{"◆", "?", "1;35"}
	case api.StateRetrying:
		return Look{"↻", "r", "1;33"}
	}
	return Look{"·", ".", "2"}
}

// Sign returns the glyph of a state, or its ASCII sign.
func (l Look) Sign(ascii bool) string {
	if ascii {
		return l.ASCII
	}
	return l.Glyph
}
