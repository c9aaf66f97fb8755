package tui

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/cells"
)

// A logView shows what nodes write: the right pane of the main screen, or the whole screen. It belongs
// to the model.
type logView struct {
	tail   *tail // nil while nothing is shown
	target logTarget
	names  []string // of the sources, plain
	infos  []api.LogInfo
	buffer logBuffer
	failed error
	hint   string // what to say when there is nothing to follow
	over   bool   // the executions are over and all is read
	skip   int64
	got    map[input]int64 // bytes of each that have come, from its beginning on

	ask      outputs
	ctx      context.Context // of what is read of the past
	cancel   context.CancelFunc
	page     *excerpt // a part of the past that is looked at; nil = the end
	turn     *turn    // and the one that is to be
	looking  *search  // for the next match, beyond what is here
	counting *search  // of matches before what is followed
	tallied  bool     // it has been begun
	before   int      // and found so many
	hits     *search  // where; nil = it is not known yet

	// How it is looked at. top is a line counting from the first ever; it means nothing while follow is set.
	follow  bool
	top     int
	seen    int    // lines there were when following ended, to say how many are new
	cut     bool   // long lines are cut, not wrapped
	stream  string // stdout, stderr or "" for both
	term    string // what is searched for, as typed
	pattern *regexp.Regexp
	only    bool // only lines that match
	counted int  // lines that were looked at for found, counting from the first ever
	found   int  // lines that match
	height  int  // of the latest drawing, to scroll by
}

// A logTarget is what a log is of. Targets can be compared by key.
type logTarget struct {
	nodes     []string // ids
	names     []string
	run       string // "" = the last that each took part in
	execution int    // 0 = the last
	started   string // begins anew when it changes: the latest execution began again
}

func (t logTarget) key() string {
	return strings.Join(t.nodes, "\x00") + "\x01" + t.run + "\x01" + fmt.Sprint(t.execution) + "\x01" + t.started
}

// maxSources bounds how many outputs are followed at once.
const maxSources = 8

// show turns to another target; the same one again changes nothing.
func (v *logView) show(ask outputs, t logTarget) tea.Cmd {
	if v.tail != nil && v.target.key() == t.key() {
		return nil
	}
	v.close()
	v.only = v.only && slices.Equal(v.target.nodes, t.nodes) // another log is shown whole
	v.target, v.names = t, t.names
	v.buffer, v.infos, v.failed, v.over, v.skip = logBuffer{}, make([]api.LogInfo, len(t.nodes)), nil, false, 0
	v.follow, v.top, v.counted, v.found = true, 0, 0, 0
	v.got, v.ask = nil, ask
	v.counting, v.tallied, v.before, v.hits = nil, false, 0, nil
	v.leavePage()
	if len(t.nodes) == 0 || ask == nil {
		return nil
	}
	queries := make([]client.LogQuery, min(len(t.nodes), maxSources))
	for i := range queries {
		queries[i] = client.LogQuery{Node: t.nodes[i], Run: t.run, Execution: t.execution}
	}
	v.ctx, v.cancel = context.WithCancel(context.Background())
	v.tail = newTail(ask, queries, tailStart)
	return v.tail.next
}

// close lets go of what is followed.
func (v *logView) close() {
	if v.tail != nil {
		v.tail.stop()
		v.tail = nil
	}
	if v.cancel != nil {
		v.cancel()
	}
}

// take adds what has come.
func (v *logView) take(n logNews) tea.Cmd {
	if n.from != v.tail {
		return nil // of what was shown before
	}
	if n.crash != nil {
		panic(n.crash)
	}
	for _, h := range n.infos {
		v.infos[h.source] = h.info
		v.skip += h.skipped
	}
	for _, p := range n.pieces {
		if v.got == nil {
			v.got = map[input]int64{}
		}
		in := input{p.source, p.stream == stderr}
		v.got[in] = max(v.got[in], p.at+int64(len(p.data)))
		v.buffer.add(p)
	}
	v.failed, v.over = n.failed, n.over
	if n.over {
		return nil
	}
	return v.tail.next
}

// visible says whether a line is to be shown.
func (v *logView) visible(l *logLine) bool {
	if !v.ofStream(l) {
		return false
	}
	return !v.only || v.pattern == nil || matchesLine(v.pattern, l)
}

// ofStream says whether a line is of the stream that was chosen. Where both are one there is no choice.
func (v *logView) ofStream(l *logLine) bool {
	return v.stream == "" || v.infos[l.source].Merged || l.err == (v.stream == stderr)
}

// wanted is ofStream for use beside the model.
func (v *logView) wanted() func(*logLine) bool {
	stream, infos := v.stream, slices.Clone(v.infos)
	return func(l *logLine) bool {
		return stream == "" || infos[l.source].Merged || l.err == (stream == stderr)
	}
}

// first and end are the lines there are: of a page, or of what is followed, counting from the first ever.
func (v *logView) first() int {
	if v.page != nil {
		return 0
	}
	return v.buffer.dropped
}

func (v *logView) end() int {
	if v.page != nil {
		return len(v.page.lines)
	}
	return v.buffer.end()
}

// line is a line that is there.
func (v *logView) line(i int) *logLine {
	if v.page != nil {
		return &v.page.lines[i]
	}
	return &v.buffer.lines[i-v.buffer.dropped]
}

// scroll moves by n visible lines, up when n is negative: beyond what is here into the past. At the end it
// follows again.
func (v *logView) scroll(n int) {
	v.looking = nil
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
			v.page.owed = missing
		} else if v.missing() && v.turn == nil {
			v.goBack(missing)
		}
		return
	}
	v.turn = nil
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
		v.toEnd()
	}
}

// back is the line n visible ones before i, or the first, which is missing of them too near.
func (v *logView) back(i, n int) (line, missing int) {
	i = min(max(i, v.first()), v.end())
	for n > 0 && i > v.first() {
		i--
		if v.visible(v.line(i)) {
			n--
		}
	}
	return i, n
}

// pause ends following.
func (v *logView) pause() {
	if v.follow {
		v.follow, v.seen = false, v.buffer.end()
	}
}

func (v *logView) toEnd() {
	v.follow = true
	v.leavePage()
}

func (v *logView) toStart() {
	v.looking = nil
	v.pause()
	v.top = v.first()
	if v.page != nil && !v.page.doc.atStart(v.page.first) || v.page == nil && v.missing() {
		v.turn = &turn{}
	}
}

// recount counts anew what is searched for.
func (v *logView) recount() {
	v.counted, v.found, v.before, v.hits = 0, 0, 0, nil
	v.looking, v.counting, v.tallied = nil, nil, false
}

// search looks for a term from now on: a regular expression where it is one, else the words
// themselves; capitals count only where there are some in it.
func (v *logView) search(term string) {
	v.term, v.pattern = term, nil
	v.recount()
	if term == "" {
		v.only = false
		return
	}
	flags := "(?i)"
	if strings.ContainsFunc(term, unicode.IsUpper) {
		flags = ""
	}
	pattern, err := regexp.Compile(flags + term)
	if err != nil {
		pattern = regexp.MustCompile(flags + regexp.QuoteMeta(term))
	}
	v.pattern = pattern
}

// showOnly leaves out lines that do not match, or shows all again, and stays where it is. It is false when
// what is here has none to show.
func (v *logView) showOnly(only bool) bool {
	if p := v.page; p != nil { // it has only lines that are to be shown
		at := p.first
		if v.top < len(p.lines) {
			at = p.doc.of(&p.lines[v.top])
		}
		v.only, v.turn = only, &turn{to: at}
		return true
	}
	v.only = only
	if v.follow {
		_, missing := v.back(v.end(), 1)
		return missing == 0
	}
	for i := max(v.top, v.first()); i < v.end(); i++ {
		if v.visible(v.line(i)) {
			return true
		}
	}
	top, missing := v.back(v.end(), 1)
	if missing == 0 {
		v.top = top
	}
	return missing == 0
}

// unsearched says whether there may be matches that nobody has counted yet.
func (v *logView) unsearched() bool {
	return v.counting != nil || !v.over || !v.tallied && v.missing()
}

// jump goes to the next line that matches, or to the one before, and says whether there is one here.
func (v *logView) jump(forward bool) bool {
	if v.pattern == nil {
		return false
	}
	at := v.top
	if v.follow {
		at, _ = v.back(v.end(), v.height)
		if !forward {
			at = v.end()
		}
	}
	step := 1
	if !forward {
		step = -1
	}
	for i := at + step; i >= v.first() && i < v.end(); i += step {
		if l := v.line(i); v.visible(l) && matchesLine(v.pattern, l) {
			v.pause()
			v.top = i
			return true
		}
	}
	return false
}

// lookOn goes on with a jump beyond what is here, if there is anything beyond.
func (v *logView) lookOn(forward bool) (cmd tea.Cmd, ok bool) {
	s := &search{forward: forward}
	switch p := v.page; {
	case p != nil && forward && !p.doc.atEnd(p.last):
		s.doc, s.at = p.doc, p.last
	case p != nil && !forward && !p.doc.atStart(p.first):
		s.doc, s.at = p.doc, p.first
	case p == nil && !forward && v.missing():
		s.doc = v.document(false)
		s.at = v.edge(&s.doc)
	default:
		return nil, false
	}
	s.from = s.at
	if v.looking = s; v.leap(s) {
		return nil, true
	}
	return v.seek(s), true
}

// matches counts the lines that match, each of them once. Those before what is followed are counted beside
// the model: so far, as long as counting is not nil.
func (v *logView) matches() int {
	if v.pattern == nil {
		return 0
	}
	b := &v.buffer
	for v.counted = max(v.counted, b.dropped); v.counted < b.end(); v.counted++ {
		l := &b.lines[v.counted-b.dropped]
		if l.open {
			break
		}
		if v.ofStream(l) && matchesLine(v.pattern, l) {
			v.found++
		}
	}
	n := v.found + v.before
	if v.counting != nil {
		n += v.counting.hits
	}
	return n
}

// text is what is shown, plain: for the clipboard, a pager or a file.
func (v *logView) text() string {
	var b strings.Builder
	for i := v.first(); i < v.end(); i++ {
		if l := v.line(i); v.visible(l) {
			b.WriteString(cells.StripColors(l.shownText()))
			b.WriteByte('\n')
		}
	}
	return b.String()
}
