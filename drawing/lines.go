package drawing

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
	asciis  = [16]string{" ", "|", "-", "+", "|", "|", "+", "+", "-", "+", "-", "+", "+", "+", "+", "+"}
)

// draw writes the lines beside row r into grid, from x, y on.
func (l *lanes) draw(grid *Grid, x, y, r int, ascii bool) {
	row := &l.rows[r]
	var above []int32
	if r > 0 {
		above = l.rows[r-1].columns
	}
	mask := make([]uint8, 2*(maxLanes+1))
	for c, i := range above {
		if i >= 0 {
			mask[2*c] |= north
		}
	}
	for c, i := range row.columns {
		if i >= 0 {
			mask[2*c] |= south
		}
	}
	for _, i := range row.touched {
		if c := l.all[i].column; c >= 0 && c != row.at {
			from, to := 2*min(c, row.at), 2*max(c, row.at)
			for k := from; k <= to; k++ {
				if k > from {
					mask[k] |= west
				}
				if k < to {
					mask[k] |= east
				}
			}
		}
	}
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
