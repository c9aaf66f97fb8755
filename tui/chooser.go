package tui

import (
	"strings"

	"wf/tui/cells"
	"wf/tui/words"

	tea "charm.land/bubbletea/v2"
)

// A chooser asks for one of many lines: what is typed leaves those that have all its words. Nothing is
// chosen before Enter or a click.
type chooser struct {
	list
	title   string
	line    line
	choices []choice
	found   []int      // of choices
	box     cells.Area // of the latest frame
	rows    cells.Area
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
	case !d.box.Contains(x, y):
		m.done()
	case d.rows.Contains(x, y):
		return d.choose(m, d.top+y-d.rows.Y)
	}
	return nil
}

func (d *chooser) wheel(_ *model, _ tea.Mouse, n int) { d.at = max(0, min(d.at+n, d.size-1)) }

func (d *chooser) draw(m *model, a cells.Area) (x, y int, cursor bool) {
	title := d.title + "  " + words.Count(d.at+1, len(d.found))
	if len(d.found) == 0 {
		title = d.title + "  none"
	}
	d.box = cells.Box(a, min(90, a.Width-4), min(len(d.choices)+3, 18, a.Height-2), title)
	in := d.box.Part(2, 1, d.box.Width-4, d.box.Height-2)
	x = d.line.draw(in, in.Put(0, 0, "/ ", cells.Key), cells.Plain)
	d.rows = in.Part(0, 1, in.Width, in.Height-1)
	d.fit(len(d.found), d.rows.Height)
	for i := range d.rows.Height {
		if d.top+i >= len(d.found) {
			break
		}
		row, c := d.rows.Row(i), d.choices[d.found[d.top+i]]
		end := row.Put(0, 0, cells.Clip(c.label, row.Width, m.opt.ASCII), cells.Plain)
		if room := row.Width - end - 2; room > 4 {
			row.Put(end+2, 0, cells.Clip(c.detail, room, m.opt.ASCII), cells.Dimmed)
		}
		if d.top+i == d.at {
			row.Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
		}
	}
	return in.X + x, in.Y, true
}
