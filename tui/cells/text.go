package cells

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Either returns the first text for an ASCII-only terminal, otherwise the second.
func Either(ascii bool, plainText, unicode string) string {
	if ascii {
		return plainText
	}
	return unicode
}

// Clip cuts text at its end to at most width columns.
func Clip(text string, width int, ascii bool) string {
	return ansi.Truncate(text, width, Either(ascii, "..", "…"))
}

// ClipMiddle cuts a name in its middle, because names of nodes often differ only at their beginning or end.
func ClipMiddle(text string, width int, ascii bool) string {
	used, mark := Columns(text), Either(ascii, "..", "…")
	room := width - Columns(mark)
	switch {
	case used <= width:
		return text
	case room < 2:
		return ansi.Truncate(text, width, "")
	}
	return ansi.Truncate(text, room-room/2, "") + mark + ansi.TruncateLeft(text, used-room/2, "")
}

// head returns the beginning of text that fits into width columns.
func head(text string, width int) string {
	used, at := 0, 0
	for at < len(text) {
		cluster, w := Grapheme(text[at:])
		if used+w > width {
			break
		}
		used += w
		at += len(cluster)
	}
	return text[:at]
}

// Wrap breaks text into lines of at most width columns, at blanks if possible.
func Wrap(text string, width int) []string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		for Columns(line) > width && width > 0 {
			cut := len(head(line, width))
			if at := strings.LastIndexByte(line[:cut], ' '); at > 0 {
				cut = at
			}
			if cut == 0 {
				break
			}
			lines = append(lines, line[:cut])
			line = strings.TrimPrefix(line[cut:], " ")
		}
		lines = append(lines, line)
	}
	return lines
}
