package scheduler

import "wf/graph"

// A frame is one instance of a layout: the outer flow, which is frame 0, or an instance of a sub-flow.
type instance struct {
	lay        *layout
	node, edge int32 // the numbers of its first ones
	owner      int32 // the sub-flow, noNode for the outer flow
	number     int32 // which one of the sub-flow, from 0
	rank       int32 // its rank among those that have ended, see arrive; 0 = it has not

	active     int32 // nodes that are Queued or Running
	joins      int32 // joins whose time is running
	unhandled  int32 // nodes that are Failed, and no edge has fired for that
	cut        bool  // something of it was taken back or not begun, because the run or its sub-flow ends
	over       bool
	repeated   bool        // all of it is repeated (Options.Repeat)
	settlement *settlement // when the layout is loose
}

// addFrame makes the nodes and edges of an instance.
func (r *Run) addInstance(lay *layout, owner, number int32) int32 {
	k := int32(len(r.instances))
	inst := instance{lay: lay, node: int32(len(r.nodes)), edge: int32(len(r.marks)), owner: owner, number: number,
		repeated: r.repeatsInstance(owner, number)}
	r.nodes = grow(r.nodes, len(lay.ids))
	r.reasons = grow(r.reasons, len(lay.ids))
	r.marks = grow(r.marks, len(lay.edges))
	for i := range lay.ids {
		n := &r.nodes[inst.node+int32(i)]
		*n = node{cause: causeNone, idempotent: lay.idempotent[i], missing: int32(len(lay.in.of(int32(i))))}
	}
	if r.opt.Flow != nil {
		r.extra = grow(r.extra, len(lay.ids))
		r.homes = grow(r.homes, len(lay.ids))
		r.lives = grow(r.lives, len(lay.ids))
		for i := range lay.ids {
			r.homes[inst.node+int32(i)] = k
		}
	}
	r.counts[graph.Idle] += len(lay.ids)
	for l, m := range lay.marked {
		r.marks[l] = m
		if e := lay.edges[l]; e.blocking && m.bears() != graph.Unmarked {
			r.countMark(e.target, graph.Unmarked, m.bears())
		}
	}
	if lay.loose {
		inst.settlement = newSettlement(lay)
	}
	r.instances = append(r.instances, inst)
	return k
}

// assume gives a node the status that it had before the run, or before this instance was recalled.
func (st *state) setInitialStatus(i int32, s graph.Status) {
	n := &st.nodes[i]
	st.counts[n.status]--
	st.counts[s]++
	n.status = s
	if s == graph.Failed {
		st.instanceOf(i).unhandled++
	}
}

// grow makes a slice longer. Large ones get no spare room: most runs never grow.
func grow[T any](list []T, more int) []T {
	if len(list) == 0 {
		return make([]T, more)
	}
	return append(list, make([]T, more)...)
}

// frameOf is the frame of a node, and localOf its number in there.
func (st *state) instanceOf(i int32) *instance { return &st.instances[st.instanceNo(i)] }

// frameNo is the number of the frame of a node.
func (st *state) instanceNo(i int32) int32 {
	if st.homes == nil {
		return 0
	}
	return st.homes[i]
}

func (st *state) localOf(i int32) int32 { return i - st.instanceOf(i).node }

// frameOfEdge is the frame of an edge.
func (st *state) instanceOfEdge(j int32) *instance {
	lo, hi := 0, len(st.instances)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; st.instances[mid].edge <= j {
			lo = mid
		} else {
			hi = mid
		}
	}
	return &st.instances[lo]
}

// edgeAt returns an edge with the numbers that its ends have in the run.
func (st *state) edgeAt(j int32) edge {
	inst := st.instanceOfEdge(j)
	e := inst.lay.edges[j-inst.edge]
	return edge{e.source + inst.node, e.target + inst.node, e.blocking}
}
