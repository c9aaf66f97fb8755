package drawing

import (
	"slices"

	"wf/tui/cells"
)

// The directions of a line from a cell, as bits.
const (
	north = 1 << iota
	east
	south
	west
)

// strokes are the signs of lines, by the directions of the line. In ASCII, the line from top to bottom hides one that it only
// crosses.
var (
	strokes = [16]string{" ", "│", "─", "╰", "│", "│", "╭", "├", "─", "╯", "─", "┴", "╮", "┤", "┬", "┼"}
	dashes  = [16]string{" ", "╎", "╌", "╰", "╎", "╎", "╭", "├", "╌", "╯", "╌", "┴", "╮", "┤", "┬", "┼"}
	dotted  = [16]string{" ", "┊", "┈", "╰", "┊", "┊", "╭", "├", "┈", "╯", "┈", "┴", "╮", "┤", "┬", "┼"}
	ends    = [16]string{1: "╵", 2: "╶", 4: "╷", 8: "╴"} // of lines of the graph

	asciis      = [16]string{" ", "|", "-", "`", "|", "|", ",", "#", "-", "'", "-", "#", ",", "#", "#", "|"}
	asciiDashes = [16]string{" ", ":", `"`, "`", ":", ":", ",", "#", `"`, "'", `"`, "#", ",", "#", "#", ":"}
	asciiDots   = [16]string{" ", ";", ";", "`", ";", ";", ",", "#", ";", "'", ";", "#", ",", "#", "#", ";"}
)

// crossed returns the sign for four directions where a line branches. It differs from the sign of a crossing.
func crossed(ascii bool) string { return cells.Either(ascii, "#", "╋") }

// A laneMask contains the lines beside one row: two columns for each lane.
type laneMask [2 * max(maxLanes+1, starColumns)]laneCell

type laneCell struct {
	mask  uint8
	kinds uint8
	joint bool
	head  int8 // an arrowhead: 1 to the right, -1 to the left
	lane  int32
	near  bool
}

// An interval is a range of rows, both included.
type interval struct{ top, bottom int32 }

// A laneLook is how a picture shows the lanes: their inks, and the rows in which they lead to or from the selected
// row.
type laneLook struct {
	inks     []Ink
	near     []interval // by lane; bottom < top = none
	selected int32      // the selected row, or -1
}

// look prepares a picture; state returns the state of a row. selected is the selected row, or -1.
func (l *lanes) look(k *laneLook, selected int32, state func(row int32) State) {
	if l.star != nil {
		l.all = l.star.lanes(selected)
	}
	k.selected = selected
	k.inks, k.near = k.inks[:0], k.near[:0]
	for i := range l.all {
		a := &l.all[i]
		worst := state(a.sources[0])
		for _, r := range a.sources[1:] {
			worst = Worst(worst, state(r))
		}
		k.inks = append(k.inks, InkOf(worst))
		near := interval{0, -1}
		if _, from := slices.BinarySearch(a.sources, selected); from {
			near = interval{selected, a.last()}
		} else if _, to := slices.BinarySearch(a.targets, selected); to {
			near = interval{a.first(), selected}
		}
		k.near = append(k.near, near)
	}
}

// draw draws the lines beside row r at y. The caller draws the glyph of the row.
func (l *lanes) draw(grid *Grid, y int, r int32, k *laneLook, ascii bool) {
	var mask laneMask
	if r > 0 {
		for c, i := range l.row(r - 1).columns {
			l.add(&mask, 2*c, north, i, k, r-1, r)
		}
	}
	row := l.row(r)
	for c, i := range row.columns {
		l.add(&mask, 2*c, south, i, k, r, r+1)
	}
	for _, near := range [...]bool{false, true} { // the lanes of the selection are drawn over the others
		for _, i := range row.touched {
			if l.nearRow(i, r, k) == near {
				l.across(&mask, i, row.at, r, k)
			}
		}
	}
	l.write(grid, y, &mask, k, ascii)
}

// nearRow reports whether the branch of a lane in row r leads to or from the selected row.
func (l *lanes) nearRow(i, r int32, k *laneLook) bool {
	near := k.near[i]
	if r < near.top || r > near.bottom {
		return false
	}
	if r == k.selected {
		return true
	}
	ends := l.all[i].sources
	if near.top == k.selected {
		ends = l.all[i].targets
	}
	_, found := slices.BinarySearch(ends, r)
	return found
}

// add adds the part of lane i in a cell between the rows from and to.
func (l *lanes) add(mask *laneMask, at int, direction uint8, i int32, k *laneLook, from, to int32) {
	if i < 0 {
		return
	}
	c := &mask[at]
	c.mask |= direction
	c.kinds |= l.all[i].kind()
	near := from >= k.near[i].top && to <= k.near[i].bottom
	if near || !c.near {
		c.lane, c.near = i, near
	}
}

// across adds the line from a lane to the glyph of the row.
func (l *lanes) across(mask *laneMask, i, at, r int32, k *laneLook) {
	column := l.all[i].column
	mask[2*column].joint = true
	near := l.nearRow(i, r, k)
	for x := 2 * min(column, at); x <= 2*max(column, at); x++ {
		c := &mask[x]
		if x < 2*max(column, at) {
			c.mask |= east
		}
		if x > 2*min(column, at) {
			c.mask |= west
		}
		c.kinds |= l.all[i].kind()
		if near || !c.near {
			c.lane, c.near = i, near
		}
	}
	if _, arrives := slices.BinarySearch(l.all[i].targets, r); arrives {
		if column < at {
			mask[2*at-1].head = 1
		} else if column > at {
			mask[2*at+1].head = -1
		}
	}
}

func (a *lane) kind() uint8 { return kindOf(a.weak, a.via) }

// kindOf returns the kind of the line of an arc.
func kindOf(weak, via bool) uint8 {
	switch {
	case via:
		return dots
	case weak:
		return dash
	}
	return solid
}

// below draws the lines between row r and the next one.
func (l *lanes) below(grid *Grid, y int, r int32, k *laneLook, ascii bool) {
	var mask laneMask
	for c, i := range l.row(r).columns {
		l.add(&mask, 2*c, north|south, i, k, r, r+1)
	}
	l.write(grid, y, &mask, k, ascii)
}

func (l *lanes) write(grid *Grid, y int, mask *laneMask, k *laneLook, ascii bool) {
	for x := range mask {
		c := &mask[x]
		if c.mask == 0 || x >= grid.Width {
			continue
		}
		style := Style{k.inks[c.lane], Line}
		if c.near {
			style.Mods |= Near
		} else if k.selected >= 0 {
			style.Mods |= Faint
		}
		text := (&stroke{mask: c.mask, kinds: c.kinds, joint: c.joint}).sign(ascii)
		switch c.head {
		case 1:
			text = cells.Either(ascii, ">", "▸")
		case -1:
			text = cells.Either(ascii, "<", "◂")
		}
		grid.Row(y)[x] = Cell{Text: text, Width: 1, Style: style, Edge: l.all[c.lane].edge}
	}
}
