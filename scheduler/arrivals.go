package scheduler

import (
	"cmp"
	"math"
	"slices"
)

// arrive notes when an instance has ended, compared with the others of its sub-flow. What ended before this
// run keeps its place before what ends in it.
func (r *Run) arrive(k int32, s *instances) {
	if f := &r.frames[k]; f.arrived == 0 {
		s.ended++
		f.arrived = s.ended
	}
}

// arrivedBefore gives an instance of which nothing is repeated the place that it had in an earlier run. The
// note of that run is nil where the order was that of the numbers.
func (r *Run) arrivedBefore(k int32) {
	f := &r.frames[k]
	s := r.rareAt(f.owner).sub
	if order := r.opt.Prior[r.Path(int(f.owner))].Arrivals; s.before == nil && order != nil {
		s.before = make(map[int32]int32, len(order))
		for rank, number := range order {
			s.before[int32(number)] = int32(rank)
		}
	}
	rank, noted := s.before[f.instance]
	if !noted {
		rank = f.instance
	}
	f.arrived = math.MinInt32 + rank
}

// arrivals are the instances of a sub-flow that have ended, in the order in which they did.
func (r *Run) arrivals(s *instances) []int32 {
	frames := make([]int32, 0, len(s.frames))
	for _, k := range s.frames {
		if r.frames[k].arrived != 0 {
			frames = append(frames, k)
		}
	}
	slices.SortFunc(frames, func(a, b int32) int { return cmp.Compare(r.frames[a].arrived, r.frames[b].arrived) })
	return frames
}

// pastArrivals are the numbers of the instances in the order in which they ended, nil if that is the order of
// the numbers.
func (r *Run) pastArrivals(s *instances) []int {
	last, inOrder := int32(math.MinInt32), true
	for _, k := range s.frames {
		if arrived := r.frames[k].arrived; arrived != 0 {
			inOrder = inOrder && arrived >= last
			last = arrived
		}
	}
	if inOrder {
		return nil
	}
	frames := r.arrivals(s)
	numbers := make([]int, len(frames))
	for n, k := range frames {
		numbers[n] = int(r.frames[k].instance)
	}
	return numbers
}
