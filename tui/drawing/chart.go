package drawing

import (
	"cmp"
	"maps"
	"slices"

	kernel "wf/graph/picture"
	"wf/tui/painter"
	"wf/tui/plain"
)

// A chart draws a graph with the kernel of all drawings (graph/picture): boxes of nodes and stages, and lines between
// them. Where everything is depends on the structure, the pane and what the user has opened; never on states.
type chart struct {
	graph  *Graph
	o      Options
	node   []int32 // by vertex of the kernel
	vertex []int32 // by node; -1 = hidden
	input  input
	edge   []int32 // by edge of the kernel: the edge of the graph, or -1 for a path through hidden nodes
	stage  []int   // by vertex, once it is needed

	*plot
	next *plotting // in the background; nil = none

	// Of the frame.
	look   Look
	order  []Item           // boxes in the order of the flow, each followed by its rows
	states []State          // by box
	marked []bool           // by box: it or one of its nodes is marked
	inks   map[[2]int]Style // of lines, by track and piece
	lens   lens
}

// An input is what the kernel draws.
type input struct {
	vertices []kernel.Vertex
	edges    []kernel.Edge
	across   []float64
}

// Widths of the text that a node gets: time and attempt, and counts of instances; and the least width of rows.
const (
	noteWidth      = 7
	instancesWidth = 16
	rowsWidth      = 40
)

func newChart(g *Graph, o Options) *chart {
	w, nodes, vertex := contract(g, o.Hidden)
	c := &chart{graph: g, o: o, node: nodes, vertex: vertex}
	names := make([]string, len(nodes))
	for i, v := range nodes {
		names[i] = nodeName(g, v)
	}
	names = painter.ShortNames(names)
	c.input.vertices = make([]kernel.Vertex, len(nodes))
	for i, v := range nodes {
		n := &g.Nodes[v]
		c.input.vertices[i] = kernel.Vertex{Name: names[i], Group: plain.Line(n.Group), Command: n.Command, Signs: n.Signs}
		if n.Folds {
			c.input.vertices[i].Note = instancesWidth
		}
	}
	c.link(w)
	c.input.across = crossPlaces(g, nodes, w)
	return c
}

// link lists the edges between visible nodes, and the paths between them through hidden ones. An edge of a cycle that
// blocks has that as its condition.
func (c *chart) link(w *web) {
	cycles := map[[2]int32]bool{}
	for i := range w.arcs {
		a := &w.arcs[i]
		if a.cycle {
			cycles[[2]int32{a.from, a.to}] = true
		}
		if a.via && !a.edged {
			c.input.edges = append(c.input.edges, kernel.Edge{From: int(a.from), To: int(a.to), Weak: a.weak})
			c.edge = append(c.edge, -1)
		}
	}
	for i := range c.graph.Edges {
		e := &c.graph.Edges[i]
		from, to := c.vertex[e.From], c.vertex[e.To]
		if from < 0 || to < 0 {
			continue
		}
		when := plain.Line(e.When)
		if cycles[[2]int32{from, to}] && !e.NonBlocking {
			when = "cycle"
		}
		c.input.edges = append(c.input.edges, kernel.Edge{From: int(from), To: int(to), Weak: e.NonBlocking, When: when})
		c.edge = append(c.edge, int32(i))
	}
}

// crossPlaces returns the positions of the nodes in the file, across the direction of most edges, or nil if a node
// has no position.
func crossPlaces(g *Graph, nodes []int32, w *web) []float64 {
	var along, across float64
	for _, v := range nodes {
		if !g.Nodes[v].Placed {
			return nil
		}
	}
	for _, a := range w.arcs {
		from, to := &g.Nodes[nodes[a.from]], &g.Nodes[nodes[a.to]]
		along += max(to.X-from.X, from.X-to.X)
		across += max(to.Y-from.Y, from.Y-to.Y)
	}
	places := make([]float64, len(nodes))
	for i, v := range nodes {
		if places[i] = g.Nodes[v].Y; across > along { // drawn from top to bottom
			places[i] = g.Nodes[v].X
		}
	}
	return places
}

// opened lists the vertices that the user has opened.
func (c *chart) opened(expanded map[string]bool) (open []int) {
	if len(expanded) == 0 {
		return nil
	}
	for i, v := range c.node {
		if expanded[c.graph.Nodes[v].ID] {
			open = append(open, i)
		}
	}
	return open
}

// show takes the current states.
func (c *chart) show(look Look) {
	c.look = look
	c.build(look)
	c.paint.ASCII = look.ASCII
	c.order = c.order[:0]
	for _, i := range c.boxes {
		c.order = append(c.order, c.item[i])
		if c.item[i].Kind == ANode {
			from, to := c.graph.rowsOf(c.item[i].Index)
			for r := from; r < min(to, from+c.scene.Boxes[i].Rows); r++ {
				c.order = append(c.order, Item{ARow, int32(r)})
			}
		}
	}
	if c.inks == nil {
		c.inks = map[[2]int]Style{}
	}
	clear(c.inks)
	c.now()
	c.focus()
}

func (c *chart) size() (int, int) { return c.scene.W, c.scene.H }
func (c *chart) items() []Item    { return c.order }

// boxOf returns the box that shows an item, or -1.
func (c *chart) boxOf(item Item) int {
	item = c.graph.owner(item)
	if item.Kind != ANode && item.Kind != AStage || int(item.Index) >= len(c.vertex) || c.vertex[item.Index] < 0 || len(c.scene.Boxes) == 0 {
		return -1
	}
	return c.scene.Box[c.vertex[item.Index]]
}

func (c *chart) seen(item Item) Item {
	b := c.boxOf(item)
	switch {
	case b < 0:
		return Nothing
	case item.Kind == ARow && c.item[b].Kind == ANode && c.rowOf(item) < c.scene.Boxes[b].Rows:
		return item
	}
	return c.item[b]
}

// rowOf returns the place of a row below its node, from 0.
func (c *chart) rowOf(item Item) int {
	first, _ := c.graph.rowsOf(c.graph.owner(item).Index)
	return int(item.Index) - first
}

func (c *chart) where(item Item) Rect {
	b := c.boxOf(item)
	switch {
	case b < 0:
		return Rect{}
	case item.Kind == ARow && c.item[b].Kind == ANode:
		return Rect(c.paint.Row(b, c.rowOf(item)))
	}
	r := c.scene.Boxes[b].Rect
	if c.scene.Boxes[b].Rows > 0 {
		r.H = c.paint.Row(b, 0).Y - r.Y
	}
	return Rect(r)
}

func (c *chart) at(p Point) Item {
	i := c.scene.At(kernel.Point(p))
	if i < 0 {
		return Nothing
	}
	if b := &c.scene.Boxes[i]; b.Rows > 0 {
		if row := p.Y - c.paint.Row(i, 0).Y; row >= 0 && row < b.Rows {
			from, to := c.graph.rowsOf(c.item[i].Index)
			if from+row < to {
				return Item{ARow, int32(from + row)}
			}
		}
	}
	return c.item[i]
}

func (c *chart) nodes(item Item) []int {
	b := c.boxOf(item)
	switch {
	case b < 0:
		return nil
	case item.Kind == ANode:
		return []int{int(item.Index)}
	}
	var nodes []int
	for _, v := range c.scene.Boxes[b].Members {
		nodes = append(nodes, int(c.node[v]))
	}
	return nodes
}

func (c *chart) key(item Item) string {
	if nodes := c.nodes(item); len(nodes) > 0 {
		return c.graph.Nodes[nodes[0]].ID
	}
	return ""
}

func (c *chart) name(item Item) string {
	b := c.boxOf(item)
	switch {
	case b < 0:
		return ""
	case item.Kind == ANode:
		return nodeName(c.graph, item.Index)
	}
	return c.scene.Boxes[b].Full
}

// near lists the boxes that lines join with that of an item, in the order of the flow.
func (c *chart) near(item Item, forward bool) []Item {
	b := c.boxOf(item)
	if b < 0 {
		return nil
	}
	found := map[int]bool{}
	for i := range c.scene.Tracks {
		for k := range c.scene.Tracks[i].Arcs {
			a := &c.scene.Tracks[i].Arcs[k]
			if from, to := a.From, a.To; forward && from == b {
				found[to] = true
			} else if !forward && to == b {
				found[from] = true
			}
		}
	}
	place := map[int]int{}
	for at, i := range c.boxes {
		place[i] = at
	}
	list := slices.SortedFunc(maps.Keys(found), func(i, j int) int { return cmp.Compare(place[i], place[j]) })
	items := make([]Item, len(list))
	for i, b := range list {
		items[i] = c.item[b]
	}
	return items
}

// stageOf returns the stage of a node.
func (c *chart) stageOf(node int) int {
	if c.stage == nil {
		c.stage = kernel.StagesOf(c.input.vertices, c.input.edges)
	}
	return c.stage[c.vertex[node]]
}

// stageKeys returns the keys of the stages of an item that is folded: of each the first node.
func (c *chart) stageKeys(item Item) (keys []string) {
	if c.seen(item).Kind != AStage {
		return nil
	}
	seen := map[int]bool{}
	for _, v := range c.nodes(item) {
		if s := c.stageOf(v); !seen[s] {
			seen[s] = true
			keys = append(keys, c.graph.Nodes[v].ID)
		}
	}
	return keys
}

// openKeys returns the keys of the nodes for which the stage of a node is open.
func (c *chart) openKeys(item Item) (keys []string) {
	if item.Kind != ANode || c.boxOf(item) < 0 {
		return nil
	}
	mine := c.stageOf(int(item.Index))
	for _, v := range c.node {
		if id := c.graph.Nodes[v].ID; c.look.Expanded[id] && c.stageOf(int(v)) == mine {
			keys = append(keys, id)
		}
	}
	return keys
}
