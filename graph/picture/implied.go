package picture

import "slices"

// mostReduced is the number of boxes up to which implied arcs are looked for, because the time is quadratic.
const mostReduced = 1000

// reduced returns the level without the arcs that others imply, or nil if there are none: if a leads to b and b to c,
// then c follows a without a line of its own. Conditions, non-blocking edges and loops are never implied and imply
// nothing.
func (l *level) reduced() *level {
	if len(l.boxes) > mostReduced {
		return nil
	}
	n := len(l.boxes)
	out := make([][]int32, n)
	for i := range l.arcs {
		if a := &l.arcs[i]; a.plain() {
			out[a.from] = append(out[a.from], int32(i))
		}
	}
	words := (n + 63) / 64
	reach := make([]uint64, n*words) // by box: the boxes that it leads to, one bit each
	order := make([]int32, n)
	for b := range order {
		order[b] = int32(b)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return int(l.rank[b] - l.rank[a]) }) // the last layer first
	implied := make([]bool, len(l.arcs))
	any := false
	for _, b := range order {
		mine := reach[int(b)*words : int(b+1)*words]
		slices.SortFunc(out[b], func(i, j int32) int { return int(l.rank[l.arcs[i].to] - l.rank[l.arcs[j].to]) })
		for _, i := range out[b] {
			to := l.arcs[i].to
			if mine[to/64]>>(to%64)&1 != 0 {
				implied[i], any = true, true
				continue
			}
			for k, word := range reach[int(to)*words : int(to+1)*words] {
				mine[k] |= word
			}
			mine[to/64] |= 1 << (to % 64)
		}
	}
	if !any {
		return nil
	}
	r := &level{o: l.o, vertices: l.vertices, folded: l.folded, steps: l.steps, rough: l.rough, boxes: l.boxes}
	for i := range l.arcs {
		if implied[i] {
			r.implied = append(r.implied, l.arcs[i].edges...)
		} else {
			r.arcs = append(r.arcs, l.arcs[i])
		}
	}
	r.sequence()
	return r
}

// plain reports whether an arc is a dependency and nothing else.
func (a *arc) plain() bool { return !a.weak && !a.back && a.when == "" }
