package drawing

import "slices"

// maxLanes is how many lanes are drawn side by side; what does not fit is counted.
const maxLanes = 12

// A lane is a line beside the rows, from the first row it serves to the last. Each of its sources
// leads to each of its targets that stands below.
type lane struct {
	sources, targets []int32 // rows, ascending
	weak, via        bool
	column           int32 // -1: there was no room
}

func (l *lane) first() int32 { return l.sources[0] }
func (l *lane) last() int32  { return l.targets[len(l.targets)-1] }

// A laneRow is what stands beside one row.
type laneRow struct {
	at      int32   // column of the row's own glyph
	columns []int32 // lanes that go on below the row, by column; -1 = none
	touched []int32 // lanes that begin, join or end here
	hidden  int32   // lanes without a column that go on below
}

// lanes are the edges of a list of rows.
type lanes struct {
	all   []lane
	rows  []laneRow
	width int // columns in use
}

// newLanes finds lanes for the arcs of w, whose vertices stand in the rows that place gives.
func newLanes(w *web, place []int32) *lanes {
	l := &lanes{all: lanesOf(w, place), rows: make([]laneRow, w.size), width: 1}
	starts, ends := make([][]int32, w.size), make([][]int32, w.size)
	joins := make([][]int32, w.size) // lanes that a row leads to or comes from, without starts
	for i := range l.all {
		for _, r := range l.all[i].sources {
			joins[r] = append(joins[r], int32(i))
		}
		for _, r := range l.all[i].targets {
			ends[r] = append(ends[r], int32(i))
		}
		starts[l.all[i].first()] = append(starts[l.all[i].first()], int32(i))
	}
	var columns []int32
	hidden := int32(0)
	for r := range l.rows {
		row := &l.rows[r]
		row.touched = append(slices.Clone(ends[r]), joins[r]...)
		row.at = l.columnOf(columns, ends[r], int32(r))
		columns = grow(columns, row.at)
		taken := slices.Clone(columns) // a column that ends here is not used again in the same row
		taken[row.at] = -1
		for _, i := range ends[r] {
			switch a := &l.all[i]; {
			case a.last() != int32(r):
			case a.column >= 0:
				columns[a.column] = -1
			default:
				hidden--
			}
		}
		for k, i := range starts[r] {
			c := row.at
			if k > 0 || c >= maxLanes {
				c = firstFree(taken, row.at)
			}
			if c >= maxLanes {
				l.all[i].column = -1
				hidden++
				continue
			}
			l.all[i].column = c
			columns, taken = grow(columns, c), grow(taken, c)
			columns[c], taken[c] = i, i
		}
		row.columns, row.hidden = slices.Clone(columns), hidden
		l.width = max(l.width, len(columns))
		for len(columns) > 0 && columns[len(columns)-1] < 0 {
			columns = columns[:len(columns)-1]
		}
	}
	return l
}

// columnOf is where the glyph of a row goes: where one of its lanes ends, or else where nothing is.
func (l *lanes) columnOf(columns, ends []int32, row int32) int32 {
	best := int32(-1)
	for _, i := range ends {
		if a := &l.all[i]; a.last() == row && a.column >= 0 && (best < 0 || a.column < best) {
			best = a.column
		}
	}
	if best >= 0 {
		return best
	}
	return min(firstFree(columns, -1), maxLanes)
}

// firstFree is the first column without a lane, other than not.
func firstFree(columns []int32, not int32) int32 {
	for c, i := range columns {
		if i < 0 && int32(c) != not {
			return int32(c)
		}
	}
	if n := int32(len(columns)); n != not {
		return n
	}
	return not + 1
}

func grow(columns []int32, to int32) []int32 {
	for int32(len(columns)) <= to {
		columns = append(columns, -1)
	}
	return columns
}

// lanesOf gives the arcs out of a row one lane, apart from those of another kind.
func lanesOf(w *web, place []int32) []lane {
	var all []lane
	for v := range w.size {
		kinds := map[[2]bool]int{}
		for _, i := range w.out[v] {
			a := &w.arcs[i]
			if a.back {
				continue
			}
			kind := [2]bool{a.weak, a.via}
			k, found := kinds[kind]
			if !found {
				k = len(all)
				kinds[kind] = k
				all = append(all, lane{sources: []int32{place[v]}, weak: a.weak, via: a.via})
			}
			all[k].targets = append(all[k].targets, place[a.to])
		}
	}
	for i := range all {
		slices.Sort(all[i].targets)
	}
	slices.SortStableFunc(all, func(a, b lane) int { return int(a.first()) - int(b.first()) })
	return all
}
