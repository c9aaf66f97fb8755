package main

import (
	"fmt"
	"strings"
	"time"

	"wf/api"
	"wf/tui/words"
)

// What people read is worded by package words, for the terminal interface as well.

func span(d time.Duration) string               { return words.Span(d) }
func spanMS(ms *int64) string                   { return words.SpanMS(ms) }
func ago(t, now time.Time) string               { return words.Ago(t, now) }
func plural(n int, noun string) string          { return words.Plural(n, noun) }
func nameList(names []string, limit int) string { return words.NameList(names, limit) }
func quote(text string) string                  { return words.Quote(text) }

func countParts(c api.Counts, idle string) []string { return words.CountParts(c, idle) }

func cause(reason api.Reason, code *int, signal, message string) string {
	return words.Cause(reason, code, signal, message)
}

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
