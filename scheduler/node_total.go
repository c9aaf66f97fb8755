package scheduler

// Nodes are counted in one way: a node of the outer flow is one, and so is a node in an instance. A sub-flow
// is one until its instances are known; from then on these count instead of it.

// Total returns how many nodes the run has, as far as is known. Planned instances that have not started
// count.
func (q queries) Total() int { return len(q.outer.ids) + q.inside }

// setSubflow replaces the state of a sub-flow.
func (sf subflow) setSubflow(s *subflowState) {
	x := sf.ensureExtras()
	if x.sub != nil && x.sub != s {
		sf.inside -= sf.extraNodesOf(x.sub)
	}
	if x.sub != nil && s != nil && s.starts == nil {
		s.starts = x.sub.starts
	}
	x.sub = s
}

// countInside recounts the nodes of the instances of a sub-flow.
func (sf subflow) countInside() {
	s := sf.extras().sub
	more := max(1, max(s.count, len(s.instances))*len(sf.layout().ids)) - 1
	sf.inside += more - s.extraNodes
	s.extraNodes = more
}

// extraNodesOf returns how many nodes the instances of a sub-flow count beyond the sub-flow itself, nested
// ones included.
func (st *state) extraNodesOf(s *subflowState) int {
	sum := s.extraNodes
	for _, k := range s.instances {
		inst := &st.instances[k]
		if inst.lay.subs == nil {
			continue
		}
		for v := range localNode(len(inst.lay.subs)) {
			sub := inst.lay.subs[v]
			if x := st.extrasOf(inst.nodeID(v)); sub != nil && x != nil && x.sub != nil {
				sum += st.extraNodesOf(x.sub)
			}
		}
	}
	return sum
}
