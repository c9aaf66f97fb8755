package dialog

import (
	tea "charm.land/bubbletea/v2"

	"wf/tui/cells"
)

// A Menu asks the user to choose. If a choice can lose something, the first choice does nothing.
type Menu struct {
	Title   string
	Choices []Choice
	Low     bool   // at the bottom of the screen, so that more of what is above it stays visible
	Note    string // a sentence below the choices; "" = none
	At, top int
	box     cells.Area // of the latest screen
	inner   cells.Area
}

func (d *Menu) Key(k tea.KeyPressMsg) Result {
	switch name := k.String(); name {
	case "up", "k", "shift+tab":
		d.At = (d.At + len(d.Choices) - 1) % len(d.Choices)
	case "down", "j", "tab":
		d.At = (d.At + 1) % len(d.Choices)
	case "enter":
		return d.Choices[d.At].chosen()
	case "esc", "q", "ctrl+c":
		return Result{Close: true}
	default:
		for i := range d.Choices {
			if d.Choices[i].Key == name {
				return d.Choices[i].chosen()
			}
		}
	}
	return Result{}
}

// Paste does nothing: pasted text is not a choice.
func (d *Menu) Paste(string) Result { return Result{} }

// Click chooses the line at a point of the screen. A click outside the box closes the menu.
func (d *Menu) Click(x, y int) Result {
	if !d.box.Contains(x, y) {
		return Result{Close: true}
	}
	if i := d.top + y - d.inner.Y; d.inner.Contains(x, y) && i < len(d.Choices) {
		return d.Choices[i].chosen()
	}
	return Result{}
}

func (d *Menu) Wheel(_ tea.Mouse, n int) { d.At = max(0, min(d.At+n, len(d.Choices)-1)) }

func (d *Menu) Draw(a cells.Area) (x, y int, cursor bool) {
	label, detail := 0, 0
	for _, c := range d.Choices {
		label = max(label, cells.Columns(c.Label))
		detail = max(detail, cells.Columns(c.Detail))
	}
	width := max(cells.Columns(d.Title)+6, 5+label+2+detail+3)
	height := len(d.Choices) + 2
	if d.Low {
		height++ // for the note, so that the menu does not jump when it comes
		width = max(width, cells.Columns(d.Note)+4)
	}
	d.box = d.place(a, width, height)
	in := d.box.Part(1, 1, d.box.Width-2, d.box.Height-2)
	d.inner = in
	d.top = max(0, d.At-in.Height+1)
	for i, c := range d.Choices[d.top:] {
		row := in.Row(i)
		if row.Height == 0 {
			break
		}
		row.Put(1, 0, c.Key, cells.Key)
		row.Put(4, 0, cells.Clip(c.Label, row.Width-5, a.ASCII()), cells.Plain)
		if room := row.Width - label - 7; c.Detail != "" && room > 4 {
			row.Put(label+6, 0, cells.Clip(c.Detail, room, a.ASCII()), cells.Dimmed)
		}
		if d.top+i == d.At {
			row.Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
		}
	}
	if d.Low && in.Height > len(d.Choices) {
		in.Put(1, in.Height-1, cells.Clip(d.Note, in.Width-2, a.ASCII()), cells.Note)
	}
	return 0, 0, false
}

// place draws the border and returns the box.
func (d *Menu) place(a cells.Area, width, height int) cells.Area {
	if !d.Low {
		return cells.Box(a, width, height, d.Title)
	}
	width, height = min(width, a.Width), min(height, a.Height)
	return cells.Frame(a.Part((a.Width-width)/2, max(0, a.Height-height-2), width, height), d.Title)
}

// Selected returns the selected choice.
func (d *Menu) Selected() Choice {
	if d.At < 0 || d.At >= len(d.Choices) {
		return Choice{}
	}
	return d.Choices[d.At]
}
