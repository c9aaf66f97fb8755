package nodestate

import (
	"wf/graph"
	"wf/workspace/runstate"
)

// A Run is the state of an active run together with its nodes and edges in the open workfile.
type Run struct {
	runstate.State

	// Nodes and edges of the open workfile; nil for those that were deleted since the run started.
	LiveNodes     []*graph.Node // of the outer flow
	LiveEdges     []*graph.Edge
	LiveTemplates map[string]*graph.Node
}

// Link finds the nodes and edges of the run in the open workfile again, after the workfile was read or edited.
func (r *Run) Link(g *graph.Graph) {
	r.LiveNodes = make([]*graph.Node, min(r.OuterNodes(), len(r.Nodes)))
	for i := range r.LiveNodes {
		r.LiveNodes[i] = g.Node(r.Nodes[i].ID)
	}
	r.LiveTemplates = make(map[string]*graph.Node, len(r.Templates))
	for id := range r.Templates {
		r.LiveTemplates[id] = g.Node(id)
	}
	r.LiveEdges = make([]*graph.Edge, r.Sched.EdgeCount())
	used := map[[2]int]int{} // number of linked edges between two nodes
	for j := range r.LiveEdges {
		s, t := r.Sched.EdgeEnds(j)
		src, dst := r.LiveNodes[s], r.LiveNodes[t]
		if src == nil || dst == nil {
			continue
		}
		if e := g.Edge(r.Sched.EdgeKey(j)); e != nil && e.Source == src && e.Target == dst {
			r.LiveEdges[j] = e // the usual case: nothing has changed
			continue
		}
		between := g.EdgesBetween(src, dst)
		if k := used[[2]int{s, t}]; k < len(between) {
			r.LiveEdges[j] = between[k]
			used[[2]int{s, t}]++
		}
	}
}

// LiveNode returns the node of the open workfile for node i of the run, or nil for instances and deleted nodes.
func (r *Run) LiveNode(i int) *graph.Node {
	if i < len(r.LiveNodes) {
		return r.LiveNodes[i]
	}
	return nil
}

// Blocking returns the blocking edges of the run without deleted ones. The scheduler still has the deleted edges, but the
// outlook is only an estimate.
func (r *Run) Blocking() []Arrow {
	arrows := make([]Arrow, 0, len(r.LiveEdges))
	for j, e := range r.LiveEdges {
		if e != nil && e.Type == graph.Blocking {
			s, t := r.Sched.EdgeEnds(j)
			arrows = append(arrows, Arrow{s, t})
		}
	}
	return arrows
}

// Arrow is a blocking edge between two nodes of a run.
type Arrow struct{ Source, Target int }
