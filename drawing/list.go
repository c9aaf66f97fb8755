package drawing

import (
	"slices"
	"strconv"

	"github.com/charmbracelet/x/ansi"
)

// list draws one row per node, with the edges as lanes to the left.
type list struct {
	graph  *Graph
	web    *web
	node   []int32 // by row
	place  []int32 // row by vertex
	row    []int32 // by node; -1 = hidden
	vertex []int32 // by node; -1 = hidden
	lanes  *lanes
	names  []string   // by row
	back   [][]string // by row: the names to which loops lead
	wide   int        // columns of the longest name
	order  []Item

	// Of the frame.
	look  Look
	lines laneLook
}

func newList(g *Graph, o Options) *list {
	w, nodes, vertex := contract(g, o.Hidden)
	l := &list{graph: g, web: w, row: slices.Clone(vertex), vertex: vertex, place: make([]int32, w.size)}
	for r, v := range w.rows() {
		l.place[v] = int32(r)
		l.node = append(l.node, nodes[v])
		l.order = append(l.order, NodeItem(int(nodes[v])))
	}
	for r, v := range l.node {
		l.row[v] = int32(r)
		name := nodeName(g, v)
		l.names = append(l.names, name)
		l.wide = max(l.wide, ansi.StringWidth(name))
	}
	l.back = make([][]string, w.size)
	for v, targets := range w.loopTargets() {
		for _, t := range targets {
			l.back[l.place[v]] = append(l.back[l.place[v]], l.names[l.place[t]])
		}
	}
	l.lanes = newLanes(w, l.place)
	return l
}

func (l *list) show(look Look) {
	l.look = look
	selected := int32(-1)
	if item := l.seen(look.Selected); item != Nothing {
		selected = l.row[item.Index]
	}
	l.lanes.look(&l.lines, selected, func(row int32) State { return l.graph.Nodes[l.node[row]].State })
}

func (l *list) size() (int, int) { return l.look.Width, len(l.node) }
func (l *list) items() []Item    { return l.order }

func (l *list) seen(item Item) Item {
	if item.Kind != ANode || int(item.Index) >= len(l.row) || l.row[item.Index] < 0 {
		return Nothing
	}
	return item
}

func (l *list) where(item Item) Rect {
	if item.Kind != ANode {
		return Rect{}
	}
	return Rect{0, int(l.row[item.Index]), l.look.Width, 1}
}

func (l *list) at(p Point) Item {
	if p.Y < 0 || p.Y >= len(l.node) {
		return Nothing
	}
	return l.order[p.Y]
}

func (l *list) nodes(item Item) []int {
	if item.Kind != ANode {
		return nil
	}
	return []int{int(item.Index)}
}

func (l *list) key(item Item) string {
	if item.Kind != ANode {
		return ""
	}
	return l.graph.Nodes[item.Index].ID
}

func (l *list) name(item Item) string {
	if item = l.seen(item); item == Nothing {
		return ""
	}
	return l.names[l.row[item.Index]]
}

// move goes to the row above or below; to the left and right, along edges.
func (l *list) move(from Item, d Direction) Item {
	row := int(l.row[from.Index])
	switch d {
	case Up:
		row = max(row-1, 0)
	case Down:
		row = min(row+1, len(l.order)-1)
	default:
		if near := l.near(from, d == Right); len(near) > 0 {
			return near[0]
		}
	}
	return l.order[row]
}

func (l *list) near(item Item, forward bool) []Item {
	if item = l.seen(item); item == Nothing {
		return nil
	}
	var items []Item
	for _, v := range l.web.near(l.vertex[item.Index], forward, func(v int32) int32 { return l.place[v] }) {
		items = append(items, l.order[l.place[v]])
	}
	return items
}

func (l *list) draw(grid *Grid, from Point) {
	for y := range grid.Height {
		if r := from.Y + y; r >= 0 && r < len(l.node) {
			l.drawRow(grid, y, r)
		}
	}
}

func (l *list) drawRow(grid *Grid, y, r int) {
	n := &l.graph.Nodes[l.node[r]]
	p := pen{grid: grid, y: y, item: l.order[r], ascii: l.look.ASCII}
	if p.item == l.look.Selected {
		p.mods |= Selected
	}
	if n.Marked {
		p.mods |= Marked
	}
	l.lanes.draw(grid, y, int32(r), int32(r), &l.lines, p.ascii)
	p.state(2*int(l.lanes.rows[r].at), n.State)
	x := 2*l.lanes.width + 1
	name := max(min(l.wide, grid.Width-x-leastDetail), min(l.wide, leastName))
	p.clipped(x, l.names[r], name, InkText)
	x += name + 2
	x += p.detail(x, n) + 2
	if marked, all := l.tokens(r); marked > 0 {
		token, _ := mark(&Edge{Marked: true}, p.ascii)
		x += p.put(x, token+strconv.Itoa(marked)+"/"+strconv.Itoa(all), InkDim) + 2
	}
	x += p.loops(x, l.back[r])
	details := detailWidth
	if grid.Width < narrowPane {
		details = shortDetail
	}
	p.command(max(x, 2*l.lanes.width+1+name+2+details), n)
}

// tokens counts the edges to the node of a row that bear a token, and all edges that it waits for.
func (l *list) tokens(r int) (marked, all int) {
	for _, i := range l.web.in[l.vertex[l.node[r]]] {
		if a := &l.web.arcs[i]; a.edge >= 0 && !a.weak {
			all++
			if l.graph.Edges[a.edge].Marked {
				marked++
			}
		}
	}
	return marked, all
}
