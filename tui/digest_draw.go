package tui

import (
	"fmt"
	"maps"
	"slices"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/words"
)

// sortedKeys returns the keys of a map in order.
func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// A digestLine is a line of the digest.
type digestLine struct {
	group int // its group, or -1
	head  bool
	span  cells.Span
}

// draw draws the screen: each group with its reason and its nodes, and the end of an output of the selected group.
func (v *digest) draw(a cells.Area) {
	a.Put(1, 0, cells.Clip(v.title(), a.Width-2, a.ASCII()), cells.Dimmed)
	body := a.Part(0, 1, a.Width, a.Height-1)
	var all []digestLine
	first, last := 0, 0
	for g := range v.groups {
		from := len(all)
		all = append(all, v.groupLines(g, a.Width-2, a.ASCII())...)
		if g == v.At {
			first, last = from, len(all)
		}
	}
	v.Fit(len(v.groups), body.Height)
	v.Top = min(v.topLine(first, last, body.Height), max(0, len(all)-body.Height))
	v.lines = v.lines[:0]
	for y := range body.Height {
		if v.Top+y >= len(all) {
			break
		}
		line := all[v.Top+y]
		v.lines = append(v.lines, line.group)
		row := body.Row(y)
		row.Put(1, 0, line.span.Text, line.span.Style)
		if line.head && line.group == v.At {
			v.drawKeys(row)
			row.Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
		}
	}
}

// topLine returns the first line to show so that those of the selected group are visible, its first one at least.
func (v *digest) topLine(first, last, height int) int {
	top := v.Top
	if last > top+height {
		top = last - height
	}
	return max(0, min(top, first))
}

// drawKeys writes what can be done with the selected group, if there is room.
func (v *digest) drawKeys(row cells.Area) {
	const text = " R run again  e edit  L log "
	if row.Width >= stackWidth {
		row.PutEnd(0, text, cells.Plain)
	}
}

// groupLines returns the lines of a group.
func (v *digest) groupLines(g, width int, ascii bool) []digestLine {
	group := v.groups[g]
	lead := v.failed[group.Members[0]]
	var out []digestLine
	add := func(indent int, text string, st cells.Style) {
		text = fmt.Sprintf("%*s%s", indent, "", text)
		out = append(out, digestLine{g, len(out) == 0, cells.Span{Text: cells.Clip(text, width, ascii), Style: st}})
	}
	who := words.Plural(len(group.Members), "node")
	if len(group.Members) == 1 {
		who = lead.name
	}
	why := lead.cause
	if group.Reason != "" {
		why = cells.StripColors(group.Reason)
	}
	sign := words.LookOf(api.StateFailed).Sign(ascii)
	add(0, sign+" "+who+": "+why, stateStyle(api.StateFailed))
	names := make([]string, len(group.Members))
	for i, m := range group.Members {
		names[i] = v.failed[m].name
	}
	if len(names) > 1 {
		add(4, lead.cause+": "+fittingNames(names, width-6-cells.Columns(lead.cause)), cells.Dimmed)
	} else if group.Reason != "" {
		add(4, lead.cause, cells.Dimmed)
	}
	if g != v.At {
		return append(out, digestLine{group: -1})
	}
	one := v.shown()
	about := "no output"
	if len(one.tail.Lines) > 0 {
		about = one.tail.Title()
	}
	if len(names) > 1 {
		about = fmt.Sprintf("%s (%d of %d, %s), %s", one.name, min(v.example, len(names)-1)+1, len(names), cells.Either(ascii, "Left Right", "← →"), about)
	}
	add(4, about, cells.Plain)
	for _, line := range one.tail.Lines {
		add(4, cells.Either(ascii, "| ", "│ ")+cells.StripColors(line), cells.Plain)
	}
	return append(out, digestLine{group: -1})
}

// fittingNames lists as many names as fit into a width, and the number of the others.
func fittingNames(names []string, width int) string {
	n := min(len(names), width/2)
	for n > 1 && cells.Columns(words.NameList(names, n)) > width {
		n--
	}
	return words.NameList(names, n)
}

// click selects the group in a row of the screen.
func (v *digest) click(y int) {
	if y >= 0 && y < len(v.lines) && v.lines[y] >= 0 && v.lines[y] != v.At {
		v.At, v.example = v.lines[y], 0
	}
}
