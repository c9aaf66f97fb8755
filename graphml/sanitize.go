package graphml

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Sanitize makes captured output fit for an attribute: the last limit bytes of it, as text that
// XML can hold. Escape sequences of terminals go, lines that a carriage return has overwritten
// go, other control characters become pictures, bytes that are no UTF-8 become U+FFFD.
// What is cut off at the head is named by a first line that points to node's log; with it the
// result has at most limit + 64 bytes plus the length of node. skipped is how many bytes of the
// output lie before the given ones: callers that read only the end of a large log say so here.
func Sanitize(output []byte, limit int, skipped int64, node string) string {
	clean := sanitized(output)
	cut := cutHead(clean, limit)
	skipped += int64(cut)
	if skipped == 0 {
		return clean
	}
	return fmt.Sprintf("... %d bytes left out, see wf logs %s\n%s", skipped, visibleName(node), clean[cut:])
}

// cutHead returns where the last limit bytes of the text begin: behind a line end if one is near,
// never inside of a character.
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

// visibleName is an id in a message: ids may hold anything.
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

// sanitized writes lines as a terminal would have left them.
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
			// What follows overwrites the line: progress bars do so many times.
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

// escapeSequence returns the length of the terminal sequence that text begins with, 0 if it is
// none: CSI (colours, cursor), OSC and its like (titles, links), and those of two characters.
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

// stringSequence is a sequence with a text in it, up to BEL or ESC \. One that does not end
// within a line of reasonable length was not meant as one.
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
