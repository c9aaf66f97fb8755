// Package logview shows what nodes write. A View keeps the end of the outputs in memory, as far as it fits (tail,
// buffer). Earlier lines are read from the daemon when the user scrolls or searches back (document, page, search).
// Requests run beside the view as tea.Cmd; their results are messages for Update. The package knows no workflow
// and no key.
package logview

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/cells"
)

// A View shows the outputs of executions: it follows their end, and reads and searches all of them on demand.
type View struct {
	Cut  bool   // cut long lines instead of wrapping them
	Hint string // shown while no output is followed

	live
	query
	target Target
	infos  []api.LogInfo // by source
	stream string        // stdout, stderr or "" for both

	ask     Outputs
	ctx     context.Context // of the requests besides the tail's
	cancel  context.CancelFunc
	page    *page        // the earlier part of the output that is shown; nil = the end
	pending *pendingPage // the part that is to be shown next; nil = none
	seeking *search      // for the next match, beyond the lines in memory; nil = none

	follow bool // the last lines are shown
	top    int  // line at the top, counting from the first ever; valid unless follow is set
	seen   int  // number of lines when following ended, to count the new ones
	height int  // of the latest drawing, to scroll by
}

// live is the end of the outputs, as it grows.
type live struct {
	tail   *tail // nil while nothing is shown
	buffer buffer
	failed error
	over   bool            // the executions have ended and all output has been read
	skip   int64           // bytes before those that were read
	readTo map[input]int64 // by input: end of the bytes that were read
}

// A Note is a sentence for the user; the zero value is none.
type Note struct {
	Text string
	Bad  bool
}

// A Message is what a request of the view brings. It is meant for Update.
type Message interface {
	update(v *View) (Note, tea.Cmd)
}

// Update takes a message of the view and returns what to tell the user.
func (v *View) Update(msg Message) (Note, tea.Cmd) { return msg.update(v) }

func (n tailNews) update(v *View) (Note, tea.Cmd) { return Note{}, v.take(n) }

func (n pageNews) update(v *View) (Note, tea.Cmd) {
	v.takePage(n)
	return Note{}, nil
}

func (n searchNews) update(v *View) (Note, tea.Cmd) {
	text, cmd := v.takeSearch(n)
	return Note{Text: text}, cmd
}

// A Target names the outputs that a view shows.
type Target struct {
	Nodes     []string // ids
	Names     []string
	Run       string // "" = the last that each took part in
	Execution int    // 0 = the last
	Started   string // begins anew when it changes: the latest execution began again
}

func (t Target) key() string {
	return strings.Join(t.Nodes, "\x00") + "\x01" + t.Run + "\x01" + fmt.Sprint(t.Execution) + "\x01" + t.Started
}

// MaxSources bounds how many outputs are followed at once.
const MaxSources = 8

// Show turns to another target and returns the first request for it. It does nothing if t is shown already.
func (v *View) Show(ask Outputs, t Target) tea.Cmd {
	if v.tail != nil && v.target.key() == t.key() {
		return nil
	}
	v.Close()
	v.only = v.only && slices.Equal(v.target.Nodes, t.Nodes) // another log is shown whole
	v.live, v.ask, v.target, v.infos = live{}, ask, t, make([]api.LogInfo, len(t.Nodes))
	v.follow, v.top = true, 0
	v.recount()
	v.leavePage()
	if len(t.Nodes) == 0 || ask == nil {
		return nil
	}
	queries := make([]client.LogQuery, min(len(t.Nodes), MaxSources))
	for i := range queries {
		queries[i] = client.LogQuery{Node: t.Nodes[i], Run: t.Run, Execution: t.Execution}
	}
	v.ctx, v.cancel = context.WithCancel(context.Background())
	v.tail = newTail(ask, queries, tailStart)
	return v.tail.next
}

// Close stops following the outputs.
func (v *View) Close() {
	if v.tail != nil {
		v.tail.stop()
		v.tail = nil
	}
	if v.cancel != nil {
		v.cancel()
	}
}

// take adds the output that has arrived.
func (v *View) take(n tailNews) tea.Cmd {
	if n.from != v.tail {
		return nil // of what was shown before
	}
	for _, h := range n.sources {
		v.infos[h.source] = h.info
		v.skip += h.skipped
	}
	for _, p := range n.pieces {
		if v.readTo == nil {
			v.readTo = map[input]int64{}
		}
		in := input{p.source, p.stream == stderr}
		v.readTo[in] = max(v.readTo[in], p.at+int64(len(p.data)))
		v.buffer.add(p)
	}
	v.failed, v.over = n.failed, n.over
	if n.over {
		return nil
	}
	return v.tail.next
}

// visible reports whether a line is shown.
func (v *View) visible(l *line) bool {
	if !v.ofStream(l) {
		return false
	}
	return !v.only || v.pattern == nil || matchesLine(v.pattern, l)
}

// ofStream reports whether a line is of the stream that is shown. Where both streams are one output, every
// line is.
func (v *View) ofStream(l *line) bool {
	return v.stream == "" || v.infos[l.source].Merged || l.err == (v.stream == stderr)
}

// streamFunc returns ofStream as a function that another goroutine may call.
func (v *View) streamFunc() func(*line) bool {
	stream, infos := v.stream, slices.Clone(v.infos)
	return func(l *line) bool {
		return stream == "" || infos[l.source].Merged || l.err == (stream == stderr)
	}
}

// first and end are the bounds of the lines in memory: those of the page, or of the buffer, counting from the
// first line ever.
func (v *View) first() int {
	if v.page != nil {
		return 0
	}
	return v.buffer.dropped
}

func (v *View) end() int {
	if v.page != nil {
		return len(v.page.lines)
	}
	return v.buffer.end()
}

// line returns a line in memory.
func (v *View) line(i int) *line {
	if v.page != nil {
		return &v.page.lines[i]
	}
	return &v.buffer.lines[i-v.buffer.dropped]
}

// Scroll moves by n visible lines, up if n is negative, and beyond the lines in memory if need be. At the end
// it follows again.
func (v *View) Scroll(n int) {
	v.seeking = nil
	if v.follow {
		if n >= 0 {
			return
		}
		v.pause()
		v.top, _ = v.back(v.end(), v.height)
	}
	if n < 0 {
		missing := 0
		if v.top, missing = v.back(v.top, -n); missing == 0 {
			return
		}
		if v.page != nil {
			v.page.scrollUp = missing
		} else if v.hasEarlier() && v.pending == nil {
			v.readBefore(missing)
		}
		return
	}
	v.pending = nil
	for i := max(v.top, v.first()); n > 0 && i < v.end(); i++ {
		if v.visible(v.line(i)) {
			n--
			v.top = i + 1
		}
	}
	last, _ := v.back(v.end(), v.height)
	switch {
	case v.top < last:
	case v.page != nil && !v.page.doc.atEnd(v.page.last):
		v.top = last // more is on its way
	default:
		v.ToEnd()
	}
}

// back returns the line n visible ones before i, or the first line and how many are missing.
func (v *View) back(i, n int) (line, missing int) {
	i = min(max(i, v.first()), v.end())
	for n > 0 && i > v.first() {
		i--
		if v.visible(v.line(i)) {
			n--
		}
	}
	return i, n
}

// pause stops showing the last lines.
func (v *View) pause() {
	if v.follow {
		v.follow, v.seen = false, v.buffer.end()
	}
}

// ToEnd shows the last lines and follows the output.
func (v *View) ToEnd() {
	v.follow = true
	v.leavePage()
}

// ToStart shows the first line.
func (v *View) ToStart() {
	v.seeking = nil
	v.pause()
	v.top = v.first()
	if v.page != nil && !v.page.doc.atStart(v.page.first) || v.page == nil && v.hasEarlier() {
		v.pending = &pendingPage{}
	}
}

// Text returns the lines that are shown, without colors.
func (v *View) Text() string {
	var b strings.Builder
	for i := v.first(); i < v.end(); i++ {
		if l := v.line(i); v.visible(l) {
			b.WriteString(cells.StripColors(l.shownText()))
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Following reports whether the last lines are shown.
func (v *View) Following() bool { return v.follow }

// NextStream goes from both streams to standard output to standard error.
func (v *View) NextStream() Note {
	if len(v.infos) > 0 && !slices.ContainsFunc(v.infos, func(i api.LogInfo) bool { return !i.Merged }) {
		return Note{Text: "standard output and standard error are one output here (output=split keeps them apart)"}
	}
	v.SetStream(map[string]string{"": Stdout, Stdout: stderr, stderr: ""}[v.stream])
	v.recount()
	v.ToEnd()
	return Note{Text: "showing " + map[string]string{"": "both streams", Stdout: "standard output", stderr: "standard error"}[v.stream]}
}

// SetStream shows only one stream, Stdout or Stderr, or both if stream is "". It ignores other values.
func (v *View) SetStream(stream string) {
	if stream == "" || stream == Stdout || stream == stderr {
		v.stream = stream
	}
}

// Stream returns the stream that is shown, "" for both.
func (v *View) Stream() string { return v.stream }

// Target returns what the view shows.
func (v *View) Target() Target { return v.target }

// Info returns what is known of the execution that is shown; ok is false if there are several or none.
func (v *View) Info() (info api.LogInfo, ok bool) {
	if len(v.infos) != 1 {
		return api.LogInfo{}, false
	}
	return v.infos[0], true
}

// Whole returns all that the sources have written so far, to be read again from the daemon.
func (v *View) Whole(from Outputs) Whole { return Whole{from, v.target, v.stream} }

// ScrollPages scrolls by screenfuls, up if n is negative.
func (v *View) ScrollPages(n int) { v.Scroll(n * v.height) }
