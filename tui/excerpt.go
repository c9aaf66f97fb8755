package tui

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/words"
)

// Bounds of the part of a document that is on the screen and around it.
const (
	pageBytes = 4 << 20
	pageLines = 40_000
)

// An excerpt is a part of a log that the end, which is followed, does not have: somebody went back to it.
// It has only lines that are to be shown. What the nodes write meanwhile gathers behind it.
type excerpt struct {
	doc     document
	lines   []logLine
	first   spot // the lines are those from here
	last    spot // to here
	bytes   int
	loading bool
	owed    int // lines to scroll up when earlier ones have come
}

// A turn is a wish to see another part of the log: the lines around a spot.
type turn struct {
	to    spot
	owed  int
	going bool // it has been asked for
}

// A search goes on beside the model, a piece at a time: for the next line that matches, or for the number
// of those that the screen does not have.
type search struct {
	doc     document
	forward bool
	all     bool
	at      spot
	from    spot
	hits    int
	spots   []spot // of the first mostHits, when all are counted
}

// document is all that there is to read, or, with missing, what comes before what is followed.
func (v *logView) document(missing bool) document {
	d := document{from: v.ask}
	for i, info := range v.infos {
		if info.Run == "" {
			continue // nothing is known of it yet
		}
		q := client.LogQuery{Node: v.target.nodes[i], Run: info.Run, Execution: info.Execution}
		streams := []string{stdout, stderr}
		if info.Merged {
			streams = []string{merged}
		}
		for _, stream := range streams {
			if v.stream != "" && v.stream != stream && !info.Merged {
				continue
			}
			in := input{i, stream == stderr}
			size := max(v.got[in], map[bool]int64{false: info.OutBytes, true: info.ErrBytes}[in.err])
			if missing {
				size = v.begins(in)
			}
			d.segs = append(d.segs, segment{i, stream, q, size})
		}
	}
	return d
}

// begins is where what is kept of an input begins.
func (v *logView) begins(in input) int64 {
	for i := range v.buffer.lines {
		if l := &v.buffer.lines[i]; l.source == in.source && l.err == in.err {
			return l.at
		}
	}
	return v.got[in]
}

// missing says whether there is output before what is followed.
func (v *logView) missing() bool { return v.ask != nil && (v.skip > 0 || v.buffer.dropped > 0) }

// edge is where what is followed begins.
func (v *logView) edge(d *document) spot {
	for i := range v.buffer.lines {
		if l := &v.buffer.lines[i]; v.visible(l) {
			return d.of(l)
		}
	}
	return spot{len(d.segs), 0}
}

// goBack turns to what comes before the lines that are followed, n lines up.
func (v *logView) goBack(n int) {
	d := v.document(false)
	v.turn = &turn{to: v.edge(&d), owed: n}
}

// more asks for what the log needs next: a part to turn to, lines around those of a page, a piece of a
// search. nil is nothing.
func (v *logView) more() tea.Cmd {
	if v.turn != nil && !v.turn.going {
		v.turn.going = true
		return v.openPage(v.turn)
	}
	if v.pattern != nil && !v.tallied && v.ask != nil && v.heardAll() {
		v.tallied = true
		if d := v.document(true); d.size() > 0 {
			v.counting = &search{doc: d, forward: true, all: true}
			return v.seek(v.counting)
		}
	}
	if p := v.page; p != nil && !p.loading {
		switch {
		case v.top < 2*v.height && !p.doc.atStart(p.first):
			return v.load(true)
		case len(p.lines)-v.top < 3*v.height && !p.doc.atEnd(p.last):
			return v.load(false)
		}
	}
	return nil
}

// heardAll says whether it is known of all sources how much there is, and the first lines have come.
func (v *logView) heardAll() bool {
	unknown := func(i api.LogInfo) bool { return i.Run == "" }
	return len(v.buffer.lines) > 0 && !slices.ContainsFunc(v.infos[:min(len(v.infos), maxSources)], unknown)
}

// shows is what visible says of a line, for use beside the model.
func (v *logView) shows() func(*logLine) bool {
	only, pattern, wanted := v.only, v.pattern, v.wanted()
	return func(l *logLine) bool {
		if !wanted(l) {
			return false
		}
		return !only || pattern == nil || matchesLine(pattern, l)
	}
}

// openPage reads the lines around a spot.
func (v *logView) openPage(t *turn) tea.Cmd {
	p := &excerpt{doc: v.document(false), first: t.to, last: t.to, owed: t.owed}
	ctx, shows, to := v.ctx, v.shows(), t.to
	return func() tea.Msg {
		after, err := p.doc.after(ctx, to)
		before := part{first: to}
		if err == nil {
			before, err = p.doc.ahead(ctx, to)
		}
		return pageNews{page: p, turn: t, before: p.doc.lines(before, shows), after: p.doc.lines(after, shows),
			first: before.first, last: after.last, err: err}
	}
}

// load reads the lines before or behind those of the page.
func (v *logView) load(earlier bool) tea.Cmd {
	p := v.page
	p.loading = true
	doc, at, ctx, shows := p.doc, p.last, v.ctx, v.shows()
	n := pageNews{page: p, first: p.first, last: p.last}
	if earlier {
		at = p.first
	}
	return func() tea.Msg {
		var more part
		if earlier {
			more, n.err = doc.ahead(ctx, at)
			n.first, n.before = more.first, doc.lines(more, shows)
		} else {
			more, n.err = doc.after(ctx, at)
			n.last, n.after = more.last, doc.lines(more, shows)
		}
		return n
	}
}

// pageNews are lines before and behind those of a page, with the spots where it begins and ends now.
type pageNews struct {
	page          *excerpt
	turn          *turn // that the page was opened for; nil = it had been open
	before, after []logLine
	first, last   spot
	err           error
}

// takePage adds to the page what has come.
func (v *logView) takePage(n pageNews) {
	p := n.page
	if n.turn != nil {
		if v.turn != n.turn {
			return // somebody went elsewhere meanwhile
		}
		if v.turn = nil; n.err == nil {
			v.page, v.top = p, 0
			v.pause()
		}
	}
	if n.err != nil {
		v.failed = n.err // and p goes on loading: nothing is asked again before somebody comes back
		return
	}
	if p != v.page {
		return
	}
	p.loading = false
	p.lines = append(append(n.before, p.lines...), n.after...)
	p.first, p.last = n.first, n.last
	for _, list := range [][]logLine{n.before, n.after} {
		for i := range list {
			p.bytes += len(list[i].text)
		}
	}
	v.top += len(n.before)
	if len(n.before) > 0 {
		v.top, p.owed = max(0, v.top-p.owed), 0
	}
	p.trim(v, len(n.before) > 0)
}

// trim lets the lines go that are farthest from what is on the screen.
func (p *excerpt) trim(v *logView, end bool) {
	for len(p.lines) > 1 && (p.bytes > pageBytes || len(p.lines) > pageLines) {
		if end && len(p.lines) > v.top+v.height {
			l := &p.lines[len(p.lines)-1]
			p.last, p.bytes = p.doc.of(l), p.bytes-len(l.text)
			p.lines = p.lines[:len(p.lines)-1]
			continue
		}
		if v.top == 0 {
			return
		}
		p.bytes -= len(p.lines[0].text)
		p.lines = p.lines[1:]
		p.first = p.doc.of(&p.lines[0])
		v.top--
	}
}

// where says where in the whole log the page is.
func (p *excerpt) where(top int) string {
	at := p.first
	if top < len(p.lines) {
		at = p.doc.of(&p.lines[top])
	}
	return fmt.Sprintf("%d%% of %s", percent(p.doc.passed(at), p.doc.size()), bytesText(p.doc.size()))
}

func percent(part, whole int64) int64 {
	if whole <= 0 {
		return 100
	}
	return part * 100 / whole
}

// bytesText is a size for people.
func bytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d KB", (n+1023)>>10)
}

// searchNews is how far a search has come.
type searchNews struct {
	search *search
	scanned
}

// seek goes on with a search.
func (v *logView) seek(s *search) tea.Cmd {
	ctx, pattern, shows := v.ctx, v.pattern, v.shows()
	doc, at, forward, all := s.doc, s.at, s.forward, s.all
	return func() tea.Msg {
		return searchNews{s, doc.scan(ctx, at, forward, !all, func(l *logLine) bool { return shows(l) && matchesLine(pattern, l) })}
	}
}

// takeSearch takes over how far a search has come, and says what there is to say about its end.
func (v *logView) takeSearch(n searchNews) (said string, cmd tea.Cmd) {
	s := n.search
	if s != v.looking && s != v.counting {
		return "", nil // given up
	}
	s.at, s.hits = n.at, s.hits+n.hits
	s.spots = append(s.spots, n.spots[:min(len(n.spots), mostHits-len(s.spots))]...)
	switch {
	case n.err != nil && v.ctx.Err() == nil:
		said = "searching: " + words.Error(n.err)
	case !n.over:
		return "", v.seek(s)
	case s.all:
		v.before, v.hits, v.counting = s.hits, s, nil
		if v.looking != nil {
			v.leap(v.looking) // what it looks for may be known now
		}
		return "", nil
	case n.hits > 0:
		v.turn = &turn{to: n.spots[0]}
	default:
		said = "no more lines with " + v.term
	}
	if s == v.looking {
		v.looking = nil
	} else {
		v.counting = nil
	}
	return said, nil
}

// leap does of a search for the next match what is known already, if the places of all matches before what
// is followed are: it turns to one, and says so, or leaves out where there is none.
func (v *logView) leap(s *search) bool {
	known := v.hits
	if known == nil || known.hits > len(known.spots) {
		return false
	}
	p := s.doc.forth(s.at)
	if !s.forward {
		p = s.doc.back(s.at)
	}
	if p.seg >= len(known.doc.segs) || p.at > known.doc.segs[p.seg].size {
		return false
	}
	i, _ := slices.BinarySearchFunc(known.spots, p, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.seg, b.seg), cmp.Compare(a.at, b.at))
	})
	s.at = spot{p.seg, known.doc.segs[p.seg].size}
	if !s.forward {
		i, s.at = i-1, spot{p.seg, 0}
	}
	if i < 0 || i >= len(known.spots) || known.spots[i].seg != p.seg {
		return false
	}
	v.turn, v.looking = &turn{to: known.spots[i]}, nil
	return true
}

// progress is how far a search is, in percent of what it has to look at.
func (s *search) progress() int64 {
	if s.forward {
		return percent(s.doc.passed(s.at)-s.doc.passed(s.from), s.doc.size()-s.doc.passed(s.from))
	}
	return percent(s.doc.passed(s.from)-s.doc.passed(s.at), s.doc.passed(s.from))
}

// leavePage goes back to what is followed.
func (v *logView) leavePage() { v.page, v.turn, v.looking = nil, nil, nil }
