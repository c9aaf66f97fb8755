package drawing

import (
	"cmp"
	"slices"
)

// maxLanes is the maximum number of lanes side by side; a glyph can be beside them, in a column of its own. A list that needs
// more lanes shows only those of its selection.
const maxLanes = 6

// A lane is a line beside the rows, from the first to the last row of its edges. Each of its sources leads to each of
// its targets, which are all below them.
type lane struct {
	sources, targets []int32 // rows, ascending
	weak, via        bool
	column           int32
	edge             int32 // number of the edge if the lane is a single one, otherwise -1
}

func (l *lane) first() int32 { return l.sources[0] }
func (l *lane) last() int32  { return l.targets[len(l.targets)-1] }

// A laneRow describes the lanes beside one row.
type laneRow struct {
	at      int32   // column of the row's glyph
	columns []int32 // lanes that continue below the row, by column; -1 = none
	touched []int32 // lanes that start, join or end here
}

// lanes are the edges of a list of rows.
type lanes struct {
	all   []lane
	rows  []laneRow // unused if star is not nil
	width int       // columns in use
	star  *star     // of a crowded list: only the lanes of the selected row are shown; otherwise nil
}

// newLanes creates lanes for the arcs of w; place contains the row of each vertex.
func newLanes(w *web, place []int32) *lanes {
	l := &lanes{all: lanesOf(w, place), rows: make([]laneRow, w.size), width: 1}
	if !l.arrange() {
		return crowdedLanes(w, place)
	}
	return l
}

// crowdedLanes creates the lanes of a list that shows only those of its selected row.
func crowdedLanes(w *web, place []int32) *lanes {
	s := newStar(w, place)
	return &lanes{width: s.width(), star: s}
}

// arrange gives each lane and each glyph a column. It reports whether maxLanes columns suffice for the lanes, and stops
// if they do not.
func (l *lanes) arrange() bool {
	ends := make([][]int32, len(l.rows))   // lanes by target
	begins := make([][]int32, len(l.rows)) // lanes by first source
	for i := range l.all {
		a := &l.all[i]
		for _, r := range a.targets {
			ends[r] = append(ends[r], int32(i))
		}
		for _, r := range a.sources {
			l.rows[r].touched = append(l.rows[r].touched, int32(i))
		}
		begins[a.first()] = append(begins[a.first()], int32(i))
	}
	var columns []int32
	for r := range l.rows {
		row := &l.rows[r]
		row.touched = append(row.touched, ends[r]...)
		row.at = l.columnOf(columns, int32(r), ends[r])
		columns = l.next(columns, int32(r), ends[r], begins[r])
		row.columns = slices.Clone(columns)
		l.width = max(l.width, len(columns))
		for _, i := range begins[r] {
			if l.all[i].column >= maxLanes {
				return false
			}
		}
		for len(columns) > 0 && columns[len(columns)-1] < 0 {
			columns = columns[:len(columns)-1]
		}
	}
	return true
}

// row describes the lanes beside row r. In a crowded list, the next call overwrites its slices.
func (l *lanes) row(r int32) laneRow {
	if l.star != nil {
		return l.star.row(l.all, r)
	}
	return l.rows[r]
}

// columnOf returns the column of the glyph of row r: the column of a lane that ends there, otherwise a free column
// near the lanes that lead to the row.
func (l *lanes) columnOf(columns []int32, r int32, ends []int32) int32 {
	best, near := int32(-1), int32(0)
	for _, i := range ends {
		a := &l.all[i]
		near = max(near, a.column)
		if a.last() == r && (best < 0 || a.column < best) {
			best = a.column
		}
	}
	if best >= 0 {
		return best
	}
	return freeColumn(columns, near)
}

// next ends and starts the lanes of row r and returns those that continue below it.
func (l *lanes) next(columns []int32, r int32, ends, begins []int32) []int32 {
	row := &l.rows[r]
	columns = grow(slices.Clone(columns), row.at)
	taken := slices.Clone(columns) // a column that becomes free in this row is not used again in it
	taken[row.at] = row.at
	for _, i := range ends {
		if a := &l.all[i]; a.last() == r {
			columns[a.column] = -1
		}
	}
	// The lane to the nearest row stays in the column of the glyph, so that chains are straight.
	slices.SortStableFunc(begins, func(i, j int32) int {
		return cmp.Or(cmp.Compare(l.all[i].targets[0], l.all[j].targets[0]), cmp.Compare(l.all[i].last(), l.all[j].last()))
	})
	for k, i := range begins {
		c := row.at
		if k > 0 {
			c = freeColumn(taken, row.at)
		}
		l.all[i].column = c
		columns, taken = grow(columns, c), grow(taken, c)
		columns[c], taken[c] = i, i
	}
	return columns
}

// freeColumn returns the free column nearest to near, or a new one.
func freeColumn(columns []int32, near int32) int32 {
	best := int32(len(columns))
	for c, i := range columns {
		if i < 0 && (best == int32(len(columns)) || apart(int32(c), near) < apart(best, near)) {
			best = int32(c)
		}
	}
	return best
}

func apart(a, b int32) int32 { return max(a, b) - min(a, b) }

func grow(columns []int32, to int32) []int32 {
	for int32(len(columns)) <= to {
		columns = append(columns, -1)
	}
	return columns
}

// lanesOf creates a lane for each share of arcs between rows.
func lanesOf(w *web, place []int32) []lane {
	var all []lane
	rows := func(vertices []int32) []int32 {
		list := make([]int32, len(vertices))
		for i, v := range vertices {
			list[i] = place[v]
		}
		slices.Sort(list)
		return list
	}
	for _, s := range shares(w, place) {
		a := lane{sources: rows(s.Sources), targets: rows(s.Targets), weak: s.weak, via: s.via, edge: -1}
		if len(s.arcs) == 1 {
			a.edge = w.arcs[s.arcs[0]].edge
		}
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b lane) int {
		return cmp.Or(cmp.Compare(a.first(), b.first()), cmp.Compare(a.last(), b.last()))
	})
	return all
}
