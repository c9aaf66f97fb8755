package tui

import (
	"bytes"
	"regexp"
	"strings"

	"wf/tui/plain"
)

// Bounds of the lines that are kept of a log.
const (
	keptBytes = 8 << 20
	keptLines = 100_000
	lineBytes = 64 << 10 // a longer line is shown as several
)

// A logLine is a line of output as the command wrote it, raw.
type logLine struct {
	text   []byte
	source int
	err    bool  // of standard error
	open   bool  // its end has not come yet
	gap    bool  // lines before it are missing
	at     int64 // where it begins in its stream, in bytes
}

// A logBuffer is the lines of one or several outputs, in the order in which they came. When it is full
// the oldest ones go.
type logBuffer struct {
	lines   []logLine
	bytes   int
	dropped int           // lines that went
	opened  map[input]int // where the line of a stream is that goes on, counting from the first line ever
}

// input is one stream of one source.
type input struct {
	source int
	err    bool
}

// end is the number of lines ever.
func (b *logBuffer) end() int { return b.dropped + len(b.lines) }

// add takes a piece in.
func (b *logBuffer) add(p piece) {
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
		b.append(in, line, ended, p.lost, at)
		at += int64(len(rest) - len(after))
		p.lost = false
		rest = after
	}
	b.trim()
}

// openBytes is the length so far of the line that goes on.
func (b *logBuffer) openBytes(in input) int {
	if i, ok := b.opened[in]; ok && i >= b.dropped {
		return len(b.lines[i-b.dropped].text)
	}
	return 0
}

// append adds to the line that goes on, or begins one.
func (b *logBuffer) append(in input, text []byte, ended, gap bool, at int64) {
	b.bytes += len(text)
	i, going := b.opened[in]
	if !going || i < b.dropped {
		i = b.dropped + len(b.lines)
		b.lines = append(b.lines, logLine{source: in.source, err: in.err, gap: gap, at: at})
	}
	l := &b.lines[i-b.dropped]
	l.text, l.open = append(l.text, text...), !ended
	if ended {
		delete(b.opened, in)
	} else {
		b.opened[in] = i
	}
}

// trim lets the oldest lines go.
func (b *logBuffer) trim() {
	n := 0
	for n < len(b.lines)-1 && (b.bytes > keptBytes || len(b.lines)-n > keptLines) {
		b.bytes -= len(b.lines[n].text)
		b.lines[n].text = nil
		n++
	}
	b.lines = b.lines[n:]
	b.dropped += n
}

// shownText is what a person sees of a line: what a carriage return has written over is gone, and
// nothing in it is obeyed by a terminal but colours.
func (l *logLine) shownText() string {
	text := bytes.TrimRight(l.text, "\r")
	if i := bytes.LastIndexByte(text, '\r'); i >= 0 {
		text = text[i+1:]
	}
	var b strings.Builder
	w := plain.NewWriter(&b, true)
	w.Write(text) // a strings.Builder takes everything
	w.Flush()
	return b.String()
}

// searchText is the line without colours.
func (l *logLine) searchText() string { return plain.Line(l.shownText()) }

// matchesLine says whether a line matches. Most lines are plain, and searched as they are.
func matchesLine(pattern *regexp.Regexp, l *logLine) bool {
	for _, c := range l.text {
		if c < ' ' || c >= 0x7f {
			return pattern.MatchString(l.searchText())
		}
	}
	return pattern.Match(l.text)
}
