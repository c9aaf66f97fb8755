package console

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wf/api"
	"wf/tui/words"
)

// A Paint formats text for one stream: with colour or without, with Unicode glyphs or ASCII. Colour is never the only
// sign of a meaning.
type Paint struct {
	Colored, ASCII bool
}

// OutPaint and ErrPaint return the paints of the two streams.
func (c *Console) OutPaint() Paint { return Paint{c.WantColor(c.OutTTY), c.WantASCII()} }
func (c *Console) ErrPaint() Paint { return Paint{c.WantColor(c.ErrTTY), c.WantASCII()} }

// WantColor decides by flag, then NO_COLOR (any value), then FORCE_COLOR, then the terminal.
func (c *Console) WantColor(tty bool) bool {
	switch {
	case c.Color == "always":
		return true
	case c.Color == "never", c.Get("NO_COLOR") != "":
		return false
	case c.Get("FORCE_COLOR") != "", c.Get("CLICOLOR_FORCE") != "":
		return true
	}
	return tty && c.Get("TERM") != "" && c.Get("TERM") != "dumb"
}

// WantASCII returns true if the flag or the locale allows only ASCII.
func (c *Console) WantASCII() bool {
	if c.ASCII {
		return true
	}
	for _, key := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := c.Get(key); value != "" {
			value = strings.ToLower(value)
			return !strings.Contains(value, "utf-8") && !strings.Contains(value, "utf8")
		}
	}
	return true
}

// Glyph returns the sign of a state.
func (p Paint) Glyph(state api.State) string {
	l := words.LookOf(state)
	return p.SGR(l.SGR, l.Sign(p.ASCII))
}

// Ellipsis marks omitted text, and Dot separates the parts of a line.
func (p Paint) Ellipsis() string { return p.Either("…", "...") }
func (p Paint) Dot() string      { return p.Either("·", "|") }

func (p Paint) Either(unicode, ascii string) string {
	if p.ASCII {
		return ascii
	}
	return unicode
}

// Bad and Strong highlight text.
func (p Paint) Bad(text string) string    { return p.SGR("1;31", text) }
func (p Paint) Strong(text string) string { return p.SGR("1", text) }

func (p Paint) SGR(code, text string) string {
	if !p.Colored {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bar draws n of total as a bar of width columns.
func (p Paint) Bar(n, total, width int) string {
	full := width
	if total > 0 {
		full = width * n / total
	}
	return p.SGR("32", strings.Repeat(p.Either("━", "="), full)) + p.Dim(strings.Repeat(p.Either("─", "-"), width-full))
}

// Column cuts text in its middle or pads it to width columns. Names usually differ at their ends.
func (p Paint) Column(text string, width int) string {
	if have := ansi.StringWidth(text); have > width {
		room := width - ansi.StringWidth(p.Ellipsis())
		text = ansi.Truncate(text, (room+1)/2, "") + p.Ellipsis() + ansi.TruncateLeft(text, have-room/2, "")
	}
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}

// Dim makes text faint.
func (p Paint) Dim(text string) string {
	if text == "" {
		return ""
	}
	return p.SGR("2", text)
}

// Clip cuts text at its end to width runes; width 0 means no limit.
func (p Paint) Clip(text string, width int) string {
	runes := []rune(text)
	mark := p.Ellipsis()
	if width <= 0 || len(runes) <= width || width <= len(mark) {
		return text
	}
	return string(runes[:width-len([]rune(mark))]) + mark
}
