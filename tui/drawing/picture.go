package drawing

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/charmbracelet/x/ansi"

	"wf/tui/plain"
)

// maxName is the maximum width of a name in a chip.
const maxName = 24

// picture draws a graph in layers, with a chip for each node or stage.
type picture struct {
	graph  *Graph
	zoom   Zoom
	web    *web
	of     []int32 // vertex by node; -1 = hidden
	nodeAt []int32 // node by vertex; nil if vertices are stages
	stages *folded // nil = vertices are nodes
	layers *layers
	labels []label // by vertex
	starts []int   // column of the chips of each layer
	widths []int   // width of the widest chip of each layer
	width  int
	rows   [][]int32 // vertices by layer, from top to bottom
	item   []Item    // by vertex
	when   []string  // by vertex: the condition of the only edge to it

	chipOrder []Item // from top to bottom, then from left to right

	// Of the frame.
	look   Look
	order  []Item   // the chips, each followed by the rows below it
	gaps   []int    // by row: number of lines below the chips above it; nil = none
	states []State  // by vertex
	counts []Counts // of stages, by vertex
	inks   []Ink    // by bundle: the ink of its most urgent source
	brush  brush
}

// A label is the part of a chip's text that stays the same between pictures.
type label struct {
	name  string
	wide  int // width of the name
	width int // width of the chip, including its sign and its changing part
	times string
	loops string // names of the targets or sources of loops
	text  string // the command, for boxes
}

func newPicture(g *Graph, o Options) *picture {
	w, nodes, vertex := contract(g, o.Hidden)
	p := &picture{graph: g, zoom: o.Zoom, web: w, of: vertex, nodeAt: nodes}
	if o.Folded {
		p.stages = newFolded(g, w, nodes)
		p.web, p.of, p.nodeAt = p.stages.web, p.stages.of, nil
	}
	var cross []float64
	if p.stages == nil {
		cross = crossPlaces(g, nodes, w)
	}
	p.layers = newLayers(p.web, cross)
	p.when = conditions(g, p.web)
	p.label()
	p.columns()
	p.sortItems()
	p.unfold()
	return p
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

// label creates the texts of the chips.
func (p *picture) label() {
	p.labels = make([]label, p.web.size)
	p.item = make([]Item, p.web.size)
	for v := range p.labels {
		l := &p.labels[v]
		count := 1
		if p.stages != nil {
			s := &p.stages.stages[v]
			l.name, count = s.name, len(s.nodes)
			p.item[v] = Item{AStage, int32(v)}
			if count == 1 {
				p.item[v] = NodeItem(int(s.nodes[0]))
			}
			l.text = beginning(p.graph.Nodes[s.nodes[0]].Command, boxText)
		} else {
			l.name, l.text = nodeName(p.graph, p.nodeAt[v]), beginning(p.graph.Nodes[p.nodeAt[v]].Command, boxText)
			p.item[v] = NodeItem(int(p.nodeAt[v]))
		}
		l.wide = ansi.StringWidth(l.name)
		l.width = 2 + min(l.wide, maxName)
		if count > 1 {
			l.times = strconv.Itoa(count)
			l.width += 2 + 2*len(l.times) + 1 + 2 + len(l.times) // ` 815/831 ✗16`
		} else if p.zoom != Chip {
			l.width += 1 + timeWidth
		}
		if n := p.onlyNode(int32(v)); n != nil && n.Folds {
			if l.width += 1 + instancesWidth; n.Open {
				l.width = max(l.width, openWidth)
			}
		}
	}
	for _, a := range p.web.arcs {
		if a.back {
			p.labels[a.from].loops += " " + loopTarget{a.to, a.cycle}.text(p.labels[a.to].name)
			p.labels[a.to].loops += " " + loopTarget{a.from, a.cycle}.text(p.labels[a.from].name)
		}
	}
	for v, loops := range p.web.loops {
		if loops {
			p.labels[v].loops += " " + p.labels[v].name
		}
	}
	for v := range p.labels {
		if l := &p.labels[v]; l.loops != "" {
			l.loops = l.loops[1:]
			l.width += 3 + min(ansi.StringWidth(l.loops), maxLoops)
		}
	}
}

// Widths of the time in a chip, of the names of loops, and of the text of a box.
const (
	timeWidth = 7
	maxLoops  = 16
	boxFrame  = 4
	boxText   = 26 // of a command
)

// pitch returns the height of a row of the layout in cells.
func (p *picture) pitch() int {
	if p.zoom == Box {
		return 3
	}
	return 1
}

// columns computes the columns of the layers. The chips of a layer begin in the same column, and its lines end in the
// same column.
func (p *picture) columns() {
	l := p.layers
	p.starts, p.widths = make([]int, len(l.Order)), make([]int, len(l.Order))
	p.rows = make([][]int32, len(l.Order))
	x := 0
	heads := p.heads()
	for i, layer := range l.Order {
		for _, q := range layer {
			if v := l.Points[q].Vertex; v >= 0 {
				if p.zoom == Box {
					p.labels[v].width = max(p.labels[v].width, min(ansi.StringWidth(plain.Command(p.labels[v].text, true)), boxText)) + boxFrame
				}
				p.widths[i] = max(p.widths[i], p.labels[v].width)
				p.rows[i] = append(p.rows[i], v)
			}
		}
		if p.zoom == Box {
			for _, v := range p.rows[i] {
				p.labels[v].width = p.widths[i]
			}
		}
		p.starts[i] = x
		x += p.widths[i]
		p.width = x
		x += 2 + trackColumns(l.tracks[i]) + 2
		if i+1 < len(heads) {
			x += heads[i+1]
		}
	}
}

// trackColumns returns the width of n tracks.
func trackColumns(n int) int {
	if n == 0 {
		return 0
	}
	return (n-1)*trackPitch + 1
}

// track returns the column of the vertical line of a link.
func (p *picture) track(a *link) int {
	return p.starts[a.Layer] + p.widths[a.Layer] + 2 + int(a.track)*trackPitch
}

func (p *picture) sortItems() {
	vertices := make([]int32, p.web.size)
	for v := range vertices {
		vertices[v] = int32(v)
	}
	slices.SortFunc(vertices, func(a, b int32) int {
		return cmp.Or(cmp.Compare(p.layers.row[a], p.layers.row[b]), cmp.Compare(p.layers.Points[a].Layer, p.layers.Points[b].Layer))
	})
	for _, v := range vertices {
		p.chipOrder = append(p.chipOrder, p.item[v])
	}
}

// show takes the current states. The state of a stage and the ink of a shared line are the most urgent ones.
func (p *picture) show(look Look) {
	p.look = look
	if p.states == nil {
		p.states, p.counts = make([]State, p.web.size), make([]Counts, p.web.size)
	}
	for v := range p.states {
		if p.stages == nil {
			p.states[v] = p.graph.Nodes[p.nodeAt[v]].State
			continue
		}
		p.counts[v] = p.graph.countOf(p.stages.stages[v].nodes)
		p.states[v] = stageState(&p.counts[v])
	}
	p.inks = p.inks[:0]
	for i := range p.layers.shares {
		sources := p.layers.shares[i].Sources
		state := p.states[sources[0]]
		for _, v := range sources[1:] {
			state = Worst(state, p.states[v])
		}
		p.inks = append(p.inks, InkOf(state))
	}
	p.dimDead()
	p.unfold()
}

func (p *picture) size() (int, int) { return p.width, p.top(int32(p.layers.rows)) }
func (p *picture) items() []Item    { return p.order }

// vertex returns the vertex that shows an item, or -1.
func (p *picture) vertex(item Item) int32 {
	item = p.graph.owner(item)
	switch {
	case item.Kind == ANode && int(item.Index) < len(p.of):
		return p.of[item.Index]
	case item.Kind == AStage && p.stages != nil && int(item.Index) < len(p.item):
		return item.Index
	}
	return -1
}

func (p *picture) seen(item Item) Item {
	v := p.vertex(item)
	switch {
	case v < 0:
		return Nothing
	case item.Kind == ARow && p.stages == nil:
		return item
	}
	return p.item[v]
}

// onlyNode returns the node of a vertex, or nil if the vertex is a stage.
func (p *picture) onlyNode(v int32) *Node {
	if p.stages != nil {
		return nil
	}
	return &p.graph.Nodes[p.nodeAt[v]]
}

func (p *picture) where(item Item) Rect {
	v := p.vertex(item)
	if v < 0 {
		return Rect{}
	}
	if item.Kind == ARow && p.stages == nil {
		return p.whereRow(item)
	}
	return Rect{p.starts[p.layers.Points[v].Layer], p.top(p.layers.row[v]), p.labels[v].width, p.pitch()}
}

func (p *picture) at(point Point) Item {
	layer, found := slices.BinarySearch(p.starts, point.X)
	if !found {
		layer--
	}
	if layer < 0 || point.Y < 0 {
		return Nothing
	}
	i, found := p.find(layer, p.rowAt(point.Y))
	if !found {
		return Nothing
	}
	item := p.atRow(p.rows[layer][i], point.Y)
	if item == Nothing || !p.where(item).Contains(point) {
		return Nothing
	}
	return item
}

// find returns the index in its layer of the vertex in a row, or the index where it would be inserted.
func (p *picture) find(layer int, row int32) (int, bool) {
	return slices.BinarySearchFunc(p.rows[layer], row, func(v, row int32) int { return int(p.layers.row[v]) - int(row) })
}

func (p *picture) nodes(item Item) []int {
	v := p.vertex(item)
	switch {
	case v < 0:
		return nil
	case item.Kind == ANode:
		return []int{int(item.Index)}
	}
	var nodes []int
	for _, n := range p.stages.stages[v].nodes {
		nodes = append(nodes, int(n))
	}
	return nodes
}

func (p *picture) key(item Item) string {
	if nodes := p.nodes(item); len(nodes) > 0 {
		return p.graph.Nodes[nodes[0]].ID
	}
	return ""
}

func (p *picture) name(item Item) string {
	if v := p.vertex(item); v >= 0 && p.item[v] == item {
		return p.labels[v].name
	} else if v >= 0 {
		return nodeName(p.graph, item.Index)
	}
	return ""
}

// move goes to the next chip of the layer, or to the nearest one of the neighbouring layer.
func (p *picture) move(from Item, d Direction) Item {
	if to, ok := p.step(from, d); ok {
		return to
	}
	v := p.vertex(from)
	layer, row := int(p.layers.Points[v].Layer), p.layers.row[v]
	i, _ := p.find(layer, row)
	switch d {
	case Up:
		i = max(i-1, 0)
	case Down:
		i = min(i+1, len(p.rows[layer])-1)
	case Left, Right:
		beside := layer + 1
		if d == Left {
			beside = layer - 1
		}
		if beside < 0 || beside >= len(p.rows) {
			return from
		}
		layer = beside
		i, _ = p.find(layer, row)
		if i == len(p.rows[layer]) || i > 0 && row-p.layers.row[p.rows[layer][i-1]] <= p.layers.row[p.rows[layer][i]]-row {
			i--
		}
		i = max(i, 0)
	}
	to := p.item[p.rows[layer][i]]
	if d == Up && to != p.graph.owner(from) {
		return p.lastOf(to)
	}
	return to
}

func (p *picture) near(item Item, forward bool) []Item {
	v := p.vertex(item)
	if v < 0 {
		return nil
	}
	others := p.web.near(v, forward, func(v int32) int32 { return p.layers.row[v] })
	items := make([]Item, len(others))
	for i, o := range others {
		items[i] = p.item[o]
	}
	return items
}
