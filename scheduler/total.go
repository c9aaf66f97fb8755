package scheduler

// Nodes are counted in one way: a node of the outer flow is one, and so is a node in an instance. A sub-flow
// is one until its instances are known; from then on these count instead of it.

// Total is how many nodes the run has, as far as is known. Instances that are still to begin are part of it.
func (r *Run) Total() int { return len(r.outer.ids) + r.inside }

// setInstances replaces what a sub-flow has made of an activation.
func (r *Run) setInstances(i int32, s *instances) {
	x := r.rareOf(i)
	if x.sub != nil && x.sub != s {
		r.inside -= r.extra(x.sub)
	}
	if x.sub != nil && s != nil && s.starts == nil {
		s.starts = x.sub.starts
	}
	x.sub = s
}

// countInside counts the nodes of the instances of a sub-flow anew.
func (r *Run) countInside(i int32) {
	s := r.rareAt(i).sub
	more := max(1, max(s.count, len(s.frames))*len(r.subOf(i).ids)) - 1
	r.inside += more - s.more
	s.more = more
}

// extra is how many nodes the instances of a sub-flow count for beyond itself, with what lies in them.
func (r *Run) extra(s *instances) int {
	sum := s.more
	for _, k := range s.frames {
		f := &r.frames[k]
		if f.lay.subs == nil {
			continue
		}
		for v, sub := range f.lay.subs {
			if x := r.rareAt(f.node + int32(v)); sub != nil && x != nil && x.sub != nil {
				sum += r.extra(x.sub)
			}
		}
	}
	return sum
}
