package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/tui/cells"
)

// A helpView is the screen with the keys.
type helpView struct {
	list
	where place // that it is about
}

// showHelp shows the keys of this screen.
func (m *model) showHelp() {
	m.help = helpView{where: m.place()}
	m.back, m.page = m.page, helpPage
}

// move scrolls; the selection of the list is the row at its top.
func (v *helpView) move(key string) {
	v.list.move(key)
	v.top = v.at
}

// helpKeys is the width of the column with the keys.
const helpKeys = 20

// helpLines lists the actions of a place by their groups, in lines of a width.
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

// drawHelp writes the screen with the keys.
func (m *model) drawHelp(a cells.Area) {
	v := &m.help
	lines := helpLines(m.keys, v.where, a.Width-2, m.opt.ASCII)
	v.size, v.height = max(1, len(lines)-a.Height+1), a.Height
	v.at = min(v.at, v.size-1)
	for y := range a.Height {
		if v.at+y < len(lines) {
			a.Put(1, y, lines[v.at+y].Text, lines[v.at+y].Style)
		}
	}
}

// A finder is the palette: it finds actions by their names.
type finder struct {
	line    line
	found   []*action
	at, top int
	box     cells.Area // of the latest frame
	rows    cells.Area
}

// palette opens the list of everything that can be done here.
func (m *model) palette() {
	p := &finder{line: line{most: longestWord}}
	p.find(m)
	m.open(p)
}

// find lists the actions that fit here and have all words of the line in their name or help.
func (p *finder) find(m *model) {
	p.found, p.at = p.found[:0], 0
	wanted := strings.Fields(strings.ToLower(p.line.String()))
	for i := range m.keys {
		a := &m.keys[i]
		text := strings.ToLower(a.name + " " + a.help)
		lacks := func(word string) bool { return !strings.Contains(text, word) }
		if a.fits(m) && a.name != "" && !slices.ContainsFunc(wanted, lacks) {
			p.found = append(p.found, a)
		}
	}
}

func (p *finder) key(m *model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "up":
		p.at = max(p.at-1, 0)
	case "down", "tab":
		p.at = max(0, min(p.at+1, len(p.found)-1))
	case "esc", "ctrl+c":
		m.done()
	case "pgup":
		p.step(-max(1, p.rows.Height-1))
	case "pgdown":
		p.step(max(1, p.rows.Height-1))
	case "enter":
		return p.choose(m, p.at)
	default:
		if p.line.edit(k) {
			p.find(m)
		}
	}
	return nil
}

// choose does what was found.
func (p *finder) choose(m *model, i int) tea.Cmd {
	m.done()
	if i >= len(p.found) {
		return nil
	}
	a, key := p.found[i], ""
	if len(a.keys) > 0 {
		key = a.keys[0]
	}
	return a.do(m, key)
}

func (p *finder) click(m *model, x, y int) tea.Cmd {
	switch {
	case !p.box.Contains(x, y):
		m.done()
	case p.rows.Contains(x, y) && p.top+y-p.rows.Y < len(p.found):
		return p.choose(m, p.top+y-p.rows.Y)
	}
	return nil
}

func (p *finder) wheel(_ *model, _ tea.Mouse, n int) { p.step(n) }

func (p *finder) step(n int) { p.at = max(0, min(p.at+n, len(p.found)-1)) }

func (p *finder) paste(m *model, text string) tea.Cmd {
	p.line.insert(text)
	p.find(m)
	return nil
}

func (p *finder) draw(m *model, a cells.Area) (x, y int, cursor bool) {
	b := cells.Box(a, min(90, a.Width-4), min(18, a.Height-2), "Commands")
	in := b.Part(2, 1, b.Width-4, b.Height-2)
	x = p.line.draw(in, in.Put(0, 0, ": ", cells.Key), cells.Plain)
	rows := in.Part(0, 1, in.Width, in.Height-1)
	p.box, p.rows = b, rows
	p.top = max(min(p.top, p.at), p.at-rows.Height+1, 0)
	for i := range rows.Height {
		if p.top+i >= len(p.found) {
			break
		}
		row, act := rows.Row(i), p.found[p.top+i]
		row.Put(0, 0, cells.Clip(act.name, 20, m.opt.ASCII), cells.Plain)
		row.Put(21, 0, cells.Clip(act.keyList(m.opt.ASCII), 9, m.opt.ASCII), cells.Key)
		row.Put(31, 0, cells.Clip(act.help, row.Width-31, m.opt.ASCII), cells.Dimmed)
		if p.top+i == p.at {
			row.Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
		}
	}
	return in.X + x, in.Y, true
}
