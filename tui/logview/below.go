package logview

import (
	"regexp"

	"wf/tui/cells"
	"wf/tui/words"
)

// newLines counts the displayed lines that have arrived since following ended. It looks at each line once, unless the
// filter changes.
type newLines struct {
	from    int            // number of the first line that is new, counted from the first line ever
	counted int            // the lines before this one are counted in found
	found   int            // number of displayed lines
	stream  string         // of the filter
	pattern *regexp.Regexp // of the filter
}

// count returns the number of displayed lines that are new.
func (n *newLines) count(b *buffer, f lineFilter) int {
	if f.stream == "" && f.pattern == nil {
		return b.end() - n.from // also those that the buffer has dropped in the meantime
	}
	if n.stream != f.stream || n.pattern != f.pattern {
		*n = newLines{from: n.from, counted: n.from, stream: f.stream, pattern: f.pattern}
	}
	found, ended := n.found, true
	for i := max(n.counted, b.dropped); i < b.end(); i++ {
		l := &b.lines[i-b.dropped]
		if f.shows(l) {
			found++
		}
		if ended = ended && !l.open; ended { // the rest of an open line may change whether it matches
			n.counted, n.found = i+1, found
		}
	}
	return found
}

// newLinesText says how many lines are new and how to see them, in at most width columns if possible.
func newLinesText(n, width int, ascii bool) string {
	if n == 0 {
		return ""
	}
	text := "  " + cells.Either(ascii, "V", "▼") + " " + words.Plural(n, "new line")
	if long := text + ", G goes to the end"; cells.Columns(long) <= width {
		return long
	}
	return text + ": G"
}
