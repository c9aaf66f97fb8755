package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/tui/cells"
)

// A Palette asks the user to choose one of many actions. It lists those whose name or description contains all the
// typed words.
type Palette struct {
	line    Line
	title   string
	choices []Choice
	found   []int // indices into choices
	at, top int
	box     cells.Area // of the latest screen
	rows    cells.Area
}

// NewPalette returns a palette of choices. It shows the label, key and detail of each choice in columns.
func NewPalette(title string, choices []Choice) *Palette {
	p := &Palette{line: Line{Max: LongestWord}, title: title, choices: choices}
	p.find()
	return p
}

// find lists the choices whose label or detail contains all words of the line.
func (p *Palette) find() {
	p.found, p.at = p.found[:0], 0
	wanted := strings.Fields(strings.ToLower(p.line.String()))
	for i := range p.choices {
		text := strings.ToLower(p.choices[i].Label + " " + p.choices[i].Detail)
		lacks := func(word string) bool { return !strings.Contains(text, word) }
		if !slices.ContainsFunc(wanted, lacks) {
			p.found = append(p.found, i)
		}
	}
}

func (p *Palette) Key(k tea.KeyPressMsg) Result {
	switch k.String() {
	case "up":
		p.at = max(p.at-1, 0)
	case "down", "tab":
		p.at = max(0, min(p.at+1, len(p.found)-1))
	case "esc", "ctrl+c":
		return Result{Close: true}
	case "pgup":
		p.step(-max(1, p.rows.Height-1))
	case "pgdown":
		p.step(max(1, p.rows.Height-1))
	case "enter":
		return p.choose(p.at)
	default:
		if p.line.Edit(k) {
			p.find()
		}
	}
	return Result{}
}

// choose closes the palette and returns the message of the found choice i.
func (p *Palette) choose(i int) Result {
	if i >= len(p.found) {
		return Result{Close: true}
	}
	return p.choices[p.found[i]].chosen()
}

func (p *Palette) Click(x, y int) Result {
	switch {
	case !p.box.Contains(x, y):
		return Result{Close: true}
	case p.rows.Contains(x, y) && p.top+y-p.rows.Y < len(p.found):
		return p.choose(p.top + y - p.rows.Y)
	}
	return Result{}
}

func (p *Palette) Wheel(_ tea.Mouse, n int) { p.step(n) }

func (p *Palette) step(n int) { p.at = max(0, min(p.at+n, len(p.found)-1)) }

func (p *Palette) Paste(text string) Result {
	p.line.Insert(text)
	p.find()
	return Result{}
}

func (p *Palette) Draw(a cells.Area) (x, y int, cursor bool) {
	b := cells.Box(a, min(90, a.Width-4), min(18, a.Height-2), p.title)
	in := b.Part(2, 1, b.Width-4, b.Height-2)
	x = p.line.Draw(in, in.Put(0, 0, ": ", cells.Key), cells.Plain)
	rows := in.Part(0, 1, in.Width, in.Height-1)
	p.box, p.rows = b, rows
	p.top = max(min(p.top, p.at), p.at-rows.Height+1, 0)
	for i := range rows.Height {
		if p.top+i >= len(p.found) {
			break
		}
		row, c := rows.Row(i), p.choices[p.found[p.top+i]]
		row.Put(0, 0, cells.Clip(c.Label, 20, a.ASCII()), cells.Plain)
		row.Put(21, 0, cells.Clip(c.Key, 9, a.ASCII()), cells.Key)
		row.Put(31, 0, cells.Clip(c.Detail, row.Width-31, a.ASCII()), cells.Dimmed)
		if p.top+i == p.at {
			row.Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
		}
	}
	return in.X + x, in.Y, true
}
