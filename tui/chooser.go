package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// A chooser asks for one of many lines: what is typed leaves those that have all its words. Nothing is
// chosen before Enter or a click.
type chooser struct {
	list
	title   string
	line    line
	choices []choice
	found   []int // of choices
	box     area  // of the latest frame
	rows    area
}

func newChooser(title string, choices []choice) *chooser {
	d := &chooser{title: title, choices: choices}
	d.find()
	return d
}

func (d *chooser) find() {
	d.found, d.at = d.found[:0], 0
	words := strings.Fields(strings.ToLower(d.line.String()))
next:
	for i := range d.choices {
		text := strings.ToLower(d.choices[i].label)
		for _, word := range words {
			if !strings.Contains(text, word) {
				continue next
			}
		}
		d.found = append(d.found, i)
	}
	d.size = len(d.found)
}

func (d *chooser) key(m *model, k tea.KeyPressMsg) tea.Cmd {
	switch name := k.String(); name {
	case "esc", "ctrl+c":
		m.done()
	case "enter":
		return d.choose(m, d.at)
	case "up", "down", "pgup", "pgdown":
		d.move(name)
	default:
		if d.line.edit(k) {
			d.find()
		}
	}
	return nil
}

func (d *chooser) choose(m *model, i int) tea.Cmd {
	if i >= len(d.found) {
		return nil
	}
	m.done()
	return d.choices[d.found[i]].do(m)
}

func (d *chooser) paste(_ *model, text string) tea.Cmd {
	d.line.insert(text)
	d.find()
	return nil
}

func (d *chooser) click(m *model, x, y int) tea.Cmd {
	switch {
	case !d.box.contains(x, y):
		m.done()
	case d.rows.contains(x, y):
		return d.choose(m, d.top+y-d.rows.y)
	}
	return nil
}

func (d *chooser) wheel(_ *model, _ tea.Mouse, n int) { d.at = max(0, min(d.at+n, d.size-1)) }

func (d *chooser) draw(m *model, a area) (x, y int, cursor bool) {
	title := d.title + "  " + count(d.at+1, len(d.found))
	if len(d.found) == 0 {
		title = d.title + "  none"
	}
	d.box = box(a, min(90, a.width-4), min(len(d.choices)+3, 18, a.height-2), title, m.opt.ASCII)
	in := d.box.part(2, 1, d.box.width-4, d.box.height-2)
	x = d.line.draw(in, in.put(0, 0, "/ ", keyStyle), plainStyle)
	d.rows = in.part(0, 1, in.width, in.height-1)
	d.fit(len(d.found), d.rows.height)
	for i := range d.rows.height {
		if d.top+i >= len(d.found) {
			break
		}
		row, c := d.rows.row(i), d.choices[d.found[d.top+i]]
		end := row.put(0, 0, clip(c.label, row.width, m.opt.ASCII), plainStyle)
		if room := row.width - end - 2; room > 4 {
			row.put(end+2, 0, clip(c.detail, room, m.opt.ASCII), dimStyle)
		}
		if d.top+i == d.at {
			row.tint(func(s style) style { return s.with(reverse) })
		}
	}
	return in.x + x, in.y, true
}
