package main

import (
	"fmt"
	"strings"
)

// mostOfCommand is how many bytes of a command are shown where it is not what was asked for.
const mostOfCommand = 4000

// beginning is a text that is not too long to be shown, or the beginning of it and how much there is.
func beginning(text string) string {
	if len(text) <= mostOfCommand {
		return text
	}
	return strings.ToValidUTF8(text[:mostOfCommand], "") + fmt.Sprintf("… (%d bytes; wf ls --json has all of it)", len(text))
}

// clip cuts text to width columns at its end; width 0 leaves it whole. It counts runes: good
// enough to keep a table on the screen, and never cuts one.
func (p paint) clip(text string, width int) string {
	runes := []rune(text)
	mark := p.ellipsis()
	if width <= 0 || len(runes) <= width || width <= len(mark) {
		return text
	}
	return string(runes[:width-len([]rune(mark))]) + mark
}
