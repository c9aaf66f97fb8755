// Package logview shows the output of nodes. A View keeps the end of the output in memory, up to a limit (tail,
// buffer), and reads earlier lines from the daemon when the user scrolls or searches back (document, page, search).
// Requests are commands (tea.Cmd) that run in other goroutines; their results are messages for Update. The package
// contains nothing about workflows or keys.
package logview

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/cells"
)

// A View shows the outputs of executions. It follows their end, and reads and searches the rest on demand.
type View struct {
	Cut   bool   // cut long lines instead of wrapping them
	Times bool   // show when each line was written
	Hint  string // shown while no output is followed

	live
	query
	target Target
	infos  []api.LogInfo // by source
	stream string        // stdout, stderr or "" for both

	ask     Outputs
	ctx     context.Context // of all requests except the tail's
	cancel  context.CancelFunc
	page    *page        // the visible earlier part of the output; nil = the end is visible
	pending *pendingPage // the part to be shown next; nil = none
	seeking *search      // searches for the next match outside memory; nil = none

	follow bool // show the last lines
	top    int  // number of the top line, counted from the first line ever; valid unless follow is set
	below  newLines
	height int // of the latest screen, for scrolling
}

// live is the growing end of the outputs.
type live struct {
	tail   *tail // nil while nothing is shown
	buffer buffer
	failed error
	over   bool            // the executions have ended and all output has been read
	skip   int64           // number of bytes before those that were read
	readTo map[input]int64 // by input: end of the bytes that were read
	times  times
}

// A Note is a sentence for the user; the zero value is none.
type Note struct {
	Text string
	Bad  bool
}

// A Message is the result of a request of the view, for its Update.
type Message interface {
	update(v *View) (Note, tea.Cmd)
}

// Update handles a message of the view and returns a sentence for the user.
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
	Run       string // "" = the latest run of each node
	Execution int    // 0 = the last
	Started   string // start time of the latest execution; the view starts again when it changes
}

func (t Target) key() string {
	return strings.Join(t.Nodes, "\x00") + "\x01" + t.Run + "\x01" + fmt.Sprint(t.Execution) + "\x01" + t.Started
}

// MaxSources is the maximum number of outputs that a view follows.
const MaxSources = 8

// Show changes the target and returns the first request for it. It does nothing if t is shown already.
func (v *View) Show(ask Outputs, t Target) tea.Cmd {
	if v.tail != nil && v.target.key() == t.key() {
		return nil
	}
	v.Close()
	v.only = v.only && slices.Equal(v.target.Nodes, t.Nodes) // show all lines of another log
	v.live, v.ask, v.target, v.infos = live{}, ask, t, make([]api.LogInfo, len(t.Nodes))
	v.times.sources = make([]sourceTimes, len(t.Nodes))
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
		return nil // output of an earlier target
	}
	v.infos = slices.Clone(v.infos) // other goroutines may read the old ones: see lineFilter
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
		v.times.latest = time.UnixMilli(p.read)
		v.buffer.add(p)
	}
	v.failed, v.over = n.failed, n.over
	if n.over {
		return nil
	}
	return v.tail.next
}

// A lineFilter decides which lines are displayed. It does not change, so other goroutines may use it.
type lineFilter struct {
	stream  string
	infos   []api.LogInfo
	pattern *regexp.Regexp // of the lines to show; nil = all
}

// filter returns the current filter.
func (v *View) filter() lineFilter {
	f := lineFilter{stream: v.stream, infos: v.infos}
	if v.only {
		f.pattern = v.pattern
	}
	return f
}

// shows reports whether a line is displayed.
func (f lineFilter) shows(l *line) bool {
	return f.ofStream(l) && (f.pattern == nil || matchesLine(f.pattern, l))
}

// ofStream reports whether a line belongs to the displayed stream. If both streams are one output, every line does.
func (f lineFilter) ofStream(l *line) bool {
	return f.stream == "" || f.infos[l.source].Merged || l.err == (f.stream == stderr)
}

// visible reports whether a line is displayed.
func (v *View) visible(l *line) bool { return v.filter().shows(l) }

// first and end are the range of the lines in memory, of the page or of the buffer, as numbers from the first line
// ever.
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

// Scroll moves by n visible lines, up if n is negative, and requests lines outside memory if necessary. At the end it
// follows the output again.
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
		v.top = last // more lines will arrive
	default:
		v.ToEnd()
	}
}

// back returns the line that is n visible lines before i, or the first line and the number of missing ones.
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

// pause stops following the output.
func (v *View) pause() {
	if v.follow {
		v.follow, v.below = false, newLines{from: v.buffer.end(), counted: v.buffer.end()}
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

// Text returns the visible lines, without colors.
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

// Following reports whether the view shows the last lines.
func (v *View) Following() bool { return v.follow }

// NextStream cycles from both streams to standard output to standard error.
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

// Stream returns the displayed stream, "" for both.
func (v *View) Stream() string { return v.stream }

// Target returns the current target.
func (v *View) Target() Target { return v.target }

// Info returns the LogInfo of the displayed execution; ok is false if there are several or none.
func (v *View) Info() (info api.LogInfo, ok bool) {
	if len(v.infos) != 1 {
		return api.LogInfo{}, false
	}
	return v.infos[0], true
}

// Whole returns the complete output of the sources so far. It is read from the daemon again.
func (v *View) Whole(from Outputs) Whole { return Whole{from, v.target, v.stream} }

// ScrollPages scrolls by screenfuls, up if n is negative.
func (v *View) ScrollPages(n int) { v.Scroll(n * v.height) }
