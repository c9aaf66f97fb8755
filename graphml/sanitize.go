package graphml

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Sanitize prepares captured output for an attribute: it returns the last limit bytes, as text that
// XML can represent. Terminal escape sequences and lines overwritten after a carriage return are
// removed, other control characters become pictures, bytes that are not UTF-8 become U+FFFD.
// If the beginning is cut off, a first line says so and points to the log of node; with it the
// result has at most limit + 64 bytes plus the length of node. skipped is the number of output
// bytes before the given ones, for callers that read only the end of a large log.
func Sanitize(output []byte, limit int, skipped int64, node string) string {
	clean := sanitized(output)
	cut := cutHead(clean, limit)
	skipped += int64(cut)
	if skipped == 0 {
		return clean
	}
	return fmt.Sprintf("... %d bytes left out, see wf logs %s\n%s", skipped, visibleName(node), clean[cut:])
}

// cutHead returns where the last limit bytes of the text begin: after a line end if one is near,
// never inside a character.
func cutHead(text string, limit int) int {
	if len(text) <= limit {
		return 0
	}
	cut := len(text) - max(limit, 0)
	for cut < len(text) && !utf8.RuneStart(text[cut]) {
		cut++
	}
	if text[cut-1] == '\n' {
		return cut
	}
	if i := strings.IndexByte(text[cut:], '\n'); i >= 0 && i < limit/2 {
		return cut + i + 1
	}
	return cut
}

// visibleName returns an id for a message, shortened and without control characters.
func visibleName(id string) string {
	const most = 80
	if len(id) > most {
		id = id[:cutTail(id, most)] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return ' '
		}
		return r
	}, sanitized([]byte(id)))
}

func cutTail(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// sanitized returns the lines as a terminal would show them at the end.
func sanitized(output []byte) string {
	clean := make([]byte, 0, len(output))
	lineStart := 0 // in clean
	for i := 0; i < len(output); {
		if n := plainRun(output[i:]); n > 0 {
			clean = append(clean, output[i:i+n]...)
			i += n
			continue
		}
		switch c := output[i]; {
		case c == '\n':
			clean = append(clean, c)
			lineStart = len(clean)
			i++
		case c == '\r':
			i++
			// The following text overwrites the line, as progress bars do many times.
			if rest := output[i:]; len(rest) > 0 && rest[0] != '\n' && rest[0] != '\r' {
				clean = clean[:lineStart]
			}
		case c == 0x1B && escapeSequence(output[i:]) > 0:
			i += escapeSequence(output[i:])
		default:
			r, size := visible(string(output[i:min(i+utf8.UTFMax, len(output))]))
			clean = utf8.AppendRune(clean, r)
			i += size
		}
	}
	return string(clean)
}

// plainRun returns how many bytes from the start are printable ASCII or tabs.
func plainRun(text []byte) int {
	for i, c := range text {
		if (c < ' ' && c != '\t') || c >= utf8.RuneSelf {
			return i
		}
	}
	return len(text)
}

// escapeSequence returns the length of the terminal sequence at the start of text, 0 if there is
// none: CSI (colours, cursor), OSC and similar (titles, links), and those of two characters.
func escapeSequence(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch c := text[1]; {
	case c == '[':
		for i := 2; i < len(text); i++ {
			if c := text[i]; c >= 0x40 && c <= 0x7E {
				return i + 1
			} else if c < 0x20 || c > 0x7E {
				return 0
			}
		}
		return len(text)
	case c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X':
		return stringSequence(text)
	case c == '(' || c == ')':
		return min(3, len(text))
	case c >= 0x30 && c <= 0x7E:
		return 2
	}
	return 0
}

// stringSequence returns the length of a sequence that contains a text and ends with BEL or ESC \.
// If it does not end within the line or 4096 bytes, only the first two bytes count.
func stringSequence(text []byte) int {
	const most = 4096
	for i := 2; i < len(text) && i < most; i++ {
		switch {
		case text[i] == 0x07:
			return i + 1
		case text[i] == 0x1B && i+1 < len(text) && text[i+1] == '\\':
			return i + 2
		case text[i] == '\n':
			return 2
		}
	}
	return 2
}
