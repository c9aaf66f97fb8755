package scheduler

// fire is what an edge does when its source has succeeded. While the run ends, tokens are left
// on blocking edges for a resume, and nothing is activated.
func (r *Run) fire(j int32) {
	e := r.edges[j]
	switch {
	case e.blocking:
		r.setMark(j, true)
		if !r.halted && r.nodes[e.target].missing == 0 {
			r.consume(e.target)
			r.activate(e.target, causeJoin)
		}
	case !r.halted:
		// The token is handed over at once. One that an older run left is used up as well.
		r.setMark(j, false)
		r.activate(e.target, j)
	}
}

// consume takes the tokens of all blocking in-edges.
func (r *Run) consume(i int32) {
	for _, j := range r.in.of(i) {
		r.setMark(j, false)
	}
}

// setMark puts or takes a token. A token is a mark: a second one changes nothing.
func (r *Run) setMark(j int32, marked bool) {
	if r.marked[j] == marked {
		return
	}
	r.marked[j] = marked
	if e := r.edges[j]; e.blocking {
		if marked {
			r.nodes[e.target].missing--
		} else {
			r.nodes[e.target].missing++
		}
	}
	r.emit(Effect{Kind: EdgeChanged, Edge: int(j), Marked: marked})
}
