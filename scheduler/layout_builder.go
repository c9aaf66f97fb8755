package scheduler

import (
	"wf/graph"
	"wf/scheduler/flow"
)

// layOut copies the scope, each sub-flow into its own layout.
func (r *Run) layOut(g *graph.Graph, scope []*graph.Node) error {
	b := layoutBuilder{f: r.opt.Flow, g: g, local: make([]localNode, len(g.Nodes())), outer: &layout{}}
	b.layouts = append(b.layouts, b.outer)
	if b.f != nil {
		b.homes, b.lays = map[*graph.Node]*layout{nil: b.outer}, make([]*layout, len(g.Nodes()))
	}
	b.copyNodes(scope)
	if err := checkCommands(scope, r.opt.Flow); err != nil {
		return err
	}
	if err := b.copyEdges(); err != nil {
		return err
	}
	for _, lay := range b.layouts {
		// A layout without any loop, the usual case, needs no search for a blocking one.
		if loops := lay.connect(); loops {
			if err := checkCycles(lay); err != nil {
				return err
			}
		}
		b.control(lay)
	}
	r.outer = b.outer
	if b.f != nil {
		r.places = make(map[*graph.Node]place, len(scope))
		for _, n := range scope {
			r.places[n] = b.place(n)
		}
	}
	return nil
}

// layoutBuilder makes the layouts of a run.
type layoutBuilder struct {
	f       *flow.Flow // nil for a plain graph
	groups  *flow.Flow // expands edges to groups
	g       *graph.Graph
	local   []localNode             // by position: the number in its layout, plus one; 0 = not in scope
	lays    []*layout               // by position; nil for a plain graph: it has the outer one only
	homes   map[*graph.Node]*layout // by container; nil = the outer one
	layouts []*layout               // outer flows before inner ones
	outer   *layout
}

func (b *layoutBuilder) layoutOf(home *graph.Node) *layout {
	lay := b.homes[home]
	if lay == nil {
		lay = &layout{home: home}
		b.homes[home] = lay
		b.layouts = append(b.layouts, lay)
	}
	return lay
}

// place returns the place of a node of the graph; the layout is nil if the node is not in scope.
func (b *layoutBuilder) place(n *graph.Node) place {
	i := b.local[n.Pos()]
	switch {
	case i == 0:
		return place{}
	case b.lays == nil:
		return place{b.outer, i - 1}
	}
	return place{b.lays[n.Pos()], i - 1}
}

func (b *layoutBuilder) copyNodes(scope []*graph.Node) {
	l, edges := b.outer, 0
	l.ids, l.idempotent = make([]string, 0, len(scope)), make([]bool, 0, len(scope))
	for _, n := range scope {
		lay := l
		if b.lays != nil {
			if n.Parent != nil {
				lay = b.layoutOf(n.Home())
			}
			b.lays[n.Pos()] = lay
			lay.graphNodes = append(lay.graphNodes, n)
		}
		if lay == l {
			edges += len(n.Out)
		}
		lay.ids = append(lay.ids, n.ID)
		lay.idempotent = append(lay.idempotent, n.Idempotent())
		b.local[n.Pos()] = lay.nodeCount()
	}
	if b.lays == nil {
		l.graphNodes = scope
	}
	l.keys, l.edges, l.marked = make([]int, 0, edges), make([]edge, 0, edges), make([]mark, 0, edges)
}

func (b *layoutBuilder) copyEdges() error {
	for _, e := range b.g.Edges() {
		source, target := b.local[e.Source.Pos()], b.local[e.Target.Pos()]
		switch {
		case b.f == nil && source > 0 && target > 0: // no groups
			b.outer.addEdge(e, source-1, target-1)
		case e.Source.Container || e.Target.Container:
			if err := b.copyGroupEdge(e); err != nil {
				return err
			}
		default:
			if err := b.copyEdge(e, e.Source, e.Target); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *layoutBuilder) copyEdge(e *graph.Edge, from, to *graph.Node) error {
	source, target := b.place(from), b.place(to)
	if source.lay == nil || target.lay == nil {
		return nil
	}
	if source.lay != target.lay {
		return &BorderError{Edge: e.Key, Source: from.ID, Target: to.ID}
	}
	lay := source.lay
	lay.addEdge(e, source.local, target.local)
	if b.f != nil {
		lay.conditions = append(lay.conditions, b.f.Edge(e))
	}
	return nil
}

func (l *layout) addEdge(e *graph.Edge, source, target localNode) {
	l.keys = append(l.keys, e.Key)
	l.edges = append(l.edges, edge{source, target, e.Type == graph.Blocking})
	if l.home == nil {
		l.marked = append(l.marked, mark(e.Mark))
	}
}

// copyGroupEdge copies an edge to or from a container. A group stands for the nodes in it at which it is
// entered or left.
func (b *layoutBuilder) copyGroupEdge(e *graph.Edge) error {
	if b.groups == nil {
		b.groups, _ = flow.Read(b.g)
	}
	sources, targets := b.groups.Expand(e)
	for _, s := range sources {
		for _, t := range targets {
			if err := b.copyEdge(e, s, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// control copies the rules of the nodes and the conditions of the edges of a layout.
func (b *layoutBuilder) control(l *layout) {
	if b.f == nil {
		return
	}
	rules, subs := make([]*flow.Rules, len(l.ids)), make([]*layout, len(l.ids))
	anyRules, anySubs := false, false
	l.names = make([]string, len(l.ids))
	for i, n := range l.graphNodes {
		rules[i], l.names[i] = b.f.Node(n), b.f.LocalName(n)
		anyRules = anyRules || rules[i] != nil
		if n.SubFlow() {
			subs[i] = b.layoutOf(n)
			anySubs = true
		}
	}
	if anyRules {
		l.rules = rules
	}
	if anySubs {
		l.subs = subs
	}
	conditional := false
	for _, c := range l.conditions {
		conditional = conditional || c != nil
	}
	if !conditional {
		l.conditions = nil
	}
	l.findSingle()
	for _, x := range l.rules {
		conditional = conditional || x != nil && x.CancelLosers
	}
	if l.loose = conditional && l.decidesTwice(); l.loose {
		l.inside = group(l.components, l.nodeCount(), func(v localNode) (component, bool) { return l.component[v], true })
	}
}
