// Package plain removes from texts everything that a terminal would obey instead of show. Texts from workfiles and
// commands may contain sequences that move the cursor, set the title, fill the clipboard or reverse the reading
// direction. All such texts pass this package before they reach a terminal. It writes only characters that it has
// decoded and recognized as text, never bytes that it does not understand.
package plain

import (
	"io"
	"strings"
	"unicode/utf8"
)

// A Writer passes on only text, even if a control sequence is split between two writes. The caller must call Flush at
// the end.
type Writer struct {
	w     io.Writer
	sgr   bool // colours pass, in our own spelling
	state scanState
	cr    bool   // the last byte was a carriage return, whose meaning depends on the next byte
	rest  []byte // an incomplete rune at the end of the last write
	out   []byte

	// The state of colours: the parameters of the current control sequence if it can be a colour, and whether a
	// colour is on.
	params  []byte
	colored bool
}

// NewWriter returns a Writer in front of w. With sgr set, colours pass, in our own spelling.
func NewWriter(w io.Writer, sgr bool) *Writer { return &Writer{w: w, sgr: sgr} }

// A scanState is the kind of sequence that a Writer is in.
type scanState uint8

const (
	inText   scanState = iota
	inEscape           // after ESC
	inCSI              // until a final byte
	inString           // OSC, DCS, APC, PM, SOS: until BEL or ST
	inStringEscape
)

// Write writes the text in p. It returns len(p) unless the underlying writer fails.
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

// plainPrefix returns the length of the text at the start of data. Nearly all output is text only.
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

// Flush ends the output: it replaces an incomplete rune and switches colours off.
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

// step handles one rune.
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
		// ESC \ ends the string. Any other ESC sequence also ends it and starts a new one.
		if s.state = inText; r != '\\' {
			s.escape(r)
		}
	}
}

// text writes r if it is text.
func (s *Writer) text(r rune) {
	if s.cr {
		// CR LF is a line end. A lone CR, which would overwrite the line, becomes a line end.
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

// escape handles the rune after ESC.
func (s *Writer) escape(r rune) {
	switch {
	case r == '[':
		s.beginCSI()
	case r == ']', r == 'P', r == '_', r == '^', r == 'X':
		s.state = inString
	case r == 0x1b, r >= 0x20 && r <= 0x2f: // ESC again, or an intermediate byte before the final one
		s.state = inEscape
	case r >= 0x30 && r <= 0x7e:
		s.state = inText // the final byte of a short sequence
	default:
		s.state = inText
		s.text(r)
	}
}

// csi handles a rune of a control sequence. An invalid rune ends the sequence, because a broken sequence must not
// hide the rest of the output.
func (s *Writer) csi(r rune) {
	switch {
	case r >= 0x20 && r <= 0x3f: // parameters and intermediates
		s.params = append(s.params, byte(r))
		if len(s.params) > maxSGR {
			s.params = append(s.params[:0], '?') // too long for a colour
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

// control handles a rune of a control string. A line end also ends it, for the same reason.
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

// IsText reports whether a terminal only shows r.
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

// Text returns text that is safe to show. It keeps line ends and tabs.
func Text(text string) string {
	if Is(text) {
		return text
	}
	var b strings.Builder
	s := Writer{w: &b}
	io.WriteString(&s, text) // a strings.Builder returns no error
	s.Flush()
	return b.String()
}

// Line returns text as one row: each run of white space becomes a blank.
func Line(text string) string {
	return strings.Join(strings.Fields(Text(text)), " ")
}

// Is reports whether text is safe and needs no change, which is true for nearly all texts.
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

// Command returns a shell command as one row: ⏎, or \n in ASCII, represents a line end, because the pasted command
// would do something else without it. Blanks within lines stay unchanged.
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
