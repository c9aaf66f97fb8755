package tui

import (
	tea "charm.land/bubbletea/v2"

	"wf/tui/cells"
)

// A choice is one line of a menu.
type choice struct {
	key    string // that chooses it at once
	label  string
	detail string // dim, beside or below it: the command that does the same
	do     func(m *model) tea.Cmd
}

// A menu asks to choose. Where something could be lost, its first line is to do nothing.
type menu struct {
	title   string
	choices []choice
	at, top int
	box     cells.Area // of the latest frame
	inner   cells.Area
}

func (d *menu) key(m *model, k tea.KeyPressMsg) tea.Cmd {
	switch name := k.String(); name {
	case "up", "k", "shift+tab":
		d.at = (d.at + len(d.choices) - 1) % len(d.choices)
	case "down", "j", "tab":
		d.at = (d.at + 1) % len(d.choices)
	case "enter":
		return d.choose(m, d.at)
	case "esc", "q", "ctrl+c":
		m.done()
	default:
		for i := range d.choices {
			if d.choices[i].key == name {
				return d.choose(m, i)
			}
		}
	}
	return nil
}

func (d *menu) choose(m *model, i int) tea.Cmd {
	m.done()
	if d.choices[i].do == nil {
		return nil
	}
	return d.choices[i].do(m)
}

// paste is no choice.
func (d *menu) paste(*model, string) tea.Cmd { return nil }

// click chooses what lies at a point of the screen; outside of the box it closes the menu.
func (d *menu) click(m *model, x, y int) tea.Cmd {
	if !d.box.Contains(x, y) {
		m.done()
		return nil
	}
	if i := d.top + y - d.inner.Y; d.inner.Contains(x, y) && i < len(d.choices) {
		return d.choose(m, i)
	}
	return nil
}

func (d *menu) wheel(_ *model, _ tea.Mouse, n int) { d.at = max(0, min(d.at+n, len(d.choices)-1)) }

func (d *menu) draw(m *model, a cells.Area) (x, y int, cursor bool) {
	label, detail := 0, 0
	for _, c := range d.choices {
		label = max(label, cells.Columns(c.label))
		detail = max(detail, cells.Columns(c.detail))
	}
	width := max(cells.Columns(d.title)+6, 5+label+2+detail+3)
	d.box = cells.Box(a, width, len(d.choices)+2, d.title)
	in := d.box.Part(1, 1, d.box.Width-2, d.box.Height-2)
	d.inner = in
	d.top = max(0, d.at-in.Height+1)
	for i, c := range d.choices[d.top:] {
		row := in.Row(i)
		if row.Height == 0 {
			break
		}
		row.Put(1, 0, c.key, cells.Key)
		row.Put(4, 0, cells.Clip(c.label, row.Width-5, m.opt.ASCII), cells.Plain)
		if room := row.Width - label - 7; c.detail != "" && room > 4 {
			row.Put(label+6, 0, cells.Clip(c.detail, room, m.opt.ASCII), cells.Dimmed)
		}
		if d.top+i == d.at {
			row.Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
		}
	}
	return 0, 0, false
}
