package cells

import (
	"strings"
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
	if Columns(text) <= width {
		return text
	}
	mark := Either(ascii, "..", "…")
	return head(text, width-Columns(mark)) + mark
}

// ClipMiddle cuts a name in its middle, because names of nodes often differ only at their beginning or end.
func ClipMiddle(text string, width int, ascii bool) string {
	if Columns(text) <= width {
		return text
	}
	mark := Either(ascii, "..", "…")
	room := max(0, width-Columns(mark))
	front := head(text, room-room/2)
	back := text
	for Columns(back) > room/2 {
		cluster, _ := Grapheme(back)
		back = back[len(cluster):]
	}
	return front + mark + back
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
