package logview

import (
	"fmt"
	"slices"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/words"
)

// Draw draws the lines into a, with their position in the output in its last row.
func (v *View) Draw(a cells.Area) {
	if a.Height < 2 {
		return
	}
	v.height = a.Height - 1
	rows := a.Part(0, 0, a.Width, v.height)
	if text := v.emptyText(); text != "" {
		for y, line := range cells.Wrap(text, rows.Width) {
			rows.Put(0, y, line, cells.Dimmed)
		}
	} else {
		v.rows(rows)
	}
	if v.only && v.page == nil && v.pending == nil && v.seeking == nil && v.noneVisible() {
		for y, line := range cells.Wrap("no line with "+v.term+" so far: & shows all lines", rows.Width) {
			rows.Put(0, y, line, cells.Note)
		}
	}
	v.foot(a.Row(a.Height - 1))
}

// noneVisible reports whether no line in memory is visible.
func (v *View) noneVisible() bool {
	_, missing := v.back(v.end(), 1)
	return len(v.buffer.lines) > 0 && missing > 0
}

// emptyText returns why there are no lines, or "" if there are lines.
func (v *View) emptyText() string {
	switch {
	case len(v.buffer.lines) > 0:
		return ""
	case v.failed != nil:
		return words.Error(v.failed)
	case v.tail == nil:
		return v.Hint
	case v.over:
		return "no output"
	}
	return "no output yet"
}

// rows draws the lines starting at top, or the last ones.
func (v *View) rows(a cells.Area) {
	beside := v.columns(a.Width)
	text := a.Part(beside.width(), 0, a.Width-beside.width(), a.Height)
	if v.follow {
		v.top, _ = v.back(v.end(), a.Height)
		if !v.Cut {
			v.top = v.wrappedTop(text)
		}
	}
	y := 0
	for i := max(v.top, v.first()); i < v.end() && y < a.Height; i++ {
		l := v.line(i)
		if !v.visible(l) {
			continue
		}
		if l.gap && y < a.Height-1 {
			a.Put(0, y, cells.Either(a.ASCII(), "...", "…")+" more came than can be shown "+cells.Either(a.ASCII(), "...", "…"), cells.Dimmed)
			y++
		}
		next := v.row(text, y, l)
		v.beside(a.Part(0, y, beside.width(), next-y), beside, l)
		y = next
	}
}

// row draws a line starting in row y and returns the row after it.
func (v *View) row(a cells.Area, y int, l *line) int {
	base := cells.Plain
	if l.err {
		base = cells.Note
	}
	line := cells.Spans(l.shownText(), base)
	if v.pattern != nil {
		line = cells.Highlight(line, v.pattern.FindAllStringIndex(cells.SpansText(line), -1))
	}
	rows := [][]cells.Span{line}
	if !v.Cut {
		rows = cells.WrapSpans(line, max(1, a.Width))
	}
	for _, row := range rows {
		if y >= a.Height {
			break
		}
		x := 0
		for _, s := range row {
			x = a.Put(x, y, s.Text, s.Style)
		}
		y++
	}
	return y
}

// wrappedTop returns the first line to draw so that the last one is visible.
func (v *View) wrappedTop(a cells.Area) int {
	room := a.Height
	i := v.end()
	for i > v.first() {
		l := v.line(i - 1)
		if v.visible(l) {
			if room -= len(cells.WrapSpans(cells.Spans(l.shownText(), cells.Plain), max(1, a.Width))); room < 0 {
				break
			}
		}
		i--
	}
	return i
}

// foot draws the last row: the position in the output, and the search term.
func (v *View) foot(a cells.Area) {
	x := 0
	switch {
	case v.tail == nil, v.failed != nil && len(v.buffer.lines) == 0:
	case v.follow && v.over:
		x = a.Put(0, 0, "end", cells.Dimmed)
	case v.follow:
		x = a.Put(0, 0, "follows", cells.Good)
	default:
		at := fmt.Sprintf("line %d", v.top+1)
		if v.page != nil {
			at = v.page.where(v.top)
		}
		x = a.Put(0, 0, at, cells.Note)
		x = a.Put(x, 0, newLinesText(v.below.count(&v.buffer, v.filter()), a.Width-x, a.ASCII()), cells.Note)
	}
	if v.only {
		x = a.Put(x, 0, "  ", cells.Dimmed)
		x = a.Put(x, 0, "only "+words.Plural(v.matches(), "line")+" with "+v.term+": & shows all", cells.Match)
	}
	x = a.Put(x, 0, v.footText(), cells.Dimmed)
	if v.failed != nil && len(v.buffer.lines) > 0 {
		a.Put(x, 0, "  "+words.Error(v.failed), cells.Bad)
	}
}

// footText returns the counts of the last row.
func (v *View) footText() (text string) {
	switch n := v.buffer.end(); {
	case v.page != nil || n == 0:
	case v.hasEarlier():
		text = fmt.Sprintf("  the last %s, g: first", words.Plural(len(v.buffer.lines), "line"))
	default:
		text = "  " + words.Plural(n, "line")
	}
	if v.pending != nil {
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
	if v.seeking != nil {
		text += fmt.Sprintf("  searching, %d%%", v.seeking.progress())
	}
	return text
}
