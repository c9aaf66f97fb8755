package tui

import (
	"errors"
	"strings"

	"wf/api"
	"wf/tui/plain"
)

// either chooses between what a terminal with Unicode shows and what one without does.
func either(ascii bool, plainText, unicode string) string {
	if ascii {
		return plainText
	}
	return unicode
}

// clip cuts text at its end to width columns.
func clip(text string, width int, ascii bool) string {
	if columns(text) <= width {
		return text
	}
	mark := either(ascii, "..", "…")
	return head(text, width-columns(mark)) + mark
}

// clipMiddle cuts a name in its middle: beginnings and ends of names tell nodes apart.
func clipMiddle(text string, width int, ascii bool) string {
	if columns(text) <= width {
		return text
	}
	mark := either(ascii, "..", "…")
	room := max(0, width-columns(mark))
	front := head(text, room-room/2)
	back := text
	for columns(back) > room/2 {
		cluster, _ := grapheme(back)
		back = back[len(cluster):]
	}
	return front + mark + back
}

// head is as much of the beginning of text as fits.
func head(text string, width int) string {
	used, at := 0, 0
	for at < len(text) {
		cluster, w := grapheme(text[at:])
		if used+w > width {
			break
		}
		used += w
		at += len(cluster)
	}
	return text[:at]
}

// wrapWords breaks text into lines of at most width columns, at blanks where that is possible.
func wrapWords(text string, width int) []string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		for columns(line) > width && width > 0 {
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

// errorText is an error in one line: what, why, and what to do about it.
func errorText(err error) string {
	var refused *api.Error
	if !errors.As(err, &refused) {
		return plain.Line(err.Error())
	}
	text := refused.Message
	for _, part := range []string{refused.Where, refused.Why} {
		if part != "" {
			text += ": " + part
		}
	}
	if refused.Fix != "" {
		text += "; " + refused.Fix
	}
	return plain.Line(text)
}
