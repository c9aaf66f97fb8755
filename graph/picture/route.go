package picture

import "slices"

// A router assigns tracks to the wires of a channel.
//
// If one wire leaves the left layer in the row in which another one enters the right layer, the first must turn before
// the second one arrives; otherwise they would overlap. If wires must turn before each other in a circle, one takes a
// detour: it goes to a free row first, and from there to its ends.
//
// Within these rules the order is one with few crossings: of two wires, the one that crosses less if it is left of the
// other one goes there.
type router struct {
	*part
	channel *channel
	band    *band
	bent    []*wire
	tracks  [][]span     // occupied parts of each track, from top to bottom
	used    map[int]bool // rows; nil until a detour is needed
	order   order
}

type span struct{ top, bottom int }

func (r *router) route() bool {
	for _, w := range r.channel.wires {
		if w.limits(); w.bends() {
			r.bent = append(r.bent, w)
		}
	}
	slices.SortStableFunc(r.bent, func(a, b *wire) int { return a.top - b.top })
	r.constrain()
	r.order.weigh(r.bent)
	for next := 0; ; {
		for next < len(r.bent) && r.bent[next].routed {
			next++
		}
		if next == len(r.bent) {
			break
		}
		w := r.free(next)
		if w == nil {
			if !r.detour(r.easiest(next)) {
				return false
			}
			r.order.weigh(r.bent)
			continue
		}
		w.routed = true
		r.assign(w)
		r.order.settle(w)
		for _, o := range w.after {
			o.before--
			o.least = max(o.least, w.track+1)
		}
	}
	r.channel.tracks = len(r.tracks)
	return true
}

func (w *wire) limits() {
	w.top, w.bottom = far, -far
	for _, ends := range [2][]end{w.lefts, w.rights} {
		for _, e := range ends {
			w.top, w.bottom = min(w.top, e.row), max(w.bottom, e.row)
		}
	}
}

// constrain finds which wires must be further left than others.
func (r *router) constrain() {
	if len(r.bent) == 0 {
		return
	}
	top, bottom := r.bent[0].top, 0
	for _, w := range r.bent {
		bottom = max(bottom, w.bottom)
	}
	enters := r.memory.rows(bottom + 1 - top)
	for _, w := range r.bent {
		for _, e := range w.rights {
			enters[e.row-top] = w
		}
	}
	for _, w := range r.bent {
		for _, e := range w.lefts {
			if o := enters[e.row-top]; o != nil && o != w {
				w.after = append(w.after, o)
				o.before++
			}
		}
	}
}

// free returns the wire from next on that may get its track and costs the fewest crossings, or nil.
func (r *router) free(next int) *wire {
	var best *wire
	for _, w := range r.bent[next:] {
		if w.routed || w.before > 0 {
			continue
		}
		if best == nil || w.cost < best.cost {
			best = w
		}
		if best.cost == 0 {
			break
		}
	}
	return best
}

// easiest returns the wire that the fewest others must precede.
func (r *router) easiest(next int) *wire {
	var best *wire
	for _, w := range r.bent[next:] {
		if !w.routed && (best == nil || w.before < best.before) {
			best = w
		}
	}
	return best
}

// assign gives a wire the first track in which it is apart from the others.
func (r *router) assign(w *wire) {
	for t := w.least; ; t++ {
		for t >= len(r.tracks) {
			r.tracks = append(r.tracks, nil)
		}
		taken := r.tracks[t]
		i, _ := slices.BinarySearchFunc(taken, w.top, func(s span, row int) int { return s.bottom - row })
		if i == len(taken) || taken[i].top > w.bottom {
			r.tracks[t] = slices.Insert(taken, i, span{w.top, w.bottom})
			w.track = t
			return
		}
	}
}

// findUsed notes which rows have ends of wires.
func (r *router) findUsed() {
	if r.used != nil {
		return
	}
	r.used = map[int]bool{}
	for _, w := range r.channel.wires {
		for _, ends := range [2][]end{w.lefts, w.rights} {
			for _, e := range ends {
				r.used[e.row] = true
			}
		}
	}
}

// detour divides a wire: the first half leads to a free row, the second one from there to the boxes on the right. It
// reports whether there is a free row.
func (r *router) detour(w *wire) bool {
	r.findUsed()
	row := far
	middle := (w.top + w.bottom) / 2
	for y := r.band.top; y < r.band.top+r.band.height+r.band.spare; y++ {
		if !r.used[y] && distance(y, middle) < distance(row, middle) {
			row = y
		}
	}
	if row == far {
		return false
	}
	r.used[row] = true
	second := r.wire(r.channel, w.net)
	second.lefts, second.before, second.least = []end{{row, -1}}, w.before, w.least
	rights := []end{{row, -1}}
	for _, e := range w.rights {
		if e.point < 0 { // its lane knows the first half
			rights = append(rights, e)
		} else {
			second.rights = append(second.rights, e)
		}
	}
	second.limits()
	w.rights, w.detour, w.before = rights, second, 0
	w.least = 0
	w.limits()
	r.bent = append(r.bent, second)
	for _, o := range r.bent { // those that had to precede w must precede its second half
		if o != w && o != second {
			for i := range o.after {
				if o.after[i] == w {
					o.after[i] = second
				}
			}
		}
	}
	w.after = append(w.after, second)
	second.before++
	return true
}
