package main

import (
	"strings"

	"wf/api"
	"wf/tui/words"
)

// A paint says how one stream shows states: with colour or not, with Unicode glyphs or ASCII.
// Colour never carries meaning alone.
type paint struct {
	color, ascii bool
}

// outPaint and errPaint are the paints of the two streams.
func (e *env) outPaint() paint { return paint{e.wantColor(e.outTTY), e.wantASCII()} }
func (e *env) errPaint() paint { return paint{e.wantColor(e.errTTY), e.wantASCII()} }

// wantColor decides by flag, then NO_COLOR (any value), then FORCE_COLOR, then the terminal.
func (e *env) wantColor(tty bool) bool {
	switch {
	case e.color == "always":
		return true
	case e.color == "never", e.get("NO_COLOR") != "":
		return false
	case e.get("FORCE_COLOR") != "", e.get("CLICOLOR_FORCE") != "":
		return true
	}
	return tty && e.get("TERM") != "" && e.get("TERM") != "dumb"
}

// wantASCII is true where the flag or the locale say that only ASCII can be shown.
func (e *env) wantASCII() bool {
	if e.ascii {
		return true
	}
	for _, key := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := e.get(key); value != "" {
			value = strings.ToLower(value)
			return !strings.Contains(value, "utf-8") && !strings.Contains(value, "utf8")
		}
	}
	return true
}

// glyph is the sign of a state.
func (p paint) glyph(state api.State) string {
	l := words.LookOf(state)
	return p.sgr(l.SGR, l.Sign(p.ascii))
}

// ellipsis stands for what was left out, dot separates the parts of a line.
func (p paint) ellipsis() string { return p.either("…", "...") }
func (p paint) dot() string      { return p.either("·", "|") }

func (p paint) either(unicode, ascii string) string {
	if p.ascii {
		return ascii
	}
	return unicode
}

// bad and strong colour text.
func (p paint) bad(text string) string    { return p.sgr("1;31", text) }
func (p paint) strong(text string) string { return p.sgr("1", text) }

func (p paint) sgr(code, text string) string {
	if !p.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
