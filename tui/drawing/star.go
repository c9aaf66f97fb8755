package drawing

import "slices"

// A star is the lanes of a crowded list: only those that lead to or from the selected row. Lanes to the selected row
// are on the left of the glyphs and lanes from it on their right, one for each kind of line, so that no line seems to
// go on from the sources of the selected row to its targets. The columns depend on the web only: nothing moves when the
// selection does.
type star struct {
	web    *web
	place  []int32 // row by vertex
	vertex []int32 // by row
	slots  []uint8 // kinds of lines in the web, as of lane.kind; the first is nearest to the glyphs

	columns, touched []int32 // of the latest row
}

// starColumns is the maximum number of columns of a star: one for the glyphs, and one on each side for each kind of line.
const starColumns = 2*3 + 1

func newStar(w *web, place []int32) *star {
	s := &star{web: w, place: place, vertex: make([]int32, w.size)}
	for v, r := range place {
		s.vertex[r] = int32(v)
	}
	for _, kind := range []uint8{solid, dash, dots} {
		if slices.ContainsFunc(w.arcs, func(a arc) bool { return !a.back && kindOf(a.weak, a.via) == kind }) {
			s.slots = append(s.slots, kind)
		}
	}
	return s
}

func (s *star) width() int { return 2*len(s.slots) + 1 }

// lanes returns the lanes to and from a row; none if it is -1.
func (s *star) lanes(selected int32) []lane {
	var all []lane
	if selected < 0 {
		return all
	}
	v := s.vertex[selected]
	for slot, kind := range s.slots {
		if rows, a := s.ends(s.web.in[v], kind, false); rows != nil {
			a.sources, a.targets, a.column = rows, []int32{selected}, int32(len(s.slots)-1-slot)
			all = append(all, a)
		}
		if rows, a := s.ends(s.web.out[v], kind, true); rows != nil {
			a.sources, a.targets, a.column = []int32{selected}, rows, int32(len(s.slots)+1+slot)
			all = append(all, a)
		}
	}
	return all
}

// ends returns the rows at the other ends of the arcs that are drawn with a kind of line, in ascending order, and a lane
// that looks like these arcs; nil if there are no such arcs.
func (s *star) ends(arcs []int32, kind uint8, forward bool) ([]int32, lane) {
	var rows []int32
	look := lane{edge: -1}
	for _, i := range arcs {
		a := &s.web.arcs[i]
		if a.back || kindOf(a.weak, a.via) != kind {
			continue
		}
		end := a.from
		if forward {
			end = a.to
		}
		rows = append(rows, s.place[end])
		look.weak, look.via, look.edge = a.weak, a.via, a.edge
	}
	if len(rows) > 1 {
		look.edge = -1
	}
	slices.Sort(rows)
	return rows, look
}

// row describes the lanes beside a row. The next call overwrites its slices.
func (s *star) row(all []lane, r int32) laneRow {
	s.columns = s.columns[:0]
	for range s.width() {
		s.columns = append(s.columns, -1)
	}
	s.touched = s.touched[:0]
	for i := range all {
		a := &all[i]
		if a.first() <= r && r < a.last() {
			s.columns[a.column] = int32(i)
		}
		_, from := slices.BinarySearch(a.sources, r)
		_, to := slices.BinarySearch(a.targets, r)
		if from || to {
			s.touched = append(s.touched, int32(i))
		}
	}
	return laneRow{at: int32(len(s.slots)), columns: s.columns, touched: s.touched}
}
