package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wf/tui/drawing"
)

// A cell is one column of one row of the screen.
type cell struct {
	text  string // one grapheme; "" is a blank
	wide  bool   // the grapheme takes this column and the next
	cover bool   // the second column of a wide one
	style style
}

// A screen is what a frame shows: a grid of cells, drawn without a terminal.
type screen struct {
	width, height int
	cells         []cell
	out           []byte // reused from frame to frame
}

// resize makes the screen blank, in a size.
func (s *screen) resize(width, height int) {
	s.width, s.height = max(width, 0), max(height, 0)
	if n := s.width * s.height; cap(s.cells) < n {
		s.cells = make([]cell, n)
	} else {
		s.cells = s.cells[:n]
		clear(s.cells)
	}
}

// all is the area of the whole screen.
func (s *screen) all() area { return area{s, 0, 0, s.width, s.height} }

// An area is a rectangle of a screen. What is written outside of it is left out.
type area struct {
	s                   *screen
	x, y, width, height int
}

// part is a rectangle within a.
func (a area) part(x, y, width, height int) area {
	x, y = min(max(x, 0), a.width), min(max(y, 0), a.height)
	return area{a.s, a.x + x, a.y + y, min(max(width, 0), a.width-x), min(max(height, 0), a.height-y)}
}

// row is one row of a.
func (a area) row(y int) area { return a.part(0, y, a.width, 1) }

// contains says whether a point of the screen lies in a.
func (a area) contains(x, y int) bool {
	return x >= a.x && x < a.x+a.width && y >= a.y && y < a.y+a.height
}

// at is the cell at x, y of a; nil outside.
func (a area) at(x, y int) *cell {
	if x < 0 || y < 0 || x >= a.width || y >= a.height {
		return nil
	}
	return &a.s.cells[(a.y+y)*a.s.width+a.x+x]
}

// put writes plain text from x, y on and returns the column after it. A wide grapheme is never cut.
func (a area) put(x, y int, text string, st style) int {
	for text != "" {
		cluster, width := grapheme(text)
		text = text[len(cluster):]
		if width == 0 {
			continue
		}
		if x+width > a.width {
			return a.width
		}
		if c := a.at(x, y); c != nil {
			*c = cell{text: cluster, wide: width == 2, style: st}
			if width == 2 {
				*a.at(x+1, y) = cell{cover: true, style: st}
			}
		}
		x += width
	}
	return x
}

// putEnd writes text so that it ends at the right border, and returns where it begins.
func (a area) putEnd(y int, text string, st style) int {
	x := max(0, a.width-columns(text))
	a.put(x, y, text, st)
	return x
}

// fill gives all cells of a a style and makes them blank.
func (a area) fill(st style) {
	for y := range a.height {
		for x := range a.width {
			*a.at(x, y) = cell{style: st}
		}
	}
}

// tint changes the style of all cells of a.
func (a area) tint(change func(style) style) {
	for y := range a.height {
		for x := range a.width {
			c := a.at(x, y)
			c.style = change(c.style)
		}
	}
}

// paste copies a drawing.
func (a area) paste(g *drawing.Grid) {
	for y := range min(a.height, g.Height) {
		for x, from := range g.Row(y)[:min(a.width, g.Width)] {
			*a.at(x, y) = cell{text: from.Text, wide: from.Width == 2, cover: from.Width == 0, style: inkStyle(from.Style)}
		}
	}
}

// replacement stands for a grapheme about whose width terminals disagree: it would shift the row.
const replacement = "\ufffd"

// graphemeBytes bounds one grapheme: marks can be piled up without end.
const graphemeBytes = 64

// grapheme is the first grapheme of text, and how many columns it takes: 0, 1 or 2.
func grapheme(text string) (cluster string, width int) {
	if c := text[0]; c >= ' ' && c < 0x7f && (len(text) == 1 || text[1] < 0x80) {
		return text[:1], 1
	}
	return ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
}

// columns is how many columns plain text takes.
func columns(text string) int { return ansi.StringWidth(text) }

// write returns the screen as lines of text and escape sequences. The result is valid until the next
// write.
func (s *screen) write(colors bool) string {
	b := s.out[:0]
	for y := range s.height {
		if y > 0 {
			b = append(b, '\n')
		}
		row := s.cells[y*s.width : (y+1)*s.width]
		end := len(row)
		for end > 0 && row[end-1] == (cell{}) {
			end--
		}
		var last style
		for _, c := range row[:end] {
			if c.cover {
				continue
			}
			if c.style != last {
				b = c.style.appendSGR(b, colors)
				last = c.style
			}
			b = appendText(b, c)
		}
		if last != (style{}) {
			b = append(b, "\x1b[m"...)
		}
	}
	s.out = b
	return string(b)
}

// appendText appends the grapheme of a cell.
func appendText(b []byte, c cell) []byte {
	switch {
	case c.text == "":
		return append(b, ' ')
	case len(c.text) > graphemeBytes, len(c.text) > 4 && ansi.StringWidthWc(c.text) != ansi.StringWidth(c.text):
		b = append(b, replacement...)
		if c.wide {
			b = append(b, ' ')
		}
		return b
	}
	return append(b, c.text...)
}

// String is the text of the screen, without blanks at the ends of rows: what tests read.
func (s *screen) String() string {
	var b strings.Builder
	for y := range s.height {
		var row strings.Builder
		for _, c := range s.cells[y*s.width : (y+1)*s.width] {
			switch {
			case c.cover:
			case c.text == "":
				row.WriteByte(' ')
			default:
				row.WriteString(c.text)
			}
		}
		b.WriteString(strings.TrimRight(row.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}
