package drawing

import (
	"wf/graph/stages"
	"wf/tui/plain"
)

// A stage is a vertex of a folded web: nodes that do the same work at the same place. See package stages.
type stage struct {
	name  string
	nodes []int32 // of the graph, in file order
}

// folded is a web of stages, numbered from top to bottom.
type folded struct {
	web    *web
	stages []stage
	of     []int32 // stage by node of the graph; -1 = hidden
}

// newFolded folds a web of nodes.
func newFolded(g *Graph, w *web, nodes []int32) *folded {
	described := make([]stages.Node, len(nodes))
	for v, n := range nodes {
		described[v] = stages.Node{Name: g.Nodes[n].Name, Group: g.Nodes[n].Group, Command: g.Nodes[n].Command}
	}
	list, of := stages.Fold(described, w.plainArcs())
	f := &folded{stages: make([]stage, len(list)), of: make([]int32, len(g.Nodes))}
	for v := range f.of {
		f.of[v] = -1
	}
	for v, n := range nodes {
		f.of[n] = of[v]
	}
	for i, name := range stages.Names(list, described) {
		f.stages[i] = stage{name: plain.Line(name), nodes: make([]int32, len(list[i].Nodes))}
		for k, v := range list[i].Nodes {
			f.stages[i].nodes[k] = nodes[v]
		}
	}
	f.link(w, of)
	return f
}

// link adds the arcs between stages, from those between their nodes.
func (f *folded) link(w *web, of []int32) {
	arcs := make([]arc, 0, len(w.arcs))
	for _, a := range w.arcs {
		a.from, a.to = of[a.from], of[a.to]
		arcs = append(arcs, a)
	}
	for v, loop := range w.loops {
		if s := of[v]; loop {
			arcs = append(arcs, arc{from: s, to: s, edge: -1, weak: true})
		}
	}
	f.web = newWeb(len(f.stages), arcs)
	for i := range f.web.arcs { // other numbers would change which arcs of a loop lead back
		a := &f.web.arcs[i]
		a.back = a.from > a.to
	}
}
