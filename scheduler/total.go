package scheduler

// Nodes are counted in one way: a node of the outer flow is one, and so is a node in an instance. A sub-flow
// is one until its instances are known; from then on these count instead of it.

// Total is how many nodes the run has, as far as is known. Instances that are still to begin are part of it.
func (q queries) Total() int { return len(q.outer.ids) + q.inside }

// setInstances replaces what a sub-flow has made of an activation.
func (sf subflow) setSubflow(s *subflowState) {
	x := sf.makeExtras(sf.node)
	if x.sub != nil && x.sub != s {
		sf.inside -= sf.extraNodesOf(x.sub)
	}
	if x.sub != nil && s != nil && s.starts == nil {
		s.starts = x.sub.starts
	}
	x.sub = s
}

// countInside counts the nodes of the instances of a sub-flow anew.
func (sf subflow) countInside() {
	s := sf.extrasOf(sf.node).sub
	more := max(1, max(s.count, len(s.instances))*len(sf.subOf(sf.node).ids)) - 1
	sf.inside += more - s.extraNodes
	s.extraNodes = more
}

// extra is how many nodes the instances of a sub-flow count for beyond itself, with what lies in them.
func (st *state) extraNodesOf(s *subflowState) int {
	sum := s.extraNodes
	for _, k := range s.instances {
		inst := &st.instances[k]
		if inst.lay.subs == nil {
			continue
		}
		for v, sub := range inst.lay.subs {
			if x := st.extrasOf(inst.node + int32(v)); sub != nil && x != nil && x.sub != nil {
				sum += st.extraNodesOf(x.sub)
			}
		}
	}
	return sum
}
