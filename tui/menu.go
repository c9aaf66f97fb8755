package tui

import (
	tea "charm.land/bubbletea/v2"
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
	box     area // of the latest frame
	inner   area
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
	if !d.box.contains(x, y) {
		m.done()
		return nil
	}
	if i := d.top + y - d.inner.y; d.inner.contains(x, y) && i < len(d.choices) {
		return d.choose(m, i)
	}
	return nil
}

func (d *menu) wheel(_ *model, _ tea.Mouse, n int) { d.at = max(0, min(d.at+n, len(d.choices)-1)) }

func (d *menu) draw(m *model, a area) (x, y int, cursor bool) {
	label, detail := 0, 0
	for _, c := range d.choices {
		label = max(label, columns(c.label))
		detail = max(detail, columns(c.detail))
	}
	width := max(columns(d.title)+6, 5+label+2+detail+3)
	d.box = box(a, width, len(d.choices)+2, d.title, m.opt.ASCII)
	in := d.box.part(1, 1, d.box.width-2, d.box.height-2)
	d.inner = in
	d.top = max(0, d.at-in.height+1)
	for i, c := range d.choices[d.top:] {
		row := in.row(i)
		if row.height == 0 {
			break
		}
		row.put(1, 0, c.key, keyStyle)
		row.put(4, 0, clip(c.label, row.width-5, m.opt.ASCII), plainStyle)
		if room := row.width - label - 7; c.detail != "" && room > 4 {
			row.put(label+6, 0, clip(c.detail, room, m.opt.ASCII), dimStyle)
		}
		if d.top+i == d.at {
			row.tint(func(s style) style { return s.with(reverse) })
		}
	}
	return 0, 0, false
}

// box draws a frame in the middle of a, at most as large as it, and returns it, blank.
func box(a area, width, height int, title string, ascii bool) area {
	width, height = min(width, a.width), min(height, a.height)
	return frameOf(a.part((a.width-width)/2, max(0, (a.height-height)/3), width, height), title, ascii)
}

// frameOf draws a frame along the rim of b, and blanks what is in it.
func frameOf(b area, title string, ascii bool) area {
	width, height := b.width, b.height
	b.fill(plainStyle)
	edge := [6]string{"┌", "┐", "└", "┘", "─", "│"}
	if ascii {
		edge = [6]string{"+", "+", "+", "+", "-", "|"}
	}
	for x := 1; x < width-1; x++ {
		b.put(x, 0, edge[4], dimStyle)
		b.put(x, height-1, edge[4], dimStyle)
	}
	for y := 1; y < height-1; y++ {
		b.put(0, y, edge[5], dimStyle)
		b.put(width-1, y, edge[5], dimStyle)
	}
	b.put(0, 0, edge[0], dimStyle)
	b.put(width-1, 0, edge[1], dimStyle)
	b.put(0, height-1, edge[2], dimStyle)
	b.put(width-1, height-1, edge[3], dimStyle)
	b.part(2, 0, width-4, 1).put(0, 0, " "+clip(title, width-6, ascii)+" ", strongStyle)
	return b
}
