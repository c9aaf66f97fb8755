package dialog

import (
	tea "charm.land/bubbletea/v2"

	"wf/tui/cells"
	"wf/tui/words"
)

// A Sheet shows a text that may be longer than the screen, with choices below it. The first choice changes nothing.
type Sheet struct {
	Title   string
	Lines   []cells.Span
	Choices []Choice
	At      int // index into choices
	top     int // first visible line
	height  int // of the text, on the latest screen
}

func (d *Sheet) Key(k tea.KeyPressMsg) Result {
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
		d.scroll(len(d.Lines))
	case "left", "shift+tab", "h":
		d.At = (d.At + len(d.Choices) - 1) % len(d.Choices)
	case "right", "tab", "l":
		d.At = (d.At + 1) % len(d.Choices)
	case "enter":
		return d.Choices[d.At].chosen()
	case "esc", "q", "ctrl+c":
		return d.Choices[0].chosen()
	default:
		for i := range d.Choices {
			if d.Choices[i].Key == name {
				return d.Choices[i].chosen()
			}
		}
	}
	return Result{}
}

func (d *Sheet) scroll(n int) { d.top = max(0, min(d.top+n, len(d.Lines)-d.height)) }

// Paste does nothing: pasted text is not a choice.
func (d *Sheet) Paste(string) Result { return Result{} }

func (d *Sheet) Draw(a cells.Area) (x, y int, cursor bool) {
	width := cells.Columns(d.Title) + 6
	for _, line := range d.Lines {
		width = max(width, cells.Columns(line.Text)+4)
	}
	b := cells.Box(a, max(width, 60), len(d.Lines)+4, d.Title)
	in := b.Part(2, 1, b.Width-4, b.Height-2)
	d.height = max(0, in.Height-2)
	d.scroll(0)
	for i := range min(d.height, len(d.Lines)-d.top) {
		line := d.Lines[d.top+i]
		in.Put(0, i, cells.Clip(line.Text, in.Width, a.ASCII()), line.Style)
	}
	row := in.Row(in.Height - 1)
	if below := len(d.Lines) - d.top - d.height; below > 0 {
		in.Row(in.Height-2).PutEnd(0, cells.Either(a.ASCII(), "V ", "▼ ")+words.Count(len(d.Lines)-below, len(d.Lines)), cells.Dimmed)
	}
	for i, c := range d.Choices {
		from := x
		x = row.Put(x, 0, " "+c.Key, cells.Key)
		x = row.Put(x, 0, " "+c.Label+" ", cells.Plain)
		if i == d.At {
			row.Part(from, 0, x-from, 1).Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
		}
		x++
	}
	return 0, 0, false
}
