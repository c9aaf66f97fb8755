package tui

import (
	"fmt"
	"slices"

	"wf/api"
	"wf/tui/words"
)

// gutterColors tell the sources of a log apart, besides their names.
var gutterColors = []color{palette(6), palette(5), palette(4), palette(3), palette(2), palette(14), palette(13), palette(12)}

// maxGutter is how wide the names of sources may be beside their lines.
const maxGutter = 14

// draw shows the lines in a and how they are looked at in its last row.
func (v *logView) draw(a area, ascii bool) {
	if a.height < 2 {
		return
	}
	v.height = a.height - 1
	rows := a.part(0, 0, a.width, v.height)
	if text := v.absent(); text != "" {
		for y, line := range wrapWords(text, rows.width) {
			rows.put(0, y, line, dimStyle)
		}
	} else {
		v.rows(rows, ascii)
	}
	if v.only && v.page == nil && v.turn == nil && v.looking == nil && v.noneVisible() {
		for y, line := range wrapWords("no line with "+v.term+" so far: & shows all lines", rows.width) {
			rows.put(0, y, line, noteStyle)
		}
	}
	v.foot(a.row(a.height-1), ascii)
}

// noneVisible says whether none of the lines that are here is to be shown.
func (v *logView) noneVisible() bool {
	_, missing := v.back(v.end(), 1)
	return len(v.buffer.lines) > 0 && missing > 0
}

// absent says why there are no lines, "" when there are.
func (v *logView) absent() string {
	switch {
	case len(v.buffer.lines) > 0:
		return ""
	case v.failed != nil:
		return errorText(v.failed)
	case v.tail == nil:
		return v.hint
	case v.over:
		return "no output"
	}
	return "no output yet"
}

// rows draws lines from top on, or the last ones.
func (v *logView) rows(a area, ascii bool) {
	gutter := v.gutter()
	text := a.part(gutter, 0, a.width-gutter, a.height)
	if v.follow {
		v.top, _ = v.back(v.end(), a.height)
		if !v.cut {
			v.top = v.wrappedTop(text)
		}
	}
	y := 0
	for i := max(v.top, v.first()); i < v.end() && y < a.height; i++ {
		l := v.line(i)
		if !v.visible(l) {
			continue
		}
		if l.gap && y < a.height-1 {
			a.put(0, y, either(ascii, "...", "…")+" more came than can be shown "+either(ascii, "...", "…"), dimStyle)
			y++
		}
		if gutter > 0 {
			v.name(a.part(0, y, gutter, 1), l, ascii)
		}
		y = v.row(text, y, l)
	}
}

// gutter is the width of the names beside the lines: 0 with a single source.
func (v *logView) gutter() int {
	if len(v.names) < 2 {
		return 0
	}
	width := 0
	for _, name := range v.names[:min(len(v.names), maxSources)] {
		width = max(width, min(columns(name), maxGutter))
	}
	return width + 2
}

// name writes whose line it is.
func (v *logView) name(a area, l *logLine, ascii bool) {
	st := style{fg: gutterColors[l.source%len(gutterColors)]}
	a.put(0, 0, clipMiddle(v.names[l.source], a.width-2, ascii), st)
	a.put(a.width-2, 0, either(ascii, "|", "│"), st.with(dim))
}

// row draws one line from row y on and returns the row after it.
func (v *logView) row(a area, y int, l *logLine) int {
	base := plainStyle
	if l.err {
		base = noteStyle
	}
	line := spans(l.shownText(), base)
	if v.pattern != nil {
		line = highlight(line, v.pattern.FindAllStringIndex(spansText(line), -1))
	}
	rows := [][]span{line}
	if !v.cut {
		rows = wrapSpans(line, max(1, a.width))
	}
	for _, row := range rows {
		if y >= a.height {
			break
		}
		x := 0
		for _, s := range row {
			x = a.put(x, y, s.text, s.style)
		}
		y++
	}
	return y
}

// wrappedTop is the first line so that the last one is in sight.
func (v *logView) wrappedTop(a area) int {
	room := a.height
	i := v.end()
	for i > v.first() {
		l := v.line(i - 1)
		if v.visible(l) {
			if room -= len(wrapSpans(spans(l.shownText(), plainStyle), max(1, a.width))); room < 0 {
				break
			}
		}
		i--
	}
	return i
}

func spansText(line []span) string {
	text := ""
	for _, s := range line {
		text += s.text
	}
	return text
}

// highlight marks parts of a line; they are pairs of byte offsets into its text.
func highlight(line []span, parts [][]int) []span {
	var out []span
	at := 0
	for _, s := range line {
		for s.text != "" {
			for len(parts) > 0 && parts[0][1] <= at {
				parts = parts[1:]
			}
			n, st := len(s.text), s.style
			if len(parts) > 0 && parts[0][0] < at+n {
				if parts[0][0] > at {
					n = parts[0][0] - at
				} else {
					n, st = min(n, parts[0][1]-at), matchStyle
				}
			}
			out = append(out, span{s.text[:n], st})
			s.text = s.text[n:]
			at += n
		}
	}
	return out
}

// foot is the last row: where one is, and what is searched for.
func (v *logView) foot(a area, ascii bool) {
	x := 0
	switch {
	case v.tail == nil, v.failed != nil && len(v.buffer.lines) == 0:
	case v.follow && v.over:
		x = a.put(0, 0, "end", dimStyle)
	case v.follow:
		x = a.put(0, 0, "follows", goodStyle)
	default:
		at := fmt.Sprintf("line %d", v.top+1)
		if v.page != nil {
			at = v.page.where(v.top)
		}
		x = a.put(0, 0, at, noteStyle)
		if fresh := v.buffer.end() - v.seen; fresh > 0 {
			x = a.put(x, 0, fmt.Sprintf("  %s %s: G follows", either(ascii, "v", "▾"), words.Plural(fresh, "new line")), noteStyle)
		}
	}
	if v.only {
		x = a.put(x, 0, "  ", dimStyle)
		x = a.put(x, 0, "only "+words.Plural(v.matches(), "line")+" with "+v.term+": & shows all", matchStyle)
	}
	x = a.put(x, 0, v.footText(), dimStyle)
	if v.failed != nil && len(v.buffer.lines) > 0 {
		a.put(x, 0, "  "+errorText(v.failed), badStyle)
	}
}

// footText is what the last row says besides.
func (v *logView) footText() (text string) {
	switch n := v.buffer.end(); {
	case v.page != nil || n == 0:
	case v.missing():
		text = fmt.Sprintf("  the last %s, g: first", words.Plural(len(v.buffer.lines), "line"))
	default:
		text = "  " + words.Plural(n, "line")
	}
	if v.turn != nil {
		text += "  reading"
	}
	if v.stream != "" && slices.ContainsFunc(v.infos, func(i api.LogInfo) bool { return i.Run != "" && !i.Merged }) {
		text += "  " + v.stream + " only"
	}
	if v.term == "" {
		return text
	}
	if n := words.Plural(v.matches(), "line"); !v.only {
		text += fmt.Sprintf("  /%s: %s", v.term, n)
	}
	if v.counting != nil {
		text += fmt.Sprintf(" so far, %d%%", v.counting.progress())
	}
	if v.looking != nil {
		text += fmt.Sprintf("  searching, %d%%", v.looking.progress())
	}
	return text
}
