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
	sign    string // before the typed words
	line    Line
	Choices []Choice
	columns bool       // the key and the detail of a choice stand in columns, and words may be in the detail
	found   []int      // indices into choices
	box     cells.Area // of the latest screen
	rows    cells.Area
}

// NewChooser returns a chooser of choices.
func NewChooser(title string, choices []Choice) *Chooser {
	d := &Chooser{title: title, sign: "/ ", Choices: choices}
	d.find()
	return d
}

// NewPalette returns a chooser of actions. It shows the label, key and detail of each in columns.
func NewPalette(title string, choices []Choice) *Chooser {
	d := &Chooser{title: title, sign: ": ", line: Line{Max: LongestWord}, Choices: choices, columns: true}
	d.find()
	return d
}

// find lists the choices that contain all words of the line.
func (d *Chooser) find() {
	d.found, d.At = d.found[:0], 0
	terms := strings.Fields(strings.ToLower(d.line.String()))
	for i, c := range d.Choices {
		text := c.Label
		if d.columns {
			text += " " + c.Detail
		}
		text = strings.ToLower(text)
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
	case "tab":
		d.Move("down")
	case "up", "down", "pgup", "pgdown":
		d.Move(name)
	default:
		if d.line.Edit(k) {
			d.find()
		}
	}
	return Result{}
}

// choose returns the message of the found choice i. Without one, it closes a palette.
func (d *Chooser) choose(i int) Result {
	if i >= len(d.found) {
		return Result{Close: d.columns}
	}
	return d.Choices[d.found[i]].chosen()
}

func (d *Chooser) Paste(text string) Result {
	d.line.Insert(text)
	d.find()
	return Result{}
}

func (d *Chooser) Click(x, y int) Result {
	i := d.Top + y - d.rows.Y
	switch {
	case !d.box.Contains(x, y):
		return Result{Close: true}
	case d.rows.Contains(x, y) && i < len(d.found):
		return d.choose(i)
	}
	return Result{}
}

func (d *Chooser) Wheel(_ tea.Mouse, n int) { d.At = max(0, min(d.At+n, d.Size-1)) }

func (d *Chooser) Draw(a cells.Area) (x, y int, cursor bool) {
	title, height := d.title, 18
	if !d.columns {
		height = min(len(d.Choices)+3, height)
		title += "  " + words.Count(d.At+1, len(d.found))
		if len(d.found) == 0 {
			title = d.title + "  none"
		}
	}
	d.box = cells.Box(a, min(90, a.Width-4), min(height, a.Height-2), title)
	in := d.box.Part(2, 1, d.box.Width-4, d.box.Height-2)
	x = d.line.Draw(in, in.Put(0, 0, d.sign, cells.Key), cells.Plain)
	d.rows = in.Part(0, 1, in.Width, in.Height-1)
	d.Rows(d.rows, len(d.found), func(i int, row cells.Area) { d.drawRow(row, d.Choices[d.found[i]]) })
	return in.X + x, in.Y, true
}

func (d *Chooser) drawRow(row cells.Area, c Choice) {
	if d.columns {
		row.Put(0, 0, cells.Clip(c.Label, 20, row.ASCII()), cells.Plain)
		row.Put(21, 0, cells.Clip(c.Key, 9, row.ASCII()), cells.Key)
		row.Put(31, 0, cells.Clip(c.Detail, row.Width-31, row.ASCII()), cells.Dimmed)
		return
	}
	end := row.Put(0, 0, cells.Clip(c.Label, row.Width, row.ASCII()), cells.Plain)
	if room := row.Width - end - 2; room > 4 {
		row.Put(end+2, 0, cells.Clip(c.Detail, room, row.ASCII()), cells.Dimmed)
	}
}
