package drawing

import (
	"cmp"
	"math"
	"slices"
)

// A block is a set of points in neighbouring layers that have the same row, so that the line between them is
// straight.
type block struct {
	points       []int32
	above, below []int32 // blocks with a neighbour in a common layer
	row          int32
}

// straighten assigns rows to the points. For each pair of layers it first chooses the most valuable set of lines that
// can be straight at the same time; points on a straight line become a block. The blocks are packed as far up as
// possible, and then moved to where their lines are shortest.
func (l *layers) straighten() {
	l.row = make([]int32, len(l.Points))
	partner := make([]int32, len(l.Points)) // neighbour to the right in the same block, or -1
	for p := range partner {
		partner[p] = -1
	}
	for i := range l.Order {
		for _, s := range l.straight(i) {
			partner[s.left] = s.right
		}
	}
	blocks, of := l.blocks(partner)
	order := stack(blocks)
	l.apart(blocks)
	l.setRows(blocks, of)
	for range 3 {
		l.pull(blocks, of, order, true)
		l.pull(blocks, of, order, false)
	}
}

// A step is a pair of ends of a link that could be in the same row.
type step struct {
	left, right int32
	worth       int32
}

// The values of straight lines: chains of nodes are worth most, then long lines, then branches.
const (
	worthChain  = 12
	worthPass   = 8
	worthEnter  = 6
	worthTop    = 3
	worthBranch = 2
)

// steps lists the possible straight lines after layer i. A link with several ends on both sides contributes only its
// topmost ends.
func (l *layers) steps(i int) []step {
	var steps []step
	for _, n := range l.Between[i] {
		a := &l.links[n]
		left := slices.MinFunc(a.Left, l.byPos)
		right := slices.MinFunc(a.Right, l.byPos)
		for _, q := range a.Right {
			steps = append(steps, step{left, q, l.worth(a, left, q, q == right)})
		}
		for _, p := range a.Left {
			if p != left {
				steps = append(steps, step{p, right, l.worth(a, p, right, false)})
			}
		}
	}
	slices.SortFunc(steps, func(s, t step) int {
		return cmp.Or(cmp.Compare(l.Pos[s.left], l.Pos[t.left]), cmp.Compare(l.Pos[t.right], l.Pos[s.right]))
	})
	return steps
}

func (l *layers) byPos(p, q int32) int { return int(l.Pos[p]) - int(l.Pos[q]) }

func (l *layers) worth(a *link, p, q int32, top bool) int32 {
	passesLeft, passesRight := l.Points[p].Vertex < 0, l.Points[q].Vertex < 0
	switch {
	case passesLeft && passesRight:
		return worthPass
	case len(a.Left) == 1 && len(a.Right) == 1 && !passesLeft && !passesRight:
		return worthChain
	case len(a.Left) == 1 && len(a.Right) == 1:
		return worthEnter
	case top:
		return worthTop
	}
	return worthBranch
}

// straight chooses the steps after layer i that do not cross and have the highest total value: the heaviest ascending
// sequence, found with a Fenwick tree over the positions on the right.
func (l *layers) straight(i int) []step {
	if len(l.Between[i]) == 0 {
		return nil
	}
	steps := l.steps(i)
	sum := make([]int32, len(steps))
	before := make([]int32, len(steps))
	tree := make([]int32, len(l.Order[i+1])+1) // number + 1 of the best step so far that ends at this position or before
	best := int32(-1)
	for k, s := range steps { // from top to bottom on the left, and for each from bottom to top on the right
		pos := int(l.Pos[s.right])
		before[k] = -1
		for x := pos; x > 0; x -= x & -x {
			if j := tree[x] - 1; j >= 0 && (before[k] < 0 || sum[j] > sum[before[k]]) {
				before[k] = j
			}
		}
		sum[k] = s.worth
		if before[k] >= 0 {
			sum[k] += sum[before[k]]
		}
		for x := pos + 1; x < len(tree); x += x & -x {
			if tree[x] == 0 || sum[k] > sum[tree[x]-1] {
				tree[x] = int32(k) + 1
			}
		}
		if best < 0 || sum[k] > sum[best] {
			best = int32(k)
		}
	}
	var chosen []step
	for k := best; k >= 0; k = before[k] {
		chosen = append(chosen, steps[k])
	}
	return chosen
}

// blocks joins points and their partners into blocks, and returns the block of each point.
func (l *layers) blocks(partner []int32) (blocks []block, of []int32) {
	of = make([]int32, len(l.Points))
	for p := range of {
		of[p] = -1
	}
	for _, layer := range l.Order {
		for _, p := range layer {
			if of[p] >= 0 {
				continue
			}
			b := block{}
			for q := p; q >= 0; q = partner[q] {
				of[q] = int32(len(blocks))
				b.points = append(b.points, q)
			}
			blocks = append(blocks, b)
		}
	}
	for _, layer := range l.Order {
		for k := 1; k < len(layer); k++ {
			if l.Points[layer[k-1]].Part != l.Points[layer[k]].Part {
				continue
			}
			a, b := of[layer[k-1]], of[layer[k]]
			blocks[a].below = append(blocks[a].below, b)
			blocks[b].above = append(blocks[b].above, a)
		}
	}
	return blocks, of
}

// stack assigns to each block the first row below all blocks that must be above it, and returns the blocks in such an
// order. It always exists, because straight lines do not cross.
func stack(blocks []block) []int32 {
	missing := make([]int, len(blocks))
	var order []int32
	for i := range blocks {
		if missing[i] = len(blocks[i].above); missing[i] == 0 {
			order = append(order, int32(i))
		}
	}
	for k := 0; k < len(order); k++ {
		b := &blocks[order[k]]
		for _, i := range b.below {
			blocks[i].row = max(blocks[i].row, b.row+1)
			if missing[i]--; missing[i] == 0 {
				order = append(order, i)
			}
		}
	}
	if len(order) != len(blocks) {
		panic("internal error: straight lines cross")
	}
	return order
}

// apart moves each component below the previous one.
func (l *layers) apart(blocks []block) {
	l.bottoms = nil // of the components, while each of them begins in row 0
	for i := range blocks {
		part := int(l.Points[blocks[i].points[0]].Part)
		for len(l.bottoms) <= part {
			l.bottoms = append(l.bottoms, 0)
		}
		l.bottoms[part] = max(l.bottoms[part], blocks[i].row)
	}
	tops := make([]int32, len(l.bottoms))
	for part := 1; part < len(tops); part++ {
		tops[part] = l.bottoms[part-1] + 1
		l.bottoms[part] += tops[part]
	}
	for i := range blocks {
		blocks[i].row += tops[l.Points[blocks[i].points[0]].Part]
	}
}

// setRows assigns the rows of the blocks to their points and sets the ends of the links.
func (l *layers) setRows(blocks []block, of []int32) {
	l.rows = 0
	for p := range l.Points {
		l.row[p] = blocks[of[p]].row
		l.rows = max(l.rows, int(l.row[p])+1)
	}
	for i := range l.links {
		a := &l.links[i]
		a.top, a.bottom = l.row[a.Left[0]], l.row[a.Left[0]]
		a.top2, a.bottom2 = math.MaxInt32, -1
		for _, ends := range [2][]int32{a.Left, a.Right} {
			for _, p := range ends {
				a.extend(l.row[p])
			}
		}
	}
}

// extend includes another end in the range of a link.
func (a *link) extend(row int32) {
	switch {
	case row < a.top:
		a.top, a.top2 = row, a.top
	case row > a.top && row < a.top2:
		a.top2 = row
	}
	switch {
	case row > a.bottom:
		a.bottom, a.bottom2 = row, a.bottom
	case row < a.bottom && row > a.bottom2:
		a.bottom2 = row
	}
}

// pull moves blocks to where their lines are shortest, as far as there is room: down, starting with the last block,
// or up, starting with the first.
func (l *layers) pull(blocks []block, of, order []int32, down bool) {
	var ends []int32
	for k := range order {
		i := order[k]
		if down {
			i = order[len(order)-1-k]
		}
		b := &blocks[i]
		if ends = l.ends(b, ends[:0]); len(ends) == 0 {
			continue
		}
		slices.Sort(ends)
		low, high := ends[(len(ends)-1)/2], ends[len(ends)/2]
		wish := min(max(b.row, low), high)
		if down {
			limit := l.bottoms[l.Points[b.points[0]].Part]
			for _, j := range b.below {
				limit = min(limit, blocks[j].row-1)
			}
			b.row = max(b.row, min(wish, limit))
		} else {
			limit := l.topOf(l.Points[b.points[0]].Part)
			for _, j := range b.above {
				limit = max(limit, blocks[j].row+1)
			}
			b.row = min(b.row, max(wish, limit))
		}
	}
	l.setRows(blocks, of)
}

// topOf returns the first row of a component.
func (l *layers) topOf(part int32) int32 {
	if part == 0 {
		return 0
	}
	return l.bottoms[part-1] + 1
}

// ends appends the outermost rows of the opposite ends of each link at block b.
func (l *layers) ends(b *block, ends []int32) []int32 {
	for _, p := range b.points {
		for _, links := range [2][]int32{l.Points[p].Left, l.Points[p].Right} {
			for _, n := range links {
				a := &l.links[n]
				low, high := a.top, a.bottom
				if low == b.row {
					low = a.top2
				}
				if high == b.row {
					high = a.bottom2
				}
				if low < high || low == high && low != b.row {
					ends = append(ends, low, high)
				}
			}
		}
	}
	return ends
}
