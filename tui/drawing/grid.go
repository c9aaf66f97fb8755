package drawing

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wf/tui/cells"
)

// A Cell is one column of one row.
type Cell struct {
	// Text is one grapheme. "" is a blank, or the second column of a wide grapheme (Width 0).
	Text  string
	Width uint8 // width of Text: 1 or 2, or 0 for a column that the previous cell covers
	Style Style
	Item  Item  // the item that a click here selects
	Edge  int32 // the edge that this line belongs to, or -1
}

// A Style is the meaning of a cell. The terminal interface assigns colors to styles.
type Style struct {
	Ink  Ink
	Mods Mods
}

// Ink determines the color of a cell.
type Ink uint8

// The inks that are not states. InkOf returns those of states, for glyphs and lines of edges.
const (
	InkText Ink = iota // names
	InkDim             // details, hints, folded items
	InkLine            // lines without a state
	InkWhen            // conditions of edges
	inkState
)

// InkOf returns the ink of a state.
func InkOf(s State) Ink { return inkState + Ink(s) }

// State returns the state that has this ink.
func (i Ink) State() (State, bool) {
	if i < inkState {
		return 0, false
	}
	return State(i - inkState), true
}

// Mods change an ink.
type Mods uint8

// The modifications, as bits.
const (
	Selected Mods = 1 << iota // part of the selected item
	Marked                    // part of a node that the user has marked
	Near                      // a line on the path of the selection: bold
	Faint                     // less important: edges while something else is selected, dead edges
	Line                      // part of the line of an edge
	Token                     // the sign of a token on an edge
)

// A Grid is a rectangle of cells.
type Grid struct {
	Width, Height int
	cells         []Cell // row by row
}

// Resize changes the size of a grid and clears it. It reuses the memory.
func (g *Grid) Resize(width, height int) {
	width, height = max(width, 0), max(height, 0)
	if cap(g.cells) < width*height {
		g.cells = make([]Cell, width*height)
	}
	g.Width, g.Height, g.cells = width, height, g.cells[:width*height]
	g.Clear()
}

// blank is an empty cell.
var blank = Cell{Width: 1, Edge: -1}

// Clear makes all cells blank.
func (g *Grid) Clear() {
	for i := range g.cells {
		g.cells[i] = blank
	}
}

// Row returns the cells of a row, from 0. They belong to the grid.
func (g *Grid) Row(y int) []Cell { return g.cells[y*g.Width : (y+1)*g.Width] }

// At returns the cell at x, y, or nil outside of the grid.
func (g *Grid) At(x, y int) *Cell {
	if x < 0 || y < 0 || x >= g.Width || y >= g.Height {
		return nil
	}
	return &g.cells[y*g.Width+x]
}

// Put draws at most room columns of text starting at x, y, and returns their number. It drops text outside the grid
// and never cuts a wide grapheme. The text must be safe (package plain).
func (g *Grid) Put(x, y int, text string, room int, style Style, item Item) int {
	if y < 0 || y >= g.Height {
		return min(ansi.StringWidth(text), room)
	}
	row := g.Row(y)
	used := 0
	for text != "" {
		cluster, width := cells.Grapheme(text)
		if used+width > room {
			break
		}
		text = text[len(cluster):]
		if width == 0 {
			continue // nothing visible
		}
		if at := x + used; at >= 0 && at+width <= len(row) {
			row[at] = Cell{Text: cluster, Width: uint8(width), Style: style, Item: item, Edge: -1}
			if width == 2 {
				row[at+1] = Cell{Style: style, Item: item, Edge: -1}
			}
		}
		used += width
	}
	return used
}

// String returns the text of a grid without trailing blanks.
func (g *Grid) String() string {
	var b strings.Builder
	for y := range g.Height {
		blanks := 0
		for _, c := range g.Row(y) {
			switch {
			case c.Width == 0:
			case c.Text == "" || c.Text == " ":
				blanks++
			default:
				b.WriteString(strings.Repeat(" ", blanks))
				b.WriteString(c.Text)
				blanks = 0
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
