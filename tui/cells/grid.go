// Package cells draws text on a grid of character cells: clipped, wrapped, with borders, and in styles that are named
// by their meaning. It handles columns, graphemes and escape sequences, but contains nothing about workflows, keys or
// terminals.
package cells

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A Cell is one column of one row of a grid.
type Cell struct {
	Text  string // one grapheme; "" is a blank
	Wide  bool   // the grapheme takes this column and the next
	Cover bool   // this is the second column of a wide grapheme
	Style Style
}

// A Grid is the content of a whole screen, drawn without a terminal.
type Grid struct {
	Width, Height int
	cells         []Cell
	ASCII         bool // draw with ASCII characters only
	Scheme        *Scheme
	out           []byte // buffer of Encode, reused
}

// Resize sets the size of the grid and makes it blank.
func (g *Grid) Resize(width, height int) {
	g.Width, g.Height = max(width, 0), max(height, 0)
	if n := g.Width * g.Height; cap(g.cells) < n {
		g.cells = make([]Cell, n)
	} else {
		g.cells = g.cells[:n]
		clear(g.cells)
	}
}

// All returns the area of the whole grid.
func (g *Grid) All() Area { return g.Area(0, 0, g.Width, g.Height) }

// Area returns a rectangle of the grid. It must be inside the grid when something is written into it.
func (g *Grid) Area(x, y, width, height int) Area { return Area{g, x, y, width, height} }

// An Area is a rectangle of a grid, with its own coordinates. Text outside it is dropped.
type Area struct {
	grid                *Grid
	X, Y, Width, Height int
}

// Part returns a rectangle within a.
func (a Area) Part(x, y, width, height int) Area {
	x, y = min(max(x, 0), a.Width), min(max(y, 0), a.Height)
	return Area{a.grid, a.X + x, a.Y + y, min(max(width, 0), a.Width-x), min(max(height, 0), a.Height-y)}
}

// ASCII reports whether a must be drawn with ASCII characters only.
func (a Area) ASCII() bool { return a.grid.ASCII }

// Row returns one row of a.
func (a Area) Row(y int) Area { return a.Part(0, y, a.Width, 1) }

// Contains reports whether a point of the grid lies in a.
func (a Area) Contains(x, y int) bool {
	return x >= a.X && x < a.X+a.Width && y >= a.Y && y < a.Y+a.Height
}

// At returns the cell at x, y of a, or nil outside of it.
func (a Area) At(x, y int) *Cell {
	if x < 0 || y < 0 || x >= a.Width || y >= a.Height {
		return nil
	}
	return &a.grid.cells[(a.Y+y)*a.grid.Width+a.X+x]
}

// Put writes plain text starting at x, y and returns the column after it. It never cuts a wide grapheme.
func (a Area) Put(x, y int, text string, st Style) int {
	for text != "" {
		cluster, width := Grapheme(text)
		text = text[len(cluster):]
		if width == 0 {
			continue
		}
		if x+width > a.Width {
			return a.Width
		}
		if c := a.At(x, y); c != nil {
			*c = Cell{Text: cluster, Wide: width == 2, Style: st}
			if width == 2 {
				*a.At(x+1, y) = Cell{Cover: true, Style: st}
			}
		}
		x += width
	}
	return x
}

// PutEnd writes text that ends at the right border, and returns the column where it begins.
func (a Area) PutEnd(y int, text string, st Style) int {
	x := max(0, a.Width-Columns(text))
	a.Put(x, y, text, st)
	return x
}

// Fill blanks all cells of a and sets their style.
func (a Area) Fill(st Style) {
	for y := range a.Height {
		for x := range a.Width {
			*a.At(x, y) = Cell{Style: st}
		}
	}
}

// Tint changes the style of all cells of a.
func (a Area) Tint(change func(Style) Style) {
	for y := range a.Height {
		for x := range a.Width {
			c := a.At(x, y)
			c.Style = change(c.Style)
		}
	}
}

// replacement is written instead of a grapheme whose width differs between terminals, because that would shift the
// row.
const replacement = "\ufffd"

// graphemeBytes is the maximum number of bytes of a grapheme that are written: any number of combining marks may
// follow a letter.
const graphemeBytes = 64

// Grapheme returns the first grapheme of text and its width in columns: 0, 1 or 2.
func Grapheme(text string) (cluster string, width int) {
	if c := text[0]; c >= ' ' && c < 0x7f && (len(text) == 1 || text[1] < 0x80) {
		return text[:1], 1
	}
	return ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
}

// Columns returns the width of plain text.
func Columns(text string) int { return ansi.StringWidth(text) }

// Encode returns the grid as lines of text and escape sequences. It reuses the buffer of the previous call.
func (g *Grid) Encode(colors bool) string {
	b := g.out[:0]
	for y := range g.Height {
		if y > 0 {
			b = append(b, '\n')
		}
		row := g.cells[y*g.Width : (y+1)*g.Width]
		end := len(row)
		for end > 0 && row[end-1] == (Cell{}) {
			end--
		}
		var last Style
		for _, c := range row[:end] {
			if c.Cover {
				continue
			}
			if c.Style != last {
				st := c.Style
				if colors { // without colours dim text must stay dim
					st = g.Scheme.Of(st)
				}
				b = st.appendSGR(b, colors)
				last = c.Style
			}
			b = appendText(b, c)
		}
		if last != (Style{}) {
			b = append(b, "\x1b[m"...)
		}
	}
	g.out = b
	return string(b)
}

// appendText appends the grapheme of a cell.
func appendText(b []byte, c Cell) []byte {
	switch {
	case c.Text == "":
		return append(b, ' ')
	case len(c.Text) > graphemeBytes, len(c.Text) > 4 && ansi.StringWidthWc(c.Text) != ansi.StringWidth(c.Text):
		b = append(b, replacement...)
		if c.Wide {
			b = append(b, ' ')
		}
		return b
	}
	return append(b, c.Text...)
}

// String returns the text of the grid without styles and trailing blanks, for tests.
func (g *Grid) String() string {
	var b strings.Builder
	for y := range g.Height {
		var row strings.Builder
		for _, c := range g.cells[y*g.Width : (y+1)*g.Width] {
			switch {
			case c.Cover:
			case c.Text == "":
				row.WriteByte(' ')
			default:
				row.WriteString(c.Text)
			}
		}
		b.WriteString(strings.TrimRight(row.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}
