package tui

import (
	"strings"

	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/words"
)

// A helpScreen explains another screen: the signs on it, and its keys.
type helpScreen struct {
	dialog.List
	where place // the place that the help is about
	back  page  // the screen before
	signs []words.Sign
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
	for _, group := range []string{groupRun, groupAsk, groupDigest, groupEdit, groupLook, groupLog, groupMove, groupList, groupAll} {
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
	lines := append(signLines(v.signs, a.Width-2, a.ASCII()), helpLines(keys, v.where, a.Width-2, a.ASCII())...)
	v.Size, v.Height = max(1, len(lines)-a.Height+1), a.Height
	v.At = min(v.At, v.Size-1)
	for y := range a.Height {
		if v.At+y < len(lines) {
			a.Put(1, y, lines[v.At+y].Text, lines[v.At+y].Style)
		}
	}
}

// signLines returns a legend in lines of a width.
func signLines(signs []words.Sign, width int, ascii bool) (out []cells.Span) {
	if len(signs) == 0 {
		return nil
	}
	out = append(out, cells.Span{Text: "Signs on this screen", Style: cells.Strong})
	for _, s := range signs {
		forms := cells.Either(ascii, s.ASCII, s.Glyph)
		forms += strings.Repeat(" ", max(1, helpSigns-cells.Columns(forms)))
		for _, text := range cells.Wrap(s.Meaning, max(20, width-helpSigns-2)) {
			out = append(out, cells.Span{Text: "  " + forms + text, Style: cells.Plain})
			forms = strings.Repeat(" ", helpSigns)
		}
	}
	return append(out, cells.Span{})
}

// helpSigns is the width of the column of signs.
const helpSigns = 12

// shownSigns returns the signs that are on the screen now. It looks at the screen in Unicode, where a sign is hardly ever a part of a
// text, and not at the outputs of commands.
func shownSigns(m *model) []words.Sign {
	ascii := m.opt.ASCII
	m.opt.ASCII = false
	m.draw()
	m.opt.ASCII = ascii
	if m.term.areas.side.Height > 0 {
		used := 0
		if m.page == mainPage {
			used = 1 // the row of the node
		}
		side := m.term.areas.side
		side.Part(0, used, side.Width, side.Height).Fill(cells.Plain)
	}
	signs := words.Legend(m.term.screen.String(), ascii)
	if showsLog(m) && (m.page == logPage || m.page == mainPage) && m.side.log.MarksStderr() {
		signs = append(signs, words.SignStderr)
	}
	return signs
}

// showHelp shows the signs and the keys of this screen.
func (m *model) showHelp() {
	m.help = helpScreen{where: m.place(), back: m.page, signs: shownSigns(m)}
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
