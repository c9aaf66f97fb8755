package workspace

import (
	"wf/graph"
	"wf/workspace/runstate"
)

// linkedRun is the state of an active run, with the nodes and edges that it has in the open workfile.
type linkedRun struct {
	runstate.State

	// What the open workfile has of the run; nil for what was deleted since the run started.
	liveNodes     []*graph.Node // of the outer flow
	liveEdges     []*graph.Edge
	liveTemplates map[string]*graph.Node
}

// link finds the nodes and edges of the run in the open workfile, after that was read again or edited.
func (r *linkedRun) link(g *graph.Graph) {
	r.liveNodes = make([]*graph.Node, min(r.OuterNodes(), len(r.Nodes)))
	for i := range r.liveNodes {
		r.liveNodes[i] = g.Node(r.Nodes[i].ID)
	}
	r.liveTemplates = make(map[string]*graph.Node, len(r.Templates))
	for id := range r.Templates {
		r.liveTemplates[id] = g.Node(id)
	}
	r.liveEdges = make([]*graph.Edge, r.Sched.EdgeCount())
	used := map[[2]int]int{} // how many edges between two nodes were linked
	for j := range r.liveEdges {
		s, t := r.Sched.EdgeEnds(j)
		src, dst := r.liveNodes[s], r.liveNodes[t]
		if src == nil || dst == nil {
			continue
		}
		if e := g.Edge(r.Sched.EdgeKey(j)); e != nil && e.Source == src && e.Target == dst {
			r.liveEdges[j] = e // the usual case: nothing has changed
			continue
		}
		between := g.EdgesBetween(src, dst)
		if k := used[[2]int{s, t}]; k < len(between) {
			r.liveEdges[j] = between[k]
			used[[2]int{s, t}]++
		}
	}
}

// liveNode returns node i of the run in the open workfile; nil for nodes of instances and deleted nodes.
func (r *linkedRun) liveNode(i int) *graph.Node {
	if i < len(r.liveNodes) {
		return r.liveNodes[i]
	}
	return nil
}

// blocking returns the blocking edges of the run, without deleted ones: the outlook is a guess, and the scheduler still has them.
func (r *linkedRun) blocking() []arrow {
	arrows := make([]arrow, 0, len(r.liveEdges))
	for j, e := range r.liveEdges {
		if e != nil && e.Type == graph.Blocking {
			s, t := r.Sched.EdgeEnds(j)
			arrows = append(arrows, arrow{s, t})
		}
	}
	return arrows
}
