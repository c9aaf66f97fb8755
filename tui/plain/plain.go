// Package plain makes of other people's bytes what a terminal may show.
//
// Whatever comes from a workfile or a command may hold bytes that a terminal obeys: sequences that
// move the cursor, set the title, fill the clipboard, or turn the reading direction. This package
// is the one gate between such bytes and a terminal: it passes on what it has decoded and knows to
// be text, never a byte that it does not understand.
package plain

import (
	"io"
	"strings"
	"unicode/utf8"
)

// A Writer passes only text on, also if a control sequence is split between two writes. Flush ends it.
type Writer struct {
	w     io.Writer
	sgr   bool // colours pass, as we write them ourselves
	state scanState
	cr    bool   // a carriage return was seen: what it means depends on the next byte
	rest  []byte // start of a rune whose end has not been written yet
	out   []byte

	// Of a control sequence: its parameters as far as they can be those of a colour; and whether a
	// colour is on that nothing has turned off.
	params  []byte
	colored bool
}

// NewWriter returns a Writer in front of w. If sgr is set, colors pass, in our own spelling.
func NewWriter(w io.Writer, sgr bool) *Writer { return &Writer{w: w, sgr: sgr} }

// A scanState is what a Writer is inside of.
type scanState uint8

const (
	inText   scanState = iota
	inEscape           // after ESC
	inCSI              // until a final byte
	inString           // OSC, DCS, APC, PM, SOS: until BEL or ST
	inStringEscape
)

// Write passes the text in p on. It returns len(p) unless the writer behind it fails.
func (s *Writer) Write(p []byte) (int, error) {
	data := p
	if len(s.rest) > 0 {
		data = append(s.rest, p...)
		s.rest = nil
	}
	s.out = s.out[:0]
	for len(data) > 0 {
		if n := s.plainPrefix(data); n > 0 {
			s.out = append(s.out, data[:n]...)
			data = data[n:]
			continue
		}
		if !utf8.FullRune(data) {
			s.rest = append([]byte(nil), data...)
			break
		}
		r, size := utf8.DecodeRune(data)
		s.step(r)
		data = data[size:]
	}
	if _, err := s.w.Write(s.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// plainPrefix returns the length of the beginning of data that is text; nearly all output is.
func (s *Writer) plainPrefix(data []byte) int {
	if s.state != inText || s.cr {
		return 0
	}
	for i, c := range data {
		if !isPlainByte(c) {
			return i
		}
	}
	return len(data)
}

// Flush writes what was held back: half a rune at the very end is replaced, and colors end.
func (s *Writer) Flush() error {
	s.out = s.out[:0]
	if len(s.rest) > 0 && s.state == inText {
		s.step(utf8.RuneError)
	}
	s.rest = nil
	if s.colored {
		s.out = append(s.out, "\x1b[0m"...)
		s.colored = false
	}
	_, err := s.w.Write(s.out)
	return err
}

// step takes one rune.
func (s *Writer) step(r rune) {
	switch s.state {
	case inText:
		s.text(r)
	case inEscape:
		s.escape(r)
	case inCSI:
		s.csi(r)
	case inString:
		s.control(r)
	case inStringEscape:
		// ESC \ ends the string; any other ESC sequence does so too and begins anew.
		if s.state = inText; r != '\\' {
			s.escape(r)
		}
	}
}

// text passes r on if it is text.
func (s *Writer) text(r rune) {
	if s.cr {
		// CR LF is a line end. A lone CR would write over the line; it becomes one.
		s.cr = false
		if r != '\n' {
			s.out = append(s.out, '\n')
		}
	}
	switch {
	case r == '\r':
		s.cr = true
	case r == 0x1b:
		s.state = inEscape
	case r == 0x9b:
		s.beginCSI()
	case r == 0x90, r == 0x98, r >= 0x9d && r <= 0x9f:
		s.state = inString
	case IsText(r):
		s.out = utf8.AppendRune(s.out, r)
	}
}

// escape takes the rune after ESC.
func (s *Writer) escape(r rune) {
	switch {
	case r == '[':
		s.beginCSI()
	case r == ']', r == 'P', r == '_', r == '^', r == 'X':
		s.state = inString
	case r == 0x1b, r >= 0x20 && r <= 0x2f: // ESC again, or an intermediate byte: the final one comes
		s.state = inEscape
	case r >= 0x30 && r <= 0x7e:
		s.state = inText // the final byte of a short sequence
	default:
		s.state = inText
		s.text(r)
	}
}

// csi takes a rune of a control sequence. One that does not belong there ends it: a broken sequence must not
// hide the rest of the output.
func (s *Writer) csi(r rune) {
	switch {
	case r >= 0x20 && r <= 0x3f: // parameters and intermediates
		s.params = append(s.params, byte(r))
		if len(s.params) > maxSGR {
			s.params = append(s.params[:0], '?') // too long to be a colour
		}
	case r >= 0x40 && r <= 0x7e:
		s.state = inText
		if r == 'm' && s.sgr {
			s.color()
		}
	default:
		s.state = inText
		s.text(r)
	}
}

// control takes a rune of a control string. A line end ends it too, for the same reason.
func (s *Writer) control(r rune) {
	switch r {
	case 0x07, 0x9c:
		s.state = inText
	case 0x1b:
		s.state = inStringEscape
	case '\n':
		s.state = inText
		s.text(r)
	}
}

// IsText reports whether a terminal shows r and does nothing else with it.
func IsText(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return true
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return false
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return false // bidirectional controls
	}
	return true
}

// Text returns text as a terminal may show it: lines and tabs stay.
func Text(text string) string {
	if Is(text) {
		return text
	}
	var b strings.Builder
	s := Writer{w: &b}
	io.WriteString(&s, text) // a strings.Builder never fails
	s.Flush()
	return b.String()
}

// Line returns text for one row: each run of white space becomes a blank.
func Line(text string) string {
	return strings.Join(strings.Fields(Text(text)), " ")
}

// Is recognises texts that need no change, which nearly all are.
func Is(text string) bool {
	for i := range len(text) {
		if !isPlainByte(text[i]) {
			return false
		}
	}
	return true
}

func isPlainByte(c byte) bool {
	return c >= 0x20 && c < 0x7f || c == '\n' || c == '\t'
}

// Command returns a shell command for one row: ⏎, or \n in ASCII, stands for the end of a line, because a copy
// without it would do something else. Blanks within lines stay as they are.
func Command(text string, ascii bool) string {
	text = strings.TrimSpace(Text(text))
	if !strings.ContainsAny(text, "\n\r\t") {
		return text
	}
	mark := " ⏎ "
	if ascii {
		mark = ` \n `
	}
	lines := strings.Split(strings.ReplaceAll(text, "\t", " "), "\n")
	for i, line := range lines {
		lines[i] = strings.Trim(line, " \r")
	}
	return strings.Join(lines, mark)
}
