package drawing

// A brush draws the visible lines of a picture. A cell may belong to several lines: it has the directions of all of
// them and the look of the last one.
type brush struct {
	grid  *Grid
	from  Point
	ascii bool
	cells []stroke // by cell of the grid

	// Of the current line.
	line  int32
	style Style
	kind  uint8
	edge  int32
}

// A stroke contains the lines of one cell.
type stroke struct {
	mask  uint8 // directions of all lines
	kinds uint8 // of all lines
	own   uint8 // directions of the last line
	joint bool  // a line branches here, so it is not only a crossing
	line  int32 // the last line, with its look and its edge
	style Style
	edge  int32
}

// Kinds of lines.
const (
	solid uint8 = 1 << iota
	dash
	dots
)

// begin prepares the brush for another picture.
func (b *brush) begin(grid *Grid, from Point, ascii bool) {
	n := grid.Width * grid.Height
	if cap(b.cells) < n {
		b.cells = make([]stroke, n)
	}
	b.grid, b.from, b.ascii = grid, from, ascii
	b.cells = b.cells[:n]
	clear(b.cells)
}

// touch adds directions to a cell of the drawing.
func (b *brush) touch(x, y int, directions uint8) {
	x, y = x-b.from.X, y-b.from.Y
	if x < 0 || y < 0 || x >= b.grid.Width || y >= b.grid.Height {
		return
	}
	k := &b.cells[y*b.grid.Width+x]
	if k.line != b.line {
		k.line, k.own = b.line, 0
	}
	k.own |= directions
	k.mask |= directions
	k.kinds |= b.kind
	k.joint = k.joint || k.own&(north|south) != 0 && k.own&(east|west) != 0
	k.style, k.edge = b.style, b.edge
}

// finish draws the lines into the grid.
func (b *brush) finish() {
	for y := range b.grid.Height {
		row := b.grid.Row(y)
		for x, k := range b.cells[y*b.grid.Width : (y+1)*b.grid.Width] {
			if k.mask != 0 {
				row[x] = Cell{Text: k.sign(b.ascii), Width: 1, Style: k.style, Edge: k.edge}
			}
		}
	}
}

// sign returns the sign of a cell. It is dashed if all lines of the cell are. Four directions are a crossing, unless
// a line branches there, which has another sign.
func (k *stroke) sign(ascii bool) string {
	signs := &strokes
	switch {
	case k.joint && k.mask == north|east|south|west:
		return crossed(ascii)
	case ascii && k.kinds == dash:
		signs = &asciiDashes
	case ascii && k.kinds == dots:
		signs = &asciiDots
	case ascii:
		signs = &asciis
	case k.kinds == dash:
		signs = &dashes
	case k.kinds == dots:
		signs = &dotted
	}
	return signs[k.mask]
}

// across draws from x to end in row y, including the cells at both ends.
func (b *brush) across(x, end, y int) {
	if y < b.from.Y || y >= b.from.Y+b.grid.Height {
		return
	}
	x0, x1 := max(x, b.from.X-1), min(end, b.from.X+b.grid.Width)
	for at := x0; at <= x1; at++ {
		directions := uint8(0)
		if at > x {
			directions |= west
		}
		if at < end {
			directions |= east
		}
		b.touch(at, y, directions)
	}
}

// down draws from y to end in column x.
func (b *brush) down(x, y, end int) {
	if x < b.from.X || x >= b.from.X+b.grid.Width {
		return
	}
	y0, y1 := max(y, b.from.Y-1), min(end, b.from.Y+b.grid.Height)
	for at := y0; at <= y1; at++ {
		directions := uint8(0)
		if at > y {
			directions |= north
		}
		if at < end {
			directions |= south
		}
		b.touch(x, at, directions)
	}
}
