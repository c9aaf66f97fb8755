package tui

import (
	tea "charm.land/bubbletea/v2"

	"wf/tui/editor"
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

func (d *sheet) draw(m *model, a area) (x, y int, cursor bool) {
	width := columns(d.title) + 6
	for _, line := range d.lines {
		width = max(width, columns(line.Text)+4)
	}
	b := box(a, max(width, 60), len(d.lines)+4, d.title, m.opt.ASCII)
	in := b.part(2, 1, b.width-4, b.height-2)
	d.height = max(0, in.height-2)
	d.scroll(0)
	styles := map[editor.LineKind]style{editor.Heading: strongStyle, editor.Removed: badStyle, editor.Added: goodStyle}
	for i := range min(d.height, len(d.lines)-d.top) {
		line := d.lines[d.top+i]
		in.put(0, i, clip(line.Text, in.width, m.opt.ASCII), styles[line.Kind])
	}
	row := in.row(in.height - 1)
	if below := len(d.lines) - d.top - d.height; below > 0 {
		in.row(in.height-2).putEnd(0, either(m.opt.ASCII, "v ", "▾ ")+count(len(d.lines)-below, len(d.lines)), dimStyle)
	}
	for i, c := range d.choices {
		from := x
		x = row.put(x, 0, " "+c.key, keyStyle)
		x = row.put(x, 0, " "+c.label+" ", plainStyle)
		if i == d.at {
			row.part(from, 0, x-from, 1).tint(func(s style) style { return s.with(reverse) })
		}
		x++
	}
	return 0, 0, false
}
