package scheduler

import (
	"sort"

	"wf/graph"
)

// An instance is one copy of a layout: the outer flow, which is instance 0, or an instance of a sub-flow.
// Its nodes and edges have consecutive numbers in the run.
type instance struct {
	lay    *layout
	node   nodeID // of its first node
	edge   edgeID // of its first edge
	owner  nodeID // the sub-flow; noNode for the outer flow
	number int32  // among the instances of the sub-flow, from 0
	rank   int32  // in the order in which instances ended, see rankInstance; 0 = it has not ended

	active     int32 // nodes that are Queued or Running
	joins      int32 // joins whose join_timeout is running
	unhandled  int32 // nodes that are Failed and whose failure no edge handled
	cut        bool  // an activation in it was taken back or not started, because the run or its sub-flow ends
	over       bool
	repeated   bool        // all of it is repeated (Options.Repeat)
	settlement *settlement // nil unless the layout is loose
}

func (inst *instance) nodeID(v localNode) nodeID { return inst.node + nodeID(v) }
func (inst *instance) edgeID(l localEdge) edgeID { return inst.edge + edgeID(l) }
func (inst *instance) local(i nodeID) localNode  { return localNode(i - inst.node) }

// end returns the number after its last node.
func (inst *instance) end() nodeID { return inst.node + nodeID(len(inst.lay.ids)) }

// failed reports whether an instance has a failure that no edge handled, or was cut short.
func (inst *instance) failed() bool { return inst.unhandled > 0 || inst.cut }

// in returns the blocking in-edges of a node of the instance, out all its out-edges.
func (inst *instance) in(i nodeID) []localEdge  { return inst.lay.in.of(inst.local(i)) }
func (inst *instance) out(i nodeID) []localEdge { return inst.lay.out.of(inst.local(i)) }

// source and target return the ends of an edge of the instance.
func (inst *instance) source(l localEdge) nodeID { return inst.nodeID(inst.lay.edges[l].source) }
func (inst *instance) target(l localEdge) nodeID { return inst.nodeID(inst.lay.edges[l].target) }

// addInstance adds the nodes and edges of an instance to the run.
func (st *state) addInstance(lay *layout, owner nodeID, number int32) instanceID {
	k := instanceID(len(st.instances))
	inst := instance{lay: lay, node: nodeID(len(st.nodes)), edge: edgeID(len(st.marks)), owner: owner, number: number,
		repeated: st.repeatsInstance(owner, number)}
	st.nodes = grow(st.nodes, len(lay.ids))
	st.reasons = grow(st.reasons, len(lay.ids))
	st.marks = grow(st.marks, len(lay.edges))
	for v := range lay.nodeCount() {
		st.nodes[inst.nodeID(v)] = node{cause: causeNone, idempotent: lay.idempotent[v], missing: int32(len(lay.in.of(v)))}
	}
	if st.opt.Flow != nil {
		st.control = grow(st.control, len(lay.ids))
		for i := inst.node; i < inst.end(); i++ {
			st.control[i].instance = k
		}
	}
	st.counts[graph.Idle] += len(lay.ids)
	for l, m := range lay.marked { // only the outer flow has any: its numbers are those of the run
		st.marks[l] = m
		if e := lay.edges[l]; e.blocking && m.bears() != graph.Unmarked {
			st.countMark(inst.nodeID(e.target), graph.Unmarked, m.bears())
		}
	}
	if lay.loose {
		inst.settlement = newSettlement(lay)
	}
	st.instances = append(st.instances, inst)
	return k
}

// setInitialStatus sets the status that a node had before the run, or before its instance was recalled.
func (st *state) setInitialStatus(i nodeID, s graph.Status) {
	n := &st.nodes[i]
	st.counts[n.status]--
	st.counts[s]++
	n.status = s
	if s == graph.Failed {
		st.instanceOf(i).unhandled++
	}
}

// instanceOf returns the instance of a node. The pointer is valid until the next instance is added.
func (st *state) instanceOf(i nodeID) *instance { return &st.instances[st.instanceNo(i)] }

func (st *state) instanceNo(i nodeID) instanceID {
	if st.control == nil {
		return 0
	}
	return st.control[i].instance
}

// instanceOfEdge returns the instance of an edge.
func (st *state) instanceOfEdge(j edgeID) *instance {
	after := sort.Search(len(st.instances), func(k int) bool { return st.instances[k].edge > j })
	return &st.instances[max(after-1, 0)]
}
