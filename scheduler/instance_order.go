package scheduler

import (
	"cmp"
	"math"
	"slices"
)

// rankInstance numbers the instances of a sub-flow in the order in which they end. Instances that ended
// before this run come before those that end in it.
func (r *Run) rankInstance(k instanceID, s *subflowState) {
	if inst := &r.instances[k]; inst.rank == 0 {
		s.ended++
		inst.rank = s.ended
	}
}

// keepPriorRank gives an instance that is not repeated the rank that it had in an earlier run. If that run stored
// no order, its instances ended in the order of their numbers.
func (r *Run) keepPriorRank(k instanceID) {
	inst := &r.instances[k]
	s := r.extrasOf(inst.owner).sub
	if order := r.opt.Prior[r.Path(int(inst.owner))].Arrivals; s.priorRanks == nil && order != nil {
		s.priorRanks = make(map[int32]int32, len(order))
		for rank, number := range order {
			s.priorRanks[int32(number)] = int32(rank)
		}
	}
	rank, noted := s.priorRanks[inst.number]
	if !noted {
		rank = inst.number
	}
	inst.rank = math.MinInt32 + rank
}

// arrivals returns the instances of a sub-flow that have ended, in the order in which they ended.
func (st *state) arrivals(s *subflowState) []instanceID {
	frames := make([]instanceID, 0, len(s.instances))
	for _, k := range s.instances {
		if st.instances[k].rank != 0 {
			frames = append(frames, k)
		}
	}
	slices.SortFunc(frames, func(a, b instanceID) int { return cmp.Compare(st.instances[a].rank, st.instances[b].rank) })
	return frames
}

// priorArrivals returns the numbers of the instances in the order in which they ended, or nil if that is
// the order of the numbers.
func (pr priorState) priorArrivals(s *subflowState) []int {
	last, inOrder := int32(math.MinInt32), true
	for _, k := range s.instances {
		if arrived := pr.instances[k].rank; arrived != 0 {
			inOrder = inOrder && arrived >= last
			last = arrived
		}
	}
	if inOrder {
		return nil
	}
	frames := pr.arrivals(s)
	numbers := make([]int, len(frames))
	for n, k := range frames {
		numbers[n] = int(pr.instances[k].number)
	}
	return numbers
}
