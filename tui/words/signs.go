package words

import (
	"strings"

	"wf/api"
)

// A Sign is what a drawing draws besides texts: its forms in Unicode, the form or forms that stand for them in ASCII ("" =
// it is written in words or points), and its meaning, for legends.
type Sign struct{ Glyph, ASCII, Meaning string }

// The signs of drawings besides those of states. Lines have a form for each direction.
var (
	SignLine     = Sign{"─│╭╮╰╯╴╵╶╷", "-|,`'", "an edge; where two only cross, one is not drawn"}
	SignJoint    = Sign{"├┤┬┴┼╋", "#", "edges branch or join here"}
	SignFrame    = Sign{"┌┐└┘▐▌", "[]_", "the frame of a box"}
	SignDashed   = Sign{"╌╎", "\":", "a non-blocking edge"}
	SignVia      = Sign{"┈┊", ";", "an edge through nodes that are hidden"}
	SignArrow    = Sign{"▸◂▾▴", "><v^", "an edge arrives here; in a list: what is chosen"}
	SignToken    = Sign{"•", "@", "the edge has fired, and its target waits for others"}
	SignDead     = Sign{"╳", "X", "the edge will not fire in this run"}
	SignLoop     = Sign{"↺", "%", "a loop back to the node that is named"}
	SignCount    = Sign{"×", "N", "that many nodes in one box"}
	SignBelow    = Sign{"▼", "V", "there is more below"}
	SignBar      = Sign{"━", "", "progress: the share of nodes, in the colours of their states"}
	SignMore     = Sign{"…", "", "something is left out here"}
	SignEach     = Sign{"⋮", "$", "what every instance consists of"}
	SignLineEnd  = Sign{"⏎", "", "the end of a line of a command; as a key: Enter"}
	SignKeys     = Sign{"↑↓←", "", "keys with arrows"}
	SignLeads    = Sign{"→", "", "leads to"}
	SignHeat     = Sign{"▁▂▄▆▇", "", "how long it took: each step is twice the one before, the last one is the longest"}
	SignCritical = Sign{"»", "", "on the critical path, which decided how long the run took"}
	SignSpan     = Sign{"▏▎▍▋▊▉█", "", "when it ran, in the colour of how it ended"}
	SignWaited   = Sign{"┄", "", "when it could run, and waited"}
)

// SignStderr is before lines of standard error in logs.
var SignStderr = Sign{"┃", "E", "a line of standard error (output=split)"}

// stateMeanings are the meanings of the states, in the order of legends.
var stateMeanings = []struct {
	state   api.State
	meaning string
}{
	{api.StateIdle, "has not run"},
	{api.StateQueued, "can run, and waits for a slot or a place"},
	{api.StateRunning, "runs"},
	{api.StateOK, "ok"},
	{api.StateKept, "kept: ok in an earlier run"},
	{api.StateFailed, "failed"},
	{api.StateHandled, "failed, and an edge leads on from the failure"},
	{api.StateRetrying, "failed, and is tried again"},
	{api.StateBlocked, "cannot run, because something before it failed"},
	{api.StateWaiting, "waits for a person, a time or a pool"},
	{api.StateSkipped, "skipped: on a branch that was not taken"},
	{api.StateCancelled, "cancelled"},
}

// Signs returns all signs of drawings and logs, those of states first. No sign has two meanings; in Unicode, ok and kept share one
// and differ in weight.
func Signs() []Sign {
	var all []Sign
	for _, s := range stateMeanings {
		look := LookOf(s.state)
		all = append(all, Sign{look.Glyph, look.ASCII, s.meaning})
	}
	return append(all, SignLine, SignJoint, SignFrame, SignDashed, SignVia, SignArrow, SignToken, SignDead,
		SignLoop, SignCount, SignBelow, SignBar, SignMore, SignEach, SignLineEnd, SignKeys, SignLeads,
		SignHeat, SignCritical, SignSpan, SignWaited, SignStderr)
}

// HeatSign returns the sign of a step of SignHeat, from 0.
func HeatSign(step int, ascii bool) string {
	if ascii {
		return "heat " + string(rune('1'+step))
	}
	return string([]rune(SignHeat.Glyph)[step])
}

// Text returns the first form of a sign.
func (s Sign) Text(ascii bool) string {
	if ascii {
		return s.ASCII[:1]
	}
	for _, r := range s.Glyph {
		return string(r)
	}
	return ""
}

// Legend returns the signs that occur in a text in Unicode, each reduced to the forms that occur. In ASCII it has all forms,
// and no signs without one.
func Legend(text string, ascii bool) (found []Sign) {
	for _, s := range Signs() {
		forms := strings.Map(func(r rune) rune {
			if strings.ContainsRune(text, r) {
				return r
			}
			return -1
		}, s.Glyph)
		if forms == "" || ascii && s.ASCII == "" {
			continue
		}
		if n := len(found); n > 0 && !ascii && found[n-1].Glyph == forms {
			found[n-1].Meaning += "; dim: " + s.Meaning
			continue
		}
		s.Glyph = forms
		found = append(found, s)
	}
	return found
}

// MeaningOf returns the meaning of the sign of a state.
func MeaningOf(state api.State) string {
	for _, s := range stateMeanings {
		if s.state == state {
			return s.meaning
		}
	}
	return string(state)
}
