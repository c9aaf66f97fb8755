package scheduler

import (
	"wf/graph"
	"wf/scheduler/flow"
)

// A layout is the copy of one flow: the outer one, or what lies in a sub-flow. It never changes.
type layout struct {
	ids        []string
	graphNodes []*graph.Node // who they are; only Flow is asked about them
	idempotent []bool
	keys       []int // graph.Edge.Key
	edges      []edge
	out        csr     // all out-edges of a node, in file order
	in         csr     // blocking in-edges of a node, in file order
	component  []int32 // strongly connected component of a node, over all edges
	components int32
	starts     []bool // see startNodes; made when it is needed first
	marked     []mark // of the outer flow: what its edges bear in the file

	// Of a run with a flow; nil where no node, or edge, has one.
	rules      []*flow.Rules
	conditions []*flow.Condition
	subs       []*layout
	home       *graph.Node // the sub-flow; nil for the outer flow
	names      []string    // local ones
	single     []bool      // decides once in each frame at most
	loose      bool        // edges can be dead, and there are nodes that decide more than once
	inside     csr         // nodes by component, when loose
}

// place is where a node of the graph lies.
type place struct {
	lay   *layout
	local int32
}

type edge struct {
	source, target int32
	blocking       bool
}

// csr is lists of edges, one for each node, in two arrays.
type csr struct{ first, edges []int32 }

func (c csr) of(node int32) []int32 { return c.edges[c.first[node]:c.first[node+1]] }

// layOut copies the scope, each sub-flow into a layout of its own.
func (r *Run) layOut(g *graph.Graph, scope []*graph.Node) error {
	b := layoutBuilder{f: r.opt.Flow, g: g, local: make([]int32, len(g.Nodes())), outer: &layout{}}
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

// builder makes the layouts of a run.
type layoutBuilder struct {
	f       *flow.Flow // nil for a plain graph
	groups  *flow.Flow // knows what edges to groups mean
	g       *graph.Graph
	local   []int32                 // by position: the number in its layout, plus one; 0 = not in scope
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

// place is where a node of the graph lies; its layout is nil if it is not in scope.
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
		b.local[n.Pos()] = int32(len(lay.ids))
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

func (l *layout) addEdge(e *graph.Edge, source, target int32) {
	l.keys = append(l.keys, e.Key)
	l.edges = append(l.edges, edge{source, target, e.Type == graph.Blocking})
	if l.home == nil {
		l.marked = append(l.marked, mark(e.Mark))
	}
}

// copyGroupEdge copies an edge to or from a container. One that is a mere group stands for the nodes
// in it at which it is entered or left.
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

// connect derives from the edges what each node needs to know about its own, and says whether
// any of them form a loop.
func (l *layout) connect() (loops bool) {
	l.out = l.lists(func(e edge) (int32, bool) { return e.source, true })
	l.in = l.lists(func(e edge) (int32, bool) { return e.target, e.blocking })
	targets := make([]int32, len(l.edges))
	for k, j := range l.out.edges {
		targets[k] = l.edges[j].target
	}
	var components int
	l.component, components = graph.Components(l.out.first, targets)
	l.components = int32(components)
	loops = components < len(l.ids)
	for _, e := range l.edges {
		loops = loops || e.source == e.target
	}
	return loops
}

// lists sorts edges by the node that owner names; edges that it declines are left out.
func (l *layout) lists(owner func(edge) (node int32, ok bool)) csr {
	first := make([]int32, len(l.ids)+1)
	for _, e := range l.edges {
		if v, ok := owner(e); ok {
			first[v+1]++
		}
	}
	for v := range l.ids {
		first[v+1] += first[v]
	}
	list := make([]int32, first[len(l.ids)])
	free := append([]int32(nil), first[:len(l.ids)]...)
	for j, e := range l.edges {
		if v, ok := owner(e); ok {
			list[free[v]] = int32(j)
			free[v]++
		}
	}
	return csr{first, list}
}

// group sorts the numbers below count by the bin that of names.
func group(bins, count int, of func(int) (bin int32, ok bool)) csr {
	first := make([]int32, bins+1)
	for j := range count {
		if v, ok := of(j); ok {
			first[v+1]++
		}
	}
	for v := range bins {
		first[v+1] += first[v]
	}
	list := make([]int32, first[bins])
	free := append([]int32(nil), first[:bins]...)
	for j := range count {
		if v, ok := of(j); ok {
			list[free[v]] = int32(j)
			free[v]++
		}
	}
	return csr{first, list}
}

// startNodes finds, in each strongly connected component that nothing outside leads to, the
// nodes without a blocking in-edge. In a graph without loops these are the nodes without an
// in-edge; in a loop somebody has to be first.
func (l *layout) startNodes() []bool {
	if l.starts != nil {
		return l.starts
	}
	led := make([]bool, l.components)
	for _, e := range l.edges {
		if from, to := l.component[e.source], l.component[e.target]; from != to {
			led[to] = true
		}
	}
	l.starts = make([]bool, len(l.ids))
	for i := range l.ids {
		l.starts[i] = !led[l.component[i]] && len(l.in.of(int32(i))) == 0
	}
	return l.starts
}

// forget lets go of what only NewRun needs.
func (l *layout) releaseScope(plain bool) {
	l.marked = nil
	if plain {
		l.graphNodes = nil
	}
}

// control copies what the flow says about the nodes and edges of a layout.
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
		l.inside = group(int(l.components), len(l.ids), func(i int) (int32, bool) { return l.component[i], true })
	}
}

// findSingle marks the nodes that decide at most once in a frame: nothing but blocking edges leads to
// them, and these come from nodes that do so, too.
func (l *layout) findSingle() {
	l.single = make([]bool, len(l.ids))
	order, alone := l.topological()
	triggered := make([]bool, len(l.ids))
	for _, e := range l.edges {
		triggered[e.target] = triggered[e.target] || !e.blocking
	}
	for _, i := range order {
		l.single[i] = alone[i] && !triggered[i]
		for _, j := range l.in.of(i) {
			l.single[i] = l.single[i] && l.single[l.edges[j].source]
		}
	}
}

// inLoop says whether an edge stays in the loop that its source is part of.
func (l *layout) inLoop(j int32) bool {
	e := l.edges[j]
	return l.component[e.source] == l.component[e.target]
}

// deadAtOnce says whether an edge is dead as soon as its source has decided otherwise.
func (l *layout) deadAtOnce(j int32) bool {
	return l.single == nil || l.single[l.edges[j].source] || l.inLoop(j)
}

func (l *layout) decidesTwice() bool {
	for _, single := range l.single {
		if !single {
			return true
		}
	}
	return false
}

// topological returns the nodes so that each comes after those that lead to it, and which of them are
// in no loop with others.
func (l *layout) topological() (order []int32, alone []bool) {
	// A component has a higher number than those it leads to.
	last := l.components - 1
	by := group(int(l.components), len(l.ids), func(i int) (int32, bool) { return last - l.component[i], true })
	alone = make([]bool, len(l.ids))
	for i := range l.ids {
		alone[i] = len(by.of(last-l.component[i])) == 1
	}
	return by.edges, alone
}
