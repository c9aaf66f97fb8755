package logview

import (
	"wf/tui/cells"
	"wf/tui/words"
)

// gutterColors distinguish the sources of a log.
var gutterColors = []cells.Color{cells.Palette(6), cells.Palette(5), cells.Palette(4), cells.Palette(3), cells.Palette(2), cells.Palette(14), cells.Palette(13), cells.Palette(12)}

// maxGutter is the maximum width of a name beside a line.
const maxGutter = 14

// columns are the widths of what is written before the lines, each with a space after it; 0 = it is not shown.
type columns struct {
	time   int
	layout string // format of the times
	name   int    // of the source
	sign   int    // of standard error
}

func (c columns) width() int { return c.time + c.name + c.sign }

// leastText is the least width that the times leave to the lines.
const leastText = 10

// columns returns what is written before the lines in a given width.
func (v *View) columns(width int) columns {
	c := columns{name: v.gutter()}
	if v.MarksStderr() {
		c.sign = 2
	}
	if v.Times {
		c.layout = v.times.layout()
		c.time = len(c.layout) + 1
		if width-c.width() < leastText {
			c.time = 0
		}
	}
	return c
}

// MarksStderr reports whether lines of standard error have words.SignStderr before them: if there are any, and their
// stream is known, because it is kept apart from standard output.
func (v *View) MarksStderr() bool {
	if v.stream == Stdout {
		return false
	}
	for in, to := range v.readTo {
		if in.err && to > 0 {
			return true
		}
	}
	return false
}

// beside writes what is before a line that takes all rows of a.
func (v *View) beside(a cells.Area, c columns, l *line) {
	if c.time > 0 {
		if at, ok := v.times.of(l); ok {
			a.Put(0, 0, at.Format(c.layout), cells.Dimmed)
		}
	}
	if c.name > 0 {
		v.name(a.Part(c.time, 0, c.name, 1), l)
	}
	for y := 0; l.err && c.sign > 0 && y < a.Height; y++ {
		a.Put(c.time+c.name, y, words.SignStderr.Text(a.ASCII()), cells.Note)
	}
}

// gutter returns the width of the names beside the lines, 0 for a single source.
func (v *View) gutter() int {
	if len(v.target.Names) < 2 {
		return 0
	}
	width := 0
	for _, name := range v.target.Names[:min(len(v.target.Names), MaxSources)] {
		width = max(width, min(cells.Columns(name), maxGutter))
	}
	return width + 2
}

// name writes the name of the node that wrote a line.
func (v *View) name(a cells.Area, l *line) {
	st := cells.Style{FG: gutterColors[l.source%len(gutterColors)]}
	a.Put(0, 0, cells.ClipMiddle(v.target.Names[l.source], a.Width-2, a.ASCII()), st)
	a.Put(a.Width-2, 0, cells.Either(a.ASCII(), "|", "│"), st.With(cells.Dim))
}
