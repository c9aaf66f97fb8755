package flow

import (
	"slices"
	"strings"

	"wf/graph"
)

// maxPairs is how many edges all edges to and from groups together may stand for.
const maxPairs = 5_000_000

// borders checks the edges of a graph with containers: none may cross the border of a sub-flow, and an edge
// to or from a group must reach a node.
func (r *reader) borders() {
	grouped, pairs := false, 0
	for _, e := range r.g.Edges() {
		if from, to := e.Source.Home(), e.Target.Home(); from != to {
			r.crossing(e, from, to)
			continue
		}
		if !isGroup(e.Source) && !isGroup(e.Target) {
			continue
		}
		if around(e.Source, e.Target) || around(e.Target, e.Source) {
			r.edgeProblem(graph.Error, CodeCrossing, e, "it connects a group with a node in it; connect the group with a node outside, or two nodes in it")
			continue
		}
		grouped = true
		sources, targets := r.f.Expand(e)
		if pairs += len(sources) * len(targets); pairs > maxPairs || r.f.work > maxGroupWork {
			r.edgeProblem(graph.Error, CodeGroup, e, "the edges to and from groups stand for more than %d edges; put a node without a command between large groups", maxPairs)
			return
		}
		for _, end := range []struct {
			node  *graph.Node
			means []*graph.Node
		}{{e.Source, sources}, {e.Target, targets}} {
			if len(end.means) == 0 {
				r.edgeProblem(graph.Error, CodeGroup, e, "the group %s is empty, so the edge connects nothing; put nodes into it, or remove it", r.handle(end.node))
			}
		}
	}
	if grouped && graph.FindCycle(r.g.Nodes()) == nil { // graph.Check reports that one
		r.groupCycle()
	}
}

// around reports whether n is outer or a node in it.
func around(outer, n *graph.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == outer {
			return true
		}
	}
	return false
}

func (r *reader) crossing(e *graph.Edge, from, to *graph.Node) {
	switch {
	case from == e.Target || to == e.Source:
		r.edgeProblem(graph.Error, CodeCrossing, e, "it connects a sub-flow with a node in it; nodes in it to which no edge leads start by themselves: remove the edge")
	case from == nil || to != nil && around(from, to):
		r.edgeProblem(graph.Error, CodeCrossing, e, "it crosses the border of the sub-flow %s; let it lead to %s itself", r.handle(to), r.handle(to))
	case to == nil || around(to, from):
		r.edgeProblem(graph.Error, CodeCrossing, e, "it crosses the border of the sub-flow %s; let it lead from %s itself", r.handle(from), r.handle(from))
	default:
		r.edgeProblem(graph.Error, CodeCrossing, e, "it crosses the borders of the sub-flows %s and %s; connect %s with %s", r.handle(from), r.handle(to), r.handle(from), r.handle(to))
	}
}

// grouped is a graph with two more vertices for each group: the source of the edges into its nodes, and the
// target of the edges out of them. The vertices of nodes have the numbers of their positions.
type grouped struct {
	nodes []*graph.Node
	out   [][]int32
	group map[*graph.Node]int32 // the first of the two vertices
	owner []*graph.Node         // of the vertices behind those of the nodes
}

func (r *reader) grouped() *grouped {
	nodes := r.g.Nodes()
	c := &grouped{nodes: nodes, out: make([][]int32, len(nodes)), group: map[*graph.Node]int32{}}
	for _, e := range r.g.Edges() {
		if e.Type != graph.Blocking || e.Source.Home() != e.Target.Home() || e.Source != e.Target && (around(e.Source, e.Target) || around(e.Target, e.Source)) {
			continue
		}
		from, to := int32(e.Source.Pos()), int32(e.Target.Pos())
		if isGroup(e.Source) {
			from = c.vertex(r.f, e.Source) + 1
		}
		if isGroup(e.Target) {
			to = c.vertex(r.f, e.Target)
		}
		c.out[from] = append(c.out[from], to)
	}
	return c
}

// vertex returns the first of the two vertices of a group and connects both to its nodes.
func (c *grouped) vertex(f *Flow, group *graph.Node) int32 {
	if v, known := c.group[group]; known {
		return v
	}
	v := int32(len(c.out))
	c.group[group] = v
	c.owner = append(c.owner, group, group)
	var in []int32
	for _, n := range f.ends(group).entries {
		in = append(in, int32(n.Pos()))
	}
	c.out = append(c.out, in, nil)
	for _, n := range f.ends(group).exits {
		c.out[n.Pos()] = append(c.out[n.Pos()], v+1)
	}
	return v
}

// groupCycle finds a cycle of blocking edges that leads through a group; others are found by graph.Check.
func (r *reader) groupCycle() {
	c := r.grouped()
	component, count := componentsOf(c.out)
	size := make([]int32, count)
	for _, k := range component {
		size[k]++
	}
	for v := len(c.nodes); v < len(c.out); v++ {
		if size[component[v]] > 1 {
			r.reportCycle(c, c.way(int32(v), component))
			return
		}
	}
}

// way is the shortest way from a vertex back to it, both included.
func (c *grouped) way(start int32, component []int32) []int32 {
	via := map[int32]int32{}
	for queue := []int32{start}; len(queue) > 0; queue = queue[1:] {
		for _, w := range c.out[queue[0]] {
			if _, seen := via[w]; !seen && component[w] == component[start] {
				via[w] = queue[0]
				queue = append(queue, w)
			}
		}
		if _, closed := via[start]; closed {
			break
		}
	}
	way := []int32{start}
	for v := via[start]; v != start; v = via[v] {
		way = append(way, v)
	}
	slices.Reverse(way[1:])
	return append(way, start)
}

func (r *reader) reportCycle(c *grouped, way []int32) {
	var names []string
	var nodes []*graph.Node
	for _, v := range way {
		n, name := (*graph.Node)(nil), ""
		if int(v) < len(c.nodes) {
			n = c.nodes[v]
			name = r.handle(n)
		} else {
			n = c.owner[int(v)-len(c.nodes)]
			name = "group " + r.handle(n)
		}
		if len(names) > 0 && names[len(names)-1] == name {
			continue
		}
		names = append(names, name)
		if !slices.Contains(nodes, n) {
			nodes = append(nodes, n)
		}
	}
	r.add(graph.Error, CodeGroupCycle, -1, nodes, "blocking cycle through a group: %s; make one of its edges non-blocking if it is a loop", strings.Join(names, " -> "))
}
