package tui

import (
	"strconv"
	"strings"

	"wf/api"
	"wf/tui/drawing"
	"wf/tui/words"
)

// A color of a cell: 0 is that of the terminal, 1 to 256 are its palette plus one, and a color with the
// bit trueColor is red, green and blue.
type color uint32

const trueColor color = 1 << 24

// palette is color n of the terminal.
func palette(n int) color { return color(n) + 1 }

// attrs change how a cell is written.
type attrs uint8

const (
	bold attrs = 1 << iota
	dim
	italic
	underline
	reverse
	strike
)

// A style is how one cell looks. Styles are compared to find runs of cells that look the same.
type style struct {
	fg, bg color
	attrs  attrs
}

// The styles of the interface. States have those of package words.
var (
	plainStyle  = style{}
	dimStyle    = style{attrs: dim}
	strongStyle = style{attrs: bold}
	titleStyle  = style{attrs: bold | reverse}
	keyStyle    = style{fg: palette(6), attrs: bold}
	matchStyle  = style{fg: palette(0), bg: palette(3)}
	badStyle    = stateStyle(api.StateFailed)
	goodStyle   = stateStyle(api.StateOK)
	noteStyle   = style{fg: palette(3)}
)

// with adds attributes.
func (s style) with(a attrs) style {
	s.attrs |= a
	return s
}

// stateStyle is the style of a state: the one that the command line has.
func stateStyle(state api.State) style {
	s, _ := style{}.sgr(words.LookOf(state).SGR)
	return s
}

// drawStates are the states of a drawing in the words of the daemon.
var drawStates = map[api.State]drawing.State{
	api.StateIdle: drawing.Idle, api.StateQueued: drawing.Queued, api.StateRunning: drawing.Running,
	api.StateOK: drawing.OK, api.StateFailed: drawing.Failed, api.StateBlocked: drawing.Blocked,
	api.StateCancelled: drawing.Cancelled, api.StateKept: drawing.Kept, api.StateSkipped: drawing.Skipped,
	api.StateWaiting: drawing.Waiting, api.StateRetrying: drawing.Retrying, api.StateHandled: drawing.Handled,
}

// inkStyle is how a cell of a drawing looks.
func inkStyle(s drawing.Style) style {
	out := plainStyle
	switch state, ok := s.Ink.State(); {
	case ok:
		out = inkOfState(state)
	case s.Ink == drawing.InkDim, s.Ink == drawing.InkLine, s.Ink == drawing.InkRest:
		out = dimStyle
	case s.Ink == drawing.InkBar:
		out = goodStyle
	}
	if s.Mods&drawing.Line != 0 { // a line has the colour of its state, not its weight
		out.attrs &^= bold
	}
	if s.Mods&drawing.Near != 0 {
		out = strongStyle
	}
	if s.Mods&drawing.Faint != 0 {
		out = out.with(dim)
		out.attrs &^= bold
	}
	if s.Mods&drawing.Token != 0 {
		out = style{fg: palette(6), attrs: bold}
	}
	if s.Mods&drawing.Marked != 0 {
		out = out.with(underline | bold)
	}
	if s.Mods&drawing.Selected != 0 {
		out = out.with(reverse)
		out.attrs &^= dim
	}
	return out
}

// inkOfState is the style of a state in a drawing.
func inkOfState(state drawing.State) style { return stateStyle(api.State(state.String())) }

// sgr applies the parameters of a sequence CSI … m. ok is false, and the style unchanged, when they
// are not understood.
func (s style) sgr(params string) (out style, ok bool) {
	out = s
	fields := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	if len(fields) == 0 {
		return style{}, true
	}
	for i := 0; i < len(fields); i++ {
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			return s, false
		}
		if n == 38 || n == 48 {
			c, used, ok := extended(fields[i+1:])
			if !ok {
				return s, false
			}
			if n == 38 {
				out.fg = c
			} else {
				out.bg = c
			}
			i += used
			continue
		}
		out = out.simple(n)
	}
	return out, true
}

// attrOf are the parameters that switch an attribute on, and off again.
var attrOf = map[int]attrs{1: bold, 2: dim, 3: italic, 4: underline, 7: reverse, 9: strike}
var attrOff = map[int]attrs{22: bold | dim, 23: italic, 24: underline, 27: reverse, 29: strike}

// simple applies a parameter that stands alone. What is not known changes nothing.
func (s style) simple(n int) style {
	switch {
	case n == 0:
		return style{}
	case attrOf[n] != 0:
		s.attrs |= attrOf[n]
	case attrOff[n] != 0:
		s.attrs &^= attrOff[n]
	case n >= 30 && n <= 37:
		s.fg = palette(n - 30)
	case n >= 90 && n <= 97:
		s.fg = palette(n - 90 + 8)
	case n == 39:
		s.fg = 0
	case n >= 40 && n <= 47:
		s.bg = palette(n - 40)
	case n >= 100 && n <= 107:
		s.bg = palette(n - 100 + 8)
	case n == 49:
		s.bg = 0
	}
	return s
}

// extended reads what follows 38 or 48: "5;n" or "2;r;g;b". used is how many fields that were.
func extended(fields []string) (c color, used int, ok bool) {
	number := func(i int) int {
		n, err := strconv.Atoi(fields[i])
		if err != nil || n < 0 || n > 255 {
			ok = false
		}
		return n
	}
	ok = true
	switch {
	case len(fields) >= 2 && fields[0] == "5":
		return palette(number(1)), 2, ok
	case len(fields) >= 4 && fields[0] == "2":
		return trueColor | color(number(1))<<16 | color(number(2))<<8 | color(number(3)), 4, ok
	}
	return 0, 0, false
}

// appendSGR appends the sequence that makes a terminal write in this style, whatever it was before.
func (s style) appendSGR(b []byte, colors bool) []byte {
	b = append(b, "\x1b[0"...)
	for n := 1; n <= 9; n++ {
		if a := attrOf[n]; a != 0 && s.attrs&a != 0 {
			b = strconv.AppendInt(append(b, ';'), int64(n), 10)
		}
	}
	if colors {
		b = appendColor(b, s.fg, 30)
		b = appendColor(b, s.bg, 40)
	}
	return append(b, 'm')
}

// appendColor appends the parameters of a color; base is 30 for the text and 40 for what is behind it.
func appendColor(b []byte, c color, base int64) []byte {
	number := func(n int64) { b = strconv.AppendInt(append(b, ';'), n, 10) }
	switch n := int64(c) - 1; {
	case c == 0:
	case c&trueColor != 0:
		number(base + 8)
		number(2)
		number(int64(c >> 16 & 0xff))
		number(int64(c >> 8 & 0xff))
		number(int64(c & 0xff))
	case n < 8:
		number(base + n)
	case n < 16:
		number(base + 60 + n - 8)
	default:
		number(base + 8)
		number(5)
		number(n)
	}
	return b
}
