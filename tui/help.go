package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
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
func helpLines(keys []action, where place, width int, ascii bool) []span {
	var out []span
	for _, group := range []string{groupRun, groupAsk, groupEdit, groupLook, groupLog, groupMove, groupList, groupAll} {
		title := false
		for i := range keys {
			a := &keys[i]
			if a.group != group || a.where&where == 0 || len(a.keys) == 0 {
				continue
			}
			if !title {
				out, title = append(out, span{group, strongStyle}), true
			}
			names := clip(a.keyList(ascii), helpKeys-1, ascii)
			names += strings.Repeat(" ", helpKeys-columns(names))
			for _, text := range wrapWords(a.help, max(20, width-helpKeys-2)) {
				out = append(out, span{"  " + names + text, plainStyle})
				names = strings.Repeat(" ", helpKeys)
			}
		}
		if title {
			out = append(out, span{})
		}
	}
	return out
}

// drawHelp writes the screen with the keys.
func (m *model) drawHelp(a area) {
	v := &m.help
	lines := helpLines(m.keys, v.where, a.width-2, m.opt.ASCII)
	v.size, v.height = max(1, len(lines)-a.height+1), a.height
	v.at = min(v.at, v.size-1)
	for y := range a.height {
		if v.at+y < len(lines) {
			a.put(1, y, lines[v.at+y].text, lines[v.at+y].style)
		}
	}
}

// A finder is the palette: it finds actions by their names.
type finder struct {
	line    line
	found   []*action
	at, top int
	box     area // of the latest frame
	rows    area
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
		p.step(-max(1, p.rows.height-1))
	case "pgdown":
		p.step(max(1, p.rows.height-1))
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
	case !p.box.contains(x, y):
		m.done()
	case p.rows.contains(x, y) && p.top+y-p.rows.y < len(p.found):
		return p.choose(m, p.top+y-p.rows.y)
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

func (p *finder) draw(m *model, a area) (x, y int, cursor bool) {
	b := box(a, min(90, a.width-4), min(18, a.height-2), "Commands", m.opt.ASCII)
	in := b.part(2, 1, b.width-4, b.height-2)
	x = p.line.draw(in, in.put(0, 0, ": ", keyStyle), plainStyle)
	rows := in.part(0, 1, in.width, in.height-1)
	p.box, p.rows = b, rows
	p.top = max(min(p.top, p.at), p.at-rows.height+1, 0)
	for i := range rows.height {
		if p.top+i >= len(p.found) {
			break
		}
		row, act := rows.row(i), p.found[p.top+i]
		row.put(0, 0, clip(act.name, 20, m.opt.ASCII), plainStyle)
		row.put(21, 0, clip(act.keyList(m.opt.ASCII), 9, m.opt.ASCII), keyStyle)
		row.put(31, 0, clip(act.help, row.width-31, m.opt.ASCII), dimStyle)
		if p.top+i == p.at {
			row.tint(func(s style) style { return s.with(reverse) })
		}
	}
	return in.x + x, in.y, true
}
