package dialog

import (
	"slices"
	"strings"

	"wf/tui/cells"
	"wf/tui/words"

	tea "charm.land/bubbletea/v2"
)

// A Chooser asks the user to choose one of many lines. It lists those that contain all the typed words. Enter or a
// click chooses.
type Chooser struct {
	List
	title   string
	line    Line
	Choices []Choice
	found   []int      // indices into choices
	box     cells.Area // of the latest screen
	rows    cells.Area
}

// NewChooser returns a chooser of choices.
func NewChooser(title string, choices []Choice) *Chooser {
	d := &Chooser{title: title, Choices: choices}
	d.find()
	return d
}

// find lists the choices whose labels contain all words of the line.
func (d *Chooser) find() {
	d.found, d.At = d.found[:0], 0
	terms := strings.Fields(strings.ToLower(d.line.String()))
	for i := range d.Choices {
		text := strings.ToLower(d.Choices[i].Label)
		if !slices.ContainsFunc(terms, func(term string) bool { return !strings.Contains(text, term) }) {
			d.found = append(d.found, i)
		}
	}
	d.Size = len(d.found)
}

func (d *Chooser) Key(k tea.KeyPressMsg) Result {
	switch name := k.String(); name {
	case "esc", "ctrl+c":
		return Result{Close: true}
	case "enter":
		return d.choose(d.At)
	case "up", "down", "pgup", "pgdown":
		d.Move(name)
	default:
		if d.line.Edit(k) {
			d.find()
		}
	}
	return Result{}
}

func (d *Chooser) choose(i int) Result {
	if i >= len(d.found) {
		return Result{}
	}
	return d.Choices[d.found[i]].chosen()
}

func (d *Chooser) Paste(text string) Result {
	d.line.Insert(text)
	d.find()
	return Result{}
}

func (d *Chooser) Click(x, y int) Result {
	switch {
	case !d.box.Contains(x, y):
		return Result{Close: true}
	case d.rows.Contains(x, y):
		return d.choose(d.Top + y - d.rows.Y)
	}
	return Result{}
}

func (d *Chooser) Wheel(_ tea.Mouse, n int) { d.At = max(0, min(d.At+n, d.Size-1)) }

func (d *Chooser) Draw(a cells.Area) (x, y int, cursor bool) {
	title := d.title + "  " + words.Count(d.At+1, len(d.found))
	if len(d.found) == 0 {
		title = d.title + "  none"
	}
	d.box = cells.Box(a, min(90, a.Width-4), min(len(d.Choices)+3, 18, a.Height-2), title)
	in := d.box.Part(2, 1, d.box.Width-4, d.box.Height-2)
	x = d.line.Draw(in, in.Put(0, 0, "/ ", cells.Key), cells.Plain)
	d.rows = in.Part(0, 1, in.Width, in.Height-1)
	d.Rows(d.rows, len(d.found), func(i int, row cells.Area) {
		c := d.Choices[d.found[i]]
		end := row.Put(0, 0, cells.Clip(c.Label, row.Width, a.ASCII()), cells.Plain)
		if room := row.Width - end - 2; room > 4 {
			row.Put(end+2, 0, cells.Clip(c.Detail, room, a.ASCII()), cells.Dimmed)
		}
	})
	return in.X + x, in.Y, true
}
