package drawing

import kernel "wf/graph/picture"

// move goes to the nearest box in a direction, as one sees it, or within a box to the next row.
func (c *chart) move(from Item, d Direction) Item {
	if to, ok := c.step(from, d); ok {
		return to
	}
	here := c.boxOf(from)
	best, least := -1, 0
	for i := range c.scene.Boxes {
		if cost, ok := c.distance(here, i, d); ok && (best < 0 || cost < least) {
			best, least = i, cost
		}
	}
	if best < 0 {
		return from
	}
	if d == Up {
		return c.last(best)
	}
	return c.item[best]
}

// The weights of cells along the direction of an arrow key and across it. A cell is about twice as high as wide.
const (
	alongWeight  = 1
	acrossWeight = 3
	cellRatio    = 2
)

// distance returns how far a box is from another in a direction. ok is false if it is not in that direction.
func (c *chart) distance(from, to int, d Direction) (cost int, ok bool) {
	a, b := &c.scene.Boxes[from].Rect, &c.scene.Boxes[to].Rect
	var along, across, middle int
	switch d {
	case Right:
		along = b.X - (a.X + a.W)
	case Left:
		along = a.X - (b.X + b.W)
	case Down:
		along = b.Y - (a.Y + a.H)
	case Up:
		along = a.Y - (b.Y + b.H)
	}
	if from == to || along < 0 {
		return 0, false
	}
	if d == Left || d == Right {
		across, middle = gap(a.Y, a.H, b.Y, b.H)*cellRatio, abs(2*a.Y+a.H-2*b.Y-b.H)
	} else {
		along *= cellRatio
		across, middle = gap(a.X, a.W, b.X, b.W), abs(2*a.X+a.W-2*b.X-b.W)/cellRatio
		middle = min(middle, 4*alongWeight*cellRatio-1) // the next row is nearer than any row behind it, also below a wide box
	}
	return 4*(alongWeight*along+acrossWeight*across) + middle, true
}

// gap returns how many cells are between two intervals.
func gap(a, length, b, other int) int { return max(0, b-(a+length)+1, a-(b+other)+1) }

func abs(n int) int { return max(n, -n) }

// step goes from a box to the rows in it, or from row to row. ok is false if the step leads to another box.
func (c *chart) step(from Item, d Direction) (to Item, ok bool) {
	owner := c.graph.owner(from)
	if owner.Kind != ANode || c.scene.Boxes[c.boxOf(owner)].Rows == 0 {
		return Nothing, false
	}
	first, end := c.graph.rowsOf(owner.Index)
	at := first - 1
	if from.Kind == ARow {
		at = int(from.Index)
	}
	switch {
	case d == Down && at+1 < end:
		return Item{ARow, int32(at + 1)}, true
	case d == Up && at > first:
		return Item{ARow, int32(at - 1)}, true
	case d == Up && at == first:
		return owner, true
	}
	return Nothing, false
}

// last returns the last row of a box, or its item if it has none.
func (c *chart) last(box int) Item {
	item := c.item[box]
	if item.Kind == ANode {
		if from, to := c.graph.rowsOf(item.Index); from < to {
			return Item{ARow, int32(to - 1)}
		}
	}
	return item
}

// port returns where the line of a preview meets a box.
func (c *chart) port(item Item) (port, bool) {
	i := c.boxOf(item)
	if i < 0 {
		return port{}, false
	}
	b := &c.scene.Boxes[i]
	to := port{row: c.paint.Text(i), out: b.X + b.W, turnOut: b.X + b.W, in: b.X - 1, turnIn: b.X - 2}
	if c.scene.Form != kernel.Card && c.scene.Form != kernel.Dot && b.H == 1 { // a chip has blanks around its text
		to.in = b.X
		if !c.scene.Down {
			to.out = b.X + 2 + c.paint.Width(b, (&chartSurface{chart: c}).Texts(i))
		}
	}
	if to.turnIn < 0 {
		to.in = -1
	}
	return to, true
}
