package drawing

import (
	"slices"

	"wf/tui/cells"
	"wf/tui/words"
)

// A Preview is an edge that the user is about to add. It is drawn over the drawing and is not part of the layout, so
// that nothing moves while the user chooses.
type Preview struct {
	From        []Item
	To          Item
	NonBlocking bool
	Refused     bool // the edge cannot be added
}

// A port describes where the lines of a Preview can meet an item: columns and the row of the drawing. Lines go up and
// down in the turn columns, which contain no text.
type port struct {
	row          int
	out, turnOut int // lines start at out
	in, turnIn   int // lines end at in; in < 0 = no room there, so they return to out
}

// Preview draws p into grid, which Draw has drawn from the same point. If an end is hidden, or both ends are the same
// item, it draws nothing.
func (l *Layout) Preview(grid *Grid, from Point, p Preview) {
	to, ok := l.view.port(l.view.seen(p.To))
	if !ok {
		return
	}
	b := &brush{}
	b.begin(grid, from, l.look.ASCII)
	b.line, b.edge, b.kind = 1, -1, solid
	if p.NonBlocking {
		b.kind = dash
	}
	b.style = Style{InkText, Line | Near}
	if p.Refused {
		b.style = Style{InkOf(Failed), Line}
	}
	drawn := false
	for _, source := range p.From {
		item := l.view.seen(source)
		at, ok := l.view.port(item)
		if ok && item != l.view.seen(p.To) {
			b.connect(at, to)
			drawn = true
		}
	}
	if !drawn {
		return
	}
	b.overlay()
	x, arrow := to.in, cells.Either(l.look.ASCII, ">", "▸")
	if x < 0 {
		x, arrow = to.out, cells.Either(l.look.ASCII, "<", "◂")
	}
	if c := b.grid.At(x-from.X, to.row-from.Y); c != nil && c.Style.Mods&Line != 0 {
		c.Text = arrow // the line has ended behind the text
	}
}

// connect draws the line from one port to another: up or down behind the source, along the row with the fewest
// crossings, and up or down to the row of the target.
func (b *brush) connect(from, to port) {
	end, turn := to.in, to.turnIn
	if to.in < 0 {
		end, turn = to.out, to.turnOut
	}
	row := from.row
	if from.turnOut != turn {
		row = b.freest(from, to.row, turn)
	}
	for _, part := range [...][3]int{{from.out, from.turnOut, from.row}, {from.turnOut, turn, row}, {turn, end, to.row}} {
		b.across(min(part[0], part[1]), max(part[0], part[1]), part[2])
	}
	b.down(from.turnOut, min(from.row, row), max(from.row, row))
	b.down(turn, min(row, to.row), max(row, to.row))
}

// The cost of a cell of text, of a cell of another line, of a row of distance, and of a row that is neither that of
// the source nor that of the target.
const (
	textCost = 50
	lineCost = 5
	wayCost  = 3
	bendCost = 20
)

// freest returns the visible row with the lowest cost for a line between two columns.
func (b *brush) freest(from port, target, turn int) int {
	best, least := target, -1
	for y := range b.grid.Height {
		row := y + b.from.Y
		cost := wayCost * (max(row, from.row, target) - min(row, from.row, target))
		if row != from.row && row != target {
			cost += bendCost
		}
		for x := max(min(from.turnOut, turn)-b.from.X, 0); x <= min(max(from.turnOut, turn)-b.from.X, b.grid.Width-1); x++ {
			switch c := b.grid.At(x, y); {
			case c.Style.Mods&Line != 0:
				cost += lineCost
			case c.Item != Nothing:
				cost += textCost
			}
		}
		if least < 0 || cost < least {
			best, least = row, cost
		}
	}
	return best
}

// overlay draws the lines into the grid like finish, but behind texts.
func (b *brush) overlay() {
	for y := range b.grid.Height {
		row := b.grid.Row(y)
		for x := range row {
			k := &b.cells[y*b.grid.Width+x]
			switch below := row[x].Style.Mods&Line != 0; {
			case below && k.mask != 0: // both lines are visible where they cross
				k.cross(row[x].Text, b.ascii)
			case !below && row[x].Item != Nothing:
				k.mask = 0
			}
		}
	}
	b.finish()
}

// cross adds the directions of the line that a cell shows already. In ASCII, a sign does not tell all of them.
func (k *stroke) cross(text string, ascii bool) {
	switch {
	case !ascii:
		k.mask |= uint8(max(slices.Index(strokes[:], text), slices.Index(ends[:], text), 0))
	case text == words.SignJoint.ASCII:
		k.mask, k.joint = north|east|south|west, true
	case text == asciis[north|south]:
		k.mask |= north | south
	case text == asciis[east|west]:
		k.mask |= east | west
	default:
		k.mask |= uint8(max(slices.Index(asciis[:], text), 0))
	}
}

// rowPort returns the port of a row beside lanes: the two columns between them and the name.
func rowPort(lanes *lanes, row int) port {
	x := 2 * lanes.width
	return port{row: row, out: x, turnOut: x - 1, in: x, turnIn: x - 1}
}

func (l *list) port(item Item) (port, bool) {
	if item == Nothing {
		return port{}, false
	}
	return rowPort(l.lanes, l.where(item).Y), true
}
