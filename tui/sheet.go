package tui

import (
	tea "charm.land/bubbletea/v2"

	"wf/tui/cells"
	"wf/tui/editor"
	"wf/tui/words"
)

// A sheet shows a text that may be longer than the screen, and asks below it. Its first choice changes
// nothing.
type sheet struct {
	title   string
	lines   []editor.Line
	choices []choice
	at      int // of choices
	top     int // first line in sight
	height  int // of the text, in the latest frame
}

func (d *sheet) key(m *model, k tea.KeyPressMsg) tea.Cmd {
	switch name := k.String(); name {
	case "up", "k":
		d.scroll(-1)
	case "down", "j":
		d.scroll(1)
	case "pgup", "ctrl+u":
		d.scroll(-max(1, d.height))
	case "pgdown", "ctrl+d", "space":
		d.scroll(max(1, d.height))
	case "home", "g":
		d.top = 0
	case "end", "G":
		d.scroll(len(d.lines))
	case "left", "shift+tab", "h":
		d.at = (d.at + len(d.choices) - 1) % len(d.choices)
	case "right", "tab", "l":
		d.at = (d.at + 1) % len(d.choices)
	case "enter":
		return d.choose(m, d.at)
	case "esc", "q", "ctrl+c":
		return d.choose(m, 0)
	default:
		for i := range d.choices {
			if d.choices[i].key == name {
				return d.choose(m, i)
			}
		}
	}
	return nil
}

func (d *sheet) scroll(n int) { d.top = max(0, min(d.top+n, len(d.lines)-d.height)) }

func (d *sheet) choose(m *model, i int) tea.Cmd {
	m.done()
	return d.choices[i].do(m)
}

// paste is no choice.
func (d *sheet) paste(*model, string) tea.Cmd { return nil }

func (d *sheet) draw(m *model, a cells.Area) (x, y int, cursor bool) {
	width := cells.Columns(d.title) + 6
	for _, line := range d.lines {
		width = max(width, cells.Columns(line.Text)+4)
	}
	b := cells.Box(a, max(width, 60), len(d.lines)+4, d.title)
	in := b.Part(2, 1, b.Width-4, b.Height-2)
	d.height = max(0, in.Height-2)
	d.scroll(0)
	styles := map[editor.LineKind]cells.Style{editor.Heading: cells.Strong, editor.Removed: cells.Bad, editor.Added: cells.Good}
	for i := range min(d.height, len(d.lines)-d.top) {
		line := d.lines[d.top+i]
		in.Put(0, i, cells.Clip(line.Text, in.Width, m.opt.ASCII), styles[line.Kind])
	}
	row := in.Row(in.Height - 1)
	if below := len(d.lines) - d.top - d.height; below > 0 {
		in.Row(in.Height-2).PutEnd(0, cells.Either(m.opt.ASCII, "v ", "▾ ")+words.Count(len(d.lines)-below, len(d.lines)), cells.Dimmed)
	}
	for i, c := range d.choices {
		from := x
		x = row.Put(x, 0, " "+c.key, cells.Key)
		x = row.Put(x, 0, " "+c.label+" ", cells.Plain)
		if i == d.at {
			row.Part(from, 0, x-from, 1).Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
		}
		x++
	}
	return 0, 0, false
}
