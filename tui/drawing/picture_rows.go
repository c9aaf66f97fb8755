package drawing

import "sort"

// Widths that chips reserve for the counts of instances, and minimum widths of open chips.
const (
	instancesWidth = 16
	openWidth      = 40
)

// unfold moves the chips below the rows of a node down, and adds the rows to the order.
func (p *picture) unfold() {
	if len(p.graph.Rows) == 0 || p.stages != nil {
		p.gaps, p.order = nil, p.chipOrder
		return
	}
	below := make([]int, p.layers.rows)
	p.order = nil
	for _, item := range p.chipOrder {
		p.order = append(p.order, item)
		from, to := p.graph.rowsOf(item.Index)
		for i := from; i < to; i++ {
			p.order = append(p.order, Item{ARow, int32(i)})
		}
		row := p.layers.row[p.vertex(item)]
		below[row] = max(below[row], to-from)
	}
	p.gaps = make([]int, p.layers.rows+1)
	for row, n := range below {
		p.gaps[row+1] = p.gaps[row] + n
	}
}

// top returns the first row of cells of a row of the layout.
func (p *picture) top(row int32) int {
	y := int(row) * p.pitch()
	if p.gaps != nil {
		y += p.gaps[row]
	}
	return y
}

// rowAt returns the row of the layout at a row of cells.
func (p *picture) rowAt(y int) int32 {
	if p.gaps == nil || y < 0 {
		return int32(y / p.pitch())
	}
	return int32(sort.Search(p.layers.rows, func(r int) bool { return p.top(int32(r)) > y }) - 1)
}

// whereRow returns the rectangle of a row below a chip.
func (p *picture) whereRow(item Item) Rect {
	r := p.where(p.graph.owner(item))
	first, _ := p.graph.rowsOf(p.graph.owner(item).Index)
	return Rect{r.X, r.Y + p.pitch() + int(item.Index) - first, r.W, 1}
}

// atRow returns the row below a vertex at a row of cells, or the vertex itself.
func (p *picture) atRow(v int32, y int) Item {
	item := p.item[v]
	n := y - p.top(p.layers.row[v]) - p.pitch()
	if item.Kind != ANode || n < 0 {
		return item
	}
	if from, to := p.graph.rowsOf(item.Index); from+n < to {
		return Item{ARow, int32(from + n)}
	}
	return Nothing
}

// step goes from a chip to the rows below it, or from row to row. ok is false if the step leads to another chip.
func (p *picture) step(from Item, d Direction) (to Item, ok bool) {
	owner := p.graph.owner(from)
	if owner.Kind != ANode || p.stages != nil {
		return Nothing, false
	}
	first, end := p.graph.rowsOf(owner.Index)
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

// inside draws the rows below a chip, with a border that starts at the chip.
func (p *picture) inside(x int, v int32) {
	item := p.item[v]
	if item.Kind != ANode || p.gaps == nil {
		return
	}
	from, to := p.graph.rowsOf(item.Index)
	y := p.top(p.layers.row[v]) + p.pitch() - p.brush.from.Y
	for i := from; i < to; i++ {
		w := newPen(p.brush.grid, y+i-from, Item{ARow, int32(i)}, &p.look)
		if w.y < 0 || w.y >= w.grid.Height {
			continue
		}
		side := strokes[north|south]
		if i == to-1 {
			side = frames[0][4]
		}
		if w.ascii {
			side = asciis[north|south]
		}
		(&pen{grid: w.grid, y: w.y, item: w.item}).put(x, side, InkOf(p.states[v]))
		w.inner(x+2, &p.graph.Rows[i], p.labels[v].width-2)
	}
}

// lastOf returns the last row below a chip, or the chip if it has none.
func (p *picture) lastOf(item Item) Item {
	if item.Kind != ANode || p.stages != nil {
		return item
	}
	if from, to := p.graph.rowsOf(item.Index); from < to {
		return Item{ARow, int32(to - 1)}
	}
	return item
}
