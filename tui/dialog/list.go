package dialog

import "wf/tui/cells"

// A List is a selection in a scrolling list of rows.
type List struct {
	At, Top, Size int
	Height        int // of the latest screen
}

// Move applies a key to the list.
func (l *List) Move(key string) {
	switch key {
	case "up", "k":
		l.At--
	case "down", "j":
		l.At++
	case "pgup":
		l.At -= max(1, l.Height-1)
	case "pgdown", "space":
		l.At += max(1, l.Height-1)
	case "home", "g":
		l.At = 0
	case "end", "G":
		l.At = l.Size - 1
	}
	l.At = max(0, min(l.At, l.Size-1))
}

// Fit sets the number of rows, and scrolls so that the selection is visible in height rows.
func (l *List) Fit(size, height int) {
	l.Size, l.Height = size, height
	l.At = max(0, min(l.At, size-1))
	l.Top = min(l.Top, l.At)
	l.Top = max(l.Top, l.At-height+1, 0)
}

// Rows draws the visible rows into a, from top to bottom, and highlights the selected one.
func (l *List) Rows(a cells.Area, size int, draw func(i int, row cells.Area)) {
	l.Fit(size, a.Height)
	for y := range min(a.Height, size-l.Top) {
		row := a.Row(y)
		draw(l.Top+y, row)
		if l.Top+y == l.At {
			row.Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
		}
	}
}
