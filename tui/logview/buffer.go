package logview

import (
	"bytes"
	"regexp"
	"strings"

	"wf/tui/plain"
)

// Limits for the lines of a log in memory.
const (
	keptBytes = 8 << 20
	keptLines = 100_000
	lineBytes = 64 << 10 // a longer line is split
)

// A line is a line of output as the command wrote it.
type line struct {
	text    []byte
	source  int
	err     bool  // a line of standard error; never set where both streams are one output
	open    bool  // its end has not arrived yet
	gap     bool  // lines before it are missing
	at      int64 // offset of its start in its stream, in bytes
	arrived int64 // when its start was written and arrived, in milliseconds since 1970; 0 = it existed before
}

// A buffer contains the latest lines of one or several outputs, in the order in which they arrived. When it is full
// it drops the oldest ones.
type buffer struct {
	lines   []line
	bytes   int
	dropped int           // number of dropped lines
	opened  map[input]int // number of the unfinished line of each stream, counted from the first line ever
}

// An input is one stream of one source.
type input struct {
	source int
	err    bool
}

// end returns the number of lines that were ever added.
func (b *buffer) end() int { return b.dropped + len(b.lines) }

// add adds a piece.
func (b *buffer) add(p piece) {
	in := input{p.source, p.stream == stderr}
	if b.opened == nil {
		b.opened = map[input]int{}
	}
	if p.lost {
		delete(b.opened, in)
	}
	at := p.at
	for rest := p.data; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		if room := lineBytes - b.openBytes(in); len(line) > room {
			line, after, ended = rest[:room], rest[room:], true
		}
		b.append(in, line, ended, p.lost, at, p.arrival(at))
		at += int64(len(rest) - len(after))
		p.lost = false
		rest = after
	}
	b.trim()
}

// openBytes returns the current length of the unfinished line of an input.
func (b *buffer) openBytes(in input) int {
	if i, ok := b.opened[in]; ok && i >= b.dropped {
		return len(b.lines[i-b.dropped].text)
	}
	return 0
}

// append adds text to the unfinished line of an input, or starts a line at an offset.
func (b *buffer) append(in input, text []byte, ended, gap bool, at, arrived int64) {
	b.bytes += len(text)
	i, going := b.opened[in]
	if !going || i < b.dropped {
		i = b.dropped + len(b.lines)
		b.lines = append(b.lines, line{source: in.source, err: in.err, gap: gap, at: at, arrived: arrived})
	}
	l := &b.lines[i-b.dropped]
	l.text, l.open = append(l.text, text...), !ended
	if ended {
		delete(b.opened, in)
	} else {
		b.opened[in] = i
	}
}

// trim drops the oldest lines.
func (b *buffer) trim() {
	n := 0
	for n < len(b.lines)-1 && (b.bytes > keptBytes || len(b.lines)-n > keptLines) {
		b.bytes -= len(b.lines[n].text)
		b.lines[n].text = nil
		n++
	}
	b.lines = b.lines[n:]
	b.dropped += n
}

// shownText returns the displayed text of a line: without text that a carriage return has overwritten, and without
// control sequences except colors.
func (l *line) shownText() string {
	text := bytes.TrimRight(l.text, "\r")
	if i := bytes.LastIndexByte(text, '\r'); i >= 0 {
		text = text[i+1:]
	}
	var b strings.Builder
	w := plain.NewWriter(&b, true)
	w.Write(text) // a strings.Builder returns no error
	w.Flush()
	return b.String()
}

// searchText returns the line without colors.
func (l *line) searchText() string { return plain.Line(l.shownText()) }

// matchesLine reports whether a line matches. Most lines are plain and need no conversion.
func matchesLine(pattern *regexp.Regexp, l *line) bool {
	for _, c := range l.text {
		if c < ' ' || c >= 0x7f {
			return pattern.MatchString(l.searchText())
		}
	}
	return pattern.Match(l.text)
}
