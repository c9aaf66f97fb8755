package tui

import (
	"strings"

	"wf/tui/cells"
	"wf/tui/dialog"
)

// A helpScreen shows the keys of another screen.
type helpScreen struct {
	dialog.List
	where place // the place that the help is about
	back  page  // the screen before
}

// Move scrolls.
func (v *helpScreen) Move(key string) {
	v.List.Move(key)
	v.Top = v.At
}

// helpKeys is the width of the column of keys.
const helpKeys = 20

// helpLines returns the actions of a place by their groups, in lines of a width.
func helpLines(keys []action, where place, width int, ascii bool) []cells.Span {
	var out []cells.Span
	for _, group := range []string{groupRun, groupAsk, groupEdit, groupLook, groupLog, groupMove, groupList, groupAll} {
		title := false
		for i := range keys {
			a := &keys[i]
			if a.group != group || a.where&where == 0 || len(a.keys) == 0 {
				continue
			}
			if !title {
				out, title = append(out, cells.Span{Text: group, Style: cells.Strong}), true
			}
			names := cells.Clip(a.keyList(ascii), helpKeys-1, ascii)
			names += strings.Repeat(" ", helpKeys-cells.Columns(names))
			for _, text := range cells.Wrap(a.help, max(20, width-helpKeys-2)) {
				out = append(out, cells.Span{Text: "  " + names + text, Style: cells.Plain})
				names = strings.Repeat(" ", helpKeys)
			}
		}
		if title {
			out = append(out, cells.Span{})
		}
	}
	return out
}

// draw draws the screen.
func (v *helpScreen) draw(a cells.Area, keys []action) {
	lines := helpLines(keys, v.where, a.Width-2, a.ASCII())
	v.Size, v.Height = max(1, len(lines)-a.Height+1), a.Height
	v.At = min(v.At, v.Size-1)
	for y := range a.Height {
		if v.At+y < len(lines) {
			a.Put(1, y, lines[v.At+y].Text, lines[v.At+y].Style)
		}
	}
}

// showHelp shows the keys of this screen.
func (m *model) showHelp() {
	m.help = helpScreen{where: m.place(), back: m.page}
	m.page = helpPage
}

// palette opens the list of all actions that are available here.
func (m *model) palette() {
	var choices []dialog.Choice
	for i := range m.keys {
		if a := &m.keys[i]; a.fits(m) && a.name != "" {
			choices = append(choices, dialog.Choice{Key: a.keyList(m.opt.ASCII), Label: a.name, Detail: a.help, Do: a.doing(m)})
		}
	}
	m.open(dialog.NewPalette("Commands", choices))
}
