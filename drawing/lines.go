package drawing

import "strconv"

// Directions in which a line leaves a cell.
const (
	north = 1 << iota
	east
	south
	west
)

// strokes are the signs of lines, by the directions in which they leave the cell.
var (
	strokes = [16]string{" ", "│", "─", "└", "│", "│", "┌", "├", "─", "┘", "─", "┴", "┐", "┤", "┬", "┼"}
	dashes  = [16]string{" ", "╎", "╌", "└", "╎", "╎", "┌", "├", "╌", "┘", "╌", "┴", "┐", "┤", "┬", "┼"}
	dotted  = [16]string{" ", "┊", "┈", "└", "┊", "┊", "┌", "├", "┈", "┘", "┈", "┴", "┐", "┤", "┬", "┼"}

	asciis      = [16]string{" ", "|", "-", "+", "|", "|", "+", "+", "-", "+", "-", "+", "+", "+", "+", "+"}
	asciiDashes = [16]string{" ", ":", "~", "+", ":", ":", "+", "+", "~", "+", "~", "+", "+", "+", "+", "+"}
	asciiDots   = [16]string{" ", ".", ".", "+", ".", ".", "+", "+", ".", "+", ".", "+", "+", "+", "+", "+"}
)

// draw writes the lines beside the rows from first to last, shown as one row at x, y: those of a
// single row if both are the same. The glyph of the row is left to the caller.
func (l *lanes) draw(grid *Grid, x, y int, first, last int32, ascii bool) {
	var mask [2*maxLanes + 1]uint8
	at := l.rows[last].at
	if first > 0 {
		for c, i := range l.rows[first-1].columns {
			if i >= 0 {
				mask[2*c] |= north
			}
		}
	}
	for c, i := range l.rows[last].columns {
		if i >= 0 {
			mask[2*c] |= south
		}
	}
	for r := first; r <= last; r++ {
		for _, i := range l.rows[r].touched {
			if a := &l.all[i]; a.first() < first || a.last() > last {
				across(&mask, a.column, at)
			}
		}
	}
	l.write(grid, x, y, &mask, ascii)
	l.overflow(grid, x, y, last, ascii)
}

// overflow says how many lanes pass for which there was no column.
func (l *lanes) overflow(grid *Grid, x, y int, r int32, ascii bool) {
	n := int(l.rows[r].hidden)
	if n == 0 || l.rows[r].at == maxLanes {
		return
	}
	sign := "┆+"
	if ascii {
		sign = ":+"
	}
	x += 2 * maxLanes
	x += grid.Put(x, y, sign, 2, Style{InkDim, Line}, Nothing)
	grid.Put(x, y, strconv.Itoa(n), 3, Style{InkDim, 0}, Nothing)
}

// across adds the line from a lane to the glyph of the row. A lane without a column is beyond the
// last one.
func across(mask *[2*maxLanes + 1]uint8, column, at int32) {
	if column < 0 {
		column = maxLanes
	}
	for k := 2 * min(column, at); k < 2*max(column, at); k++ {
		mask[k] |= east
		mask[k+1] |= west
	}
}

// below writes the lines that pass between row r and the next one.
func (l *lanes) below(grid *Grid, x, y int, r int32, ascii bool) {
	var mask [2*maxLanes + 1]uint8
	for c, i := range l.rows[r].columns {
		if i >= 0 {
			mask[2*c] |= north | south
		}
	}
	l.write(grid, x, y, &mask, ascii)
	l.overflow(grid, x, y, r, ascii)
}

func (l *lanes) write(grid *Grid, x, y int, mask *[2*maxLanes + 1]uint8, ascii bool) {
	signs := &strokes
	if ascii {
		signs = &asciis
	}
	for k, m := range mask {
		if m != 0 {
			grid.Put(x+k, y, signs[m], 1, Style{InkLine, Line}, Nothing)
		}
	}
}
