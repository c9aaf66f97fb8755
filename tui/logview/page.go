package logview

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
)

// Limits for the part of a document on the screen and around it.
const (
	pageBytes = 4 << 20
	pageLines = 40_000
)

// A page is a part of the output before the buffer. It contains only visible lines. New output is added to the buffer
// in the meantime.
type page struct {
	doc      document
	lines    []line
	first    spot // start of the first line
	last     spot // end of the last line
	bytes    int
	loading  bool
	scrollUp int // lines to scroll up when earlier lines have arrived
}

// A pendingPage is a request for the lines around a spot.
type pendingPage struct {
	to        spot
	scrollUp  int
	requested bool // the request was sent
}

// document returns all existing output or, if missing is set, only the output before the buffer.
func (v *View) document(missing bool) document {
	d := document{from: v.ask}
	for i, info := range v.infos {
		if info.Run == "" {
			continue // its size is not known yet
		}
		q := client.LogQuery{Node: v.target.Nodes[i], Run: info.Run, Execution: info.Execution}
		streams := []string{Stdout, stderr}
		if info.Merged {
			streams = []string{merged}
		}
		for _, stream := range streams {
			if v.stream != "" && v.stream != stream && !info.Merged {
				continue
			}
			in := input{i, stream == stderr}
			size := max(v.readTo[in], map[bool]int64{false: info.OutBytes, true: info.ErrBytes}[in.err])
			if missing {
				size = v.bufferStart(in)
			}
			d.segments = append(d.segments, segment{i, stream, q, size})
		}
	}
	return d
}

// bufferStart returns the offset of the first line of an input in the buffer.
func (v *View) bufferStart(in input) int64 {
	for i := range v.buffer.lines {
		if l := &v.buffer.lines[i]; l.source == in.source && l.err == in.err {
			return l.at
		}
	}
	return v.readTo[in]
}

// hasEarlier reports whether there is output before the buffer.
func (v *View) hasEarlier() bool { return v.ask != nil && (v.skip > 0 || v.buffer.dropped > 0) }

// bufferSpot returns the start of the buffer in a document.
func (v *View) bufferSpot(d *document) spot {
	for i := range v.buffer.lines {
		if l := &v.buffer.lines[i]; v.visible(l) {
			return d.spotOf(l)
		}
	}
	return spot{len(d.segments), 0}
}

// readBefore requests the page n lines before the start of the buffer.
func (v *View) readBefore(n int) {
	d := v.document(false)
	v.pending = &pendingPage{to: v.bufferSpot(&d), scrollUp: n}
}

// More returns a request for the data that the view needs next, or nil: a page, lines around the page, a part of a
// search, or times.
func (v *View) More() tea.Cmd {
	if v.pending != nil && !v.pending.requested {
		v.pending.requested = true
		return v.openPage(v.pending)
	}
	if v.pattern != nil && !v.countStarted && v.ask != nil && v.sourcesKnown() {
		v.countStarted = true
		if d := v.document(true); d.size() > 0 {
			v.counting = &search{doc: d, forward: true, all: true}
			return v.seek(v.counting)
		}
	}
	if v.Times {
		if cmd := v.times.ask(v); cmd != nil {
			return cmd
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

// sourcesKnown reports whether LogInfo has returned for all sources and the first lines have arrived.
func (v *View) sourcesKnown() bool {
	unknown := func(i api.LogInfo) bool { return i.Run == "" }
	return len(v.buffer.lines) > 0 && !slices.ContainsFunc(v.infos[:min(len(v.infos), MaxSources)], unknown)
}

// openPage reads the lines around a spot.
func (v *View) openPage(t *pendingPage) tea.Cmd {
	p := &page{doc: v.document(false), first: t.to, last: t.to, scrollUp: t.scrollUp}
	ctx, shows, to := v.ctx, v.filter().shows, t.to
	return func() tea.Msg {
		after, err := p.doc.after(ctx, to)
		before := part{first: to}
		if err == nil {
			before, err = p.doc.before(ctx, to)
		}
		return pageNews{page: p, turn: t, before: p.doc.lines(before, shows), after: p.doc.lines(after, shows),
			first: before.first, last: after.last, err: err}
	}
}

// load reads the lines before or after the page.
func (v *View) load(earlier bool) tea.Cmd {
	p := v.page
	p.loading = true
	doc, at, ctx, shows := p.doc, p.last, v.ctx, v.filter().shows
	n := pageNews{page: p, first: p.first, last: p.last}
	if earlier {
		at = p.first
	}
	return func() tea.Msg {
		var more part
		if earlier {
			more, n.err = doc.before(ctx, at)
			n.first, n.before = more.first, doc.lines(more, shows)
		} else {
			more, n.err = doc.after(ctx, at)
			n.last, n.after = more.last, doc.lines(more, shows)
		}
		return n
	}
}

// pageNews contains lines before and after those of a page, and the start and end of the page with them.
type pageNews struct {
	page          *page
	turn          *pendingPage // the request that opened the page; nil = the page was open before
	before, after []line
	first, last   spot
	err           error
}

// takePage adds lines to the page, or shows the new page.
func (v *View) takePage(n pageNews) {
	p := n.page
	if n.turn != nil {
		if v.pending != n.turn {
			return // the user has gone elsewhere in the meantime
		}
		if v.pending = nil; n.err == nil {
			v.page, v.top = p, 0
			v.pause()
		}
	}
	if n.err != nil {
		v.failed = n.err // p.loading stays set, so the request is not repeated until the user comes back
		return
	}
	if p != v.page {
		return
	}
	p.loading = false
	p.lines = append(append(n.before, p.lines...), n.after...)
	p.first, p.last = n.first, n.last
	for _, list := range [][]line{n.before, n.after} {
		for i := range list {
			p.bytes += len(list[i].text)
		}
	}
	v.top += len(n.before)
	if len(n.before) > 0 {
		v.top, p.scrollUp = max(0, v.top-p.scrollUp), 0
	}
	p.trim(v, len(n.before) > 0)
}

// trim drops the lines farthest from the screen.
func (p *page) trim(v *View, end bool) {
	for len(p.lines) > 1 && (p.bytes > pageBytes || len(p.lines) > pageLines) {
		if end && len(p.lines) > v.top+v.height {
			l := &p.lines[len(p.lines)-1]
			p.last, p.bytes = p.doc.spotOf(l), p.bytes-len(l.text)
			p.lines = p.lines[:len(p.lines)-1]
			continue
		}
		if v.top == 0 {
			return
		}
		p.bytes -= len(p.lines[0].text)
		p.lines = p.lines[1:]
		p.first = p.doc.spotOf(&p.lines[0])
		v.top--
	}
}

// where describes the position of a line in the whole output.
func (p *page) where(top int) string {
	at := p.first
	if top < len(p.lines) {
		at = p.doc.spotOf(&p.lines[top])
	}
	return fmt.Sprintf("%d%% of %s", percent(p.doc.passed(at), p.doc.size()), bytesText(p.doc.size()))
}

func percent(part, whole int64) int64 {
	if whole <= 0 {
		return 100
	}
	return part * 100 / whole
}

// bytesText formats a number of bytes for display.
func bytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d KB", (n+1023)>>10)
}

// leavePage goes back to the buffer.
func (v *View) leavePage() { v.page, v.pending, v.seeking = nil, nil, nil }
