package picture

// Rune returns the sign of a cell of lines, ' ' if it is empty. Where lines cross, the one from top to bottom hides the
// other one: a crossing never looks like a junction.
func (c Cell) Rune() rune {
	switch {
	case c.Track < 0:
		return ' '
	case c.Head:
		return [...]rune{'▴', '▸', '▾', '◂'}[c.Into]
	case c.Weak && c.Arms == 1<<Left|1<<Right:
		return '╌'
	case c.Weak && c.Arms == 1<<Up|1<<Down:
		return '╎'
	}
	return lines[c.Arms]
}

// lines are the signs of cells by their arms: up 1, right 2, down 4, left 8.
var lines = [16]rune{' ', '╵', '╶', '╰', '╷', '│', '╭', '├', '╴', '╯', '─', '┴', '╮', '┤', '┬', '┼'}

// ASCII returns the sign of a cell of lines in ASCII. A corner is ' or , or a backquote; # joins lines; ^>v< are
// arrowheads; : and " are dashed.
func (c Cell) ASCII() rune {
	switch {
	case c.Track < 0:
		return ' '
	case c.Head:
		return [...]rune{'^', '>', 'v', '<'}[c.Into]
	case c.Weak && c.Arms == 1<<Left|1<<Right:
		return '"'
	case c.Weak && c.Arms == 1<<Up|1<<Down:
		return ':'
	}
	return plainLines[c.Arms]
}

var plainLines = [16]rune{' ', '|', '-', '`', '|', '|', ',', '#', '-', '\'', '-', '#', ',', '#', '#', '#'}
