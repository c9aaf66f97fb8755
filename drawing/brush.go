package drawing

// A brush draws the lines of the part of a picture that is visible. A cell may belong to several
// lines: it has the directions of all of them and the look of the one that came last.
type brush struct {
	grid   *Grid
	from   Point
	ascii  bool
	mask   []uint8 // by cell of the grid
	dashed []uint8 // by cell: which kinds of lines it has, as bits
	style  Style
	kind   uint8
	edge   int32
}

// Kinds of lines.
const (
	solid uint8 = 1 << iota
	dash
	dots
)

// begin prepares for another frame.
func (b *brush) begin(grid *Grid, from Point, ascii bool) {
	n := grid.Width * grid.Height
	if cap(b.mask) < n {
		b.mask, b.dashed = make([]uint8, n), make([]uint8, n)
	}
	b.grid, b.from, b.ascii = grid, from, ascii
	b.mask, b.dashed = b.mask[:n], b.dashed[:n]
	clear(b.mask)
	clear(b.dashed)
}

// touch adds directions to a cell of the drawing.
func (b *brush) touch(x, y int, directions uint8) {
	x, y = x-b.from.X, y-b.from.Y
	if x < 0 || y < 0 || x >= b.grid.Width || y >= b.grid.Height {
		return
	}
	i := y*b.grid.Width + x
	b.mask[i] |= directions
	b.dashed[i] |= b.kind
	c := &b.grid.Row(y)[x]
	c.Style, c.Edge, c.Width = b.style, b.edge, 1
	c.Text = b.sign(b.mask[i], b.dashed[i])
}

// sign is the sign of a line: dashed where all lines of the cell are.
func (b *brush) sign(mask, kinds uint8) string {
	switch {
	case b.ascii && kinds == solid:
		return asciis[mask]
	case b.ascii && kinds == dash:
		return asciiDashes[mask]
	case b.ascii:
		return asciiDots[mask]
	case kinds == dash:
		return dashes[mask]
	case kinds == dots:
		return dotted[mask]
	}
	return strokes[mask]
}

// across draws from x to end in row y, into both of the cells at the ends.
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

// stamp puts a sign on a cell of a line.
func (b *brush) stamp(x, y int, sign string, style Style) {
	if c := b.grid.At(x-b.from.X, y-b.from.Y); c != nil {
		c.Text, c.Style = sign, style
	}
}
