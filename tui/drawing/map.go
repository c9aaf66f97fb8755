package drawing

import "slices"

// maps draws one cell per node, in topological order, in rows as wide as the pane. If there are more nodes than
// cells, a cell shows the most urgent of several nodes.
type maps struct {
	graph *Graph
	web   *web
	node  []int32 // by place
	place []int32 // by node; -1 = hidden

	vertex, nodeAt []int32 // of the web: vertex by node, node by vertex

	// Of the frame.
	order []Item // the first node of each cell
	look  Look
	per   int // nodes per cell
	width int // cells per row
}

func newMap(g *Graph, o Options) *maps {
	w, nodes, vertex := contract(g, o.Hidden)
	m := &maps{graph: g, web: w, place: slices.Clone(vertex), vertex: vertex, nodeAt: nodes, per: 1, width: 1}
	for _, v := range w.rows() {
		m.node = append(m.node, nodes[v])
	}
	for i, v := range m.node {
		m.place[v] = int32(i)
	}
	return m
}

func (m *maps) show(look Look) {
	m.look, m.width, m.per = look, max(look.Width, 1), 1
	if cells := m.width * look.Height; cells > 0 {
		m.per = max((len(m.node)+cells-1)/cells, 1)
	}
	m.order = m.order[:0]
	for i := 0; i < len(m.node); i += m.per {
		m.order = append(m.order, NodeItem(int(m.shown(i))))
	}
}

// shown returns the node that a cell shows: the selected one, or the most urgent one. The nodes of the cell start at
// place i.
func (m *maps) shown(i int) int32 {
	best := m.node[i]
	for _, v := range m.node[i:min(i+m.per, len(m.node))] {
		if NodeItem(int(v)) == m.look.Selected {
			return v
		}
		if state := m.graph.Nodes[v].State; state != m.graph.Nodes[best].State && Worst(m.graph.Nodes[best].State, state) == state {
			best = v
		}
	}
	return best
}

func (m *maps) size() (int, int) {
	return min(m.width, len(m.order)), (len(m.order) + m.width - 1) / m.width
}

func (m *maps) items() []Item { return m.order }

// cell returns the number of the cell of an item, or -1.
func (m *maps) cell(item Item) int {
	item = m.graph.owner(item)
	if item.Kind != ANode || int(item.Index) >= len(m.place) || m.place[item.Index] < 0 {
		return -1
	}
	return int(m.place[item.Index]) / m.per
}

func (m *maps) seen(item Item) Item {
	if c := m.cell(item); c >= 0 {
		return m.order[c]
	}
	return Nothing
}

func (m *maps) where(item Item) Rect {
	c := m.cell(item)
	if c < 0 {
		return Rect{}
	}
	return Rect{c % m.width, c / m.width, 1, 1}
}

func (m *maps) at(p Point) Item {
	if c := p.Y*m.width + p.X; p.X >= 0 && p.X < m.width && c >= 0 && c < len(m.order) {
		return m.order[c]
	}
	return Nothing
}

func (m *maps) nodes(item Item) []int {
	if m.cell(item) < 0 {
		return nil
	}
	return []int{int(item.Index)}
}

func (m *maps) key(item Item) string {
	if m.cell(item) < 0 {
		return ""
	}
	return m.graph.Nodes[item.Index].ID
}

func (m *maps) name(item Item) string {
	if m.cell(item) < 0 {
		return ""
	}
	return nodeName(m.graph, item.Index)
}

// move goes to the next cell in a direction, and from the end of a row to the next row.
func (m *maps) move(from Item, d Direction) Item {
	c := m.cell(from)
	to := c + [...]int{Up: -m.width, Down: m.width, Left: -1, Right: 1}[d]
	if to < 0 || to >= len(m.order) {
		return m.order[c]
	}
	return m.order[to]
}

func (m *maps) near(item Item, forward bool) []Item {
	if m.cell(item) < 0 {
		return nil
	}
	var items []Item
	for _, v := range m.web.near(m.vertex[item.Index], forward, func(v int32) int32 { return m.place[m.nodeAt[v]] }) {
		items = append(items, NodeItem(int(m.nodeAt[v])))
	}
	return items
}

func (m *maps) draw(grid *Grid, from Point) {
	for y := range grid.Height {
		for x := range min(grid.Width, m.width-from.X) {
			c := (y+from.Y)*m.width + x + from.X
			if c < 0 || c >= len(m.order) {
				return
			}
			p := newPen(grid, y, m.order[c], &m.look)
			n := &m.graph.Nodes[p.item.Index]
			if slices.ContainsFunc(m.node[c*m.per:min((c+1)*m.per, len(m.node))], func(v int32) bool { return m.graph.Nodes[v].Marked }) {
				p.mods |= Marked
			}
			p.state(x, n.State)
		}
	}
}
