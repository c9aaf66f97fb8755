package logview

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"wf/tui/words"
)

// A query is a search term with the number of matching lines.
type query struct {
	term           string // as the user typed it
	pattern        *regexp.Regexp
	only           bool    // show only matching lines
	counted        int     // end of the buffer's lines that are counted in found, as a number from the first line ever
	found          int     // number of matching lines in the buffer
	countStarted   bool    // counting has been started
	counting       *search // counts the matches before the buffer; nil = it has ended
	earlier        int     // its result
	earlierMatches *search // stores its matches; nil = not known yet
}

// recount starts counting the matches again.
func (v *View) recount() {
	v.query = query{term: v.term, pattern: v.pattern, only: v.only}
	v.seeking = nil
}

// Search sets the search term: a regular expression if it is a valid one, otherwise a literal text. Case matters only
// if the term contains capitals.
func (v *View) Search(term string) {
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

// showOnly shows only matching lines or all lines, near the current line. It returns false if no line in memory is
// visible.
func (v *View) showOnly(only bool) bool {
	if p := v.page; p != nil { // its lines depend on the search
		at := p.first
		if v.top < len(p.lines) {
			at = p.doc.spotOf(&p.lines[v.top])
		}
		v.only, v.pending = only, &pendingPage{to: at}
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

// unsearched reports whether there may be matches that have not been counted yet.
func (v *View) unsearched() bool {
	return v.counting != nil || !v.over || !v.countStarted && v.hasEarlier()
}

// jump goes to the next or previous matching line in memory, and reports whether there is one.
func (v *View) jump(forward bool) bool {
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

// searchBeyond continues a jump beyond the lines in memory; ok is false if there is no output beyond them.
func (v *View) searchBeyond(forward bool) (cmd tea.Cmd, ok bool) {
	s := &search{forward: forward}
	switch p := v.page; {
	case p != nil && forward && !p.doc.atEnd(p.last):
		s.doc, s.at = p.doc, p.last
	case p != nil && !forward && !p.doc.atStart(p.first):
		s.doc, s.at = p.doc, p.first
	case p == nil && !forward && v.hasEarlier():
		s.doc = v.document(false)
		s.at = v.bufferSpot(&s.doc)
	default:
		return nil, false
	}
	s.from = s.at
	if v.seeking = s; v.useKnownHits(s) {
		return nil, true
	}
	return v.seek(s), true
}

// matches returns the number of matching lines. While counting is not nil, it is the number found so far.
func (v *View) matches() int {
	if v.pattern == nil {
		return 0
	}
	b := &v.buffer
	for v.counted = max(v.counted, b.dropped); v.counted < b.end(); v.counted++ {
		l := &b.lines[v.counted-b.dropped]
		if l.open {
			break
		}
		if v.filter().ofStream(l) && matchesLine(v.pattern, l) {
			v.found++
		}
	}
	n := v.found + v.earlier
	if v.counting != nil {
		n += v.counting.hits
	}
	return n
}

// Next goes to the next or previous matching line in the whole output.
func (v *View) Next(forward bool) (Note, tea.Cmd) {
	if v.pattern == nil {
		return Note{Text: "nothing is searched for: / begins"}, nil
	}
	if v.jump(forward) {
		v.seeking, v.pending = nil, nil
		return Note{}, nil
	}
	cmd, ok := v.searchBeyond(forward)
	if !ok {
		return Note{Text: "no more lines with " + v.term}, nil
	}
	return Note{}, cmd
}

// Searching reports whether there is a search term.
func (v *View) Searching() bool { return v.pattern != nil }

// ToggleOnly shows only matching lines, or all lines again. There must be a search term.
func (v *View) ToggleOnly() (Note, tea.Cmd) {
	switch {
	case v.only:
		v.showOnly(false)
		return Note{Text: "all lines are shown"}, nil
	case v.matches() == 0 && !v.unsearched():
		return Note{"no line with " + v.term + " here: all lines are shown", true}, nil
	}
	said := Note{Text: "only lines with " + v.term + " are shown: & shows all"}
	if v.showOnly(true) {
		return said, nil
	}
	cmd, _ := v.searchBeyond(false) // all matches are before the buffer
	return said, cmd
}

// A search reads a document in the background, part by part: to the next matching line, or to the end to count all
// matches.
type search struct {
	doc     document
	forward bool
	all     bool
	at      spot
	from    spot
	hits    int
	spots   []spot // the first mostHits matches, when all are counted
}

// searchNews is the progress of a search.
type searchNews struct {
	search *search
	scanResult
}

// seek continues a search.
func (v *View) seek(s *search) tea.Cmd {
	ctx, pattern, shows := v.ctx, v.pattern, v.filter().shows
	doc, at, forward, all := s.doc, s.at, s.forward, s.all
	return func() tea.Msg {
		return searchNews{s, doc.scan(ctx, at, forward, !all, func(l *line) bool { return shows(l) && matchesLine(pattern, l) })}
	}
}

// takeSearch handles the progress of a search, and returns a sentence for the user when the search has ended.
func (v *View) takeSearch(n searchNews) (said string, cmd tea.Cmd) {
	s := n.search
	if s != v.seeking && s != v.counting {
		return "", nil // the search was cancelled
	}
	s.at, s.hits = n.at, s.hits+n.hits
	s.spots = append(s.spots, n.spots[:min(len(n.spots), mostHits-len(s.spots))]...)
	switch {
	case n.err != nil && v.ctx.Err() == nil:
		said = "searching: " + words.Error(n.err)
	case !n.over:
		return "", v.seek(s)
	case s.all:
		v.earlier, v.earlierMatches, v.counting = s.hits, s, nil
		if v.seeking != nil {
			v.useKnownHits(v.seeking) // the match may be among the known ones now
		}
		return "", nil
	case n.hits > 0:
		v.pending = &pendingPage{to: n.spots[0]}
	default:
		said = "no more lines with " + v.term
	}
	if s == v.seeking {
		v.seeking = nil
	} else {
		v.counting = nil
	}
	return said, nil
}

// useKnownHits ends or shortens a search if all matches before the buffer are known. It returns true if it has found
// the next match.
func (v *View) useKnownHits(s *search) bool {
	known := v.earlierMatches
	if known == nil || known.hits > len(known.spots) {
		return false
	}
	p := s.doc.skipForward(s.at)
	if !s.forward {
		p = s.doc.skipBack(s.at)
	}
	if p.seg >= len(known.doc.segments) || p.at > known.doc.segments[p.seg].size {
		return false
	}
	i, _ := slices.BinarySearchFunc(known.spots, p, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.seg, b.seg), cmp.Compare(a.at, b.at))
	})
	s.at = spot{p.seg, known.doc.segments[p.seg].size}
	if !s.forward {
		i, s.at = i-1, spot{p.seg, 0}
	}
	if i < 0 || i >= len(known.spots) || known.spots[i].seg != p.seg {
		return false
	}
	v.pending, v.seeking = &pendingPage{to: known.spots[i]}, nil
	return true
}

// progress returns the progress of a search in percent.
func (s *search) progress() int64 {
	if s.forward {
		return percent(s.doc.passed(s.at)-s.doc.passed(s.from), s.doc.size()-s.doc.passed(s.from))
	}
	return percent(s.doc.passed(s.from)-s.doc.passed(s.at), s.doc.passed(s.from))
}
