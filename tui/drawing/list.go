package drawing

import (
	"slices"
	"strconv"

	"github.com/charmbracelet/x/ansi"

	"wf/graph/components"
	"wf/tui/painter"
	"wf/tui/words"
)

// A list draws one row per node, with the edges as lanes on the left.
type list struct {
	graph  *Graph
	web    *web
	node   []int32 // by row
	place  []int32 // row by vertex
	row    []int32 // by node; -1 = hidden
	vertex []int32 // by node; -1 = hidden
	lanes  *lanes
	when   []string   // by vertex: the condition of the only edge to it
	names  []string   // by row, without what most of them begin with
	back   [][]string // by row: the names of the targets of loops
	wide   int        // width of the longest name
	extra  int        // width of the column of conditions and loops; 0 = there are none
	part   []int32    // component by row
	alone  []bool     // by component: it has one node

	// Of the frame.
	order []Item  // by line: the row of a node, or a row below it; Nothing = a blank line between components
	rows  []int32 // by line: the number of the node's row
	shown []Item  // order without blank lines
	line  []int32 // by row: the number of its line
	look  Look
	lines laneLook
}

func newList(g *Graph, o Options) *list {
	w, nodes, vertex := contract(g, o.Hidden)
	l := &list{graph: g, web: w, row: slices.Clone(vertex), vertex: vertex, place: make([]int32, w.size)}
	for r, v := range l.byPart(w) {
		l.place[v] = int32(r)
		l.node = append(l.node, nodes[v])
	}
	for r, v := range l.node {
		l.row[v] = int32(r)
		l.names = append(l.names, nodeName(g, v))
	}
	l.names = painter.ShortNames(l.names)
	for _, name := range l.names {
		l.wide = max(l.wide, ansi.StringWidth(name))
	}
	l.back = make([][]string, w.size)
	for v, targets := range w.loopTargets() {
		for _, t := range targets {
			l.back[l.place[v]] = append(l.back[l.place[v]], t.text(l.names[l.place[t.to]]))
		}
	}
	l.lanes = newLanes(w, l.place)
	l.when = conditions(g, w)
	l.measureExtra()
	l.unfold()
	return l
}

// byPart returns an order of the vertices in which arcs lead down and components stay together, in the order of their
// first vertices.
func (l *list) byPart(w *web) []int32 {
	rows := w.rows()
	of, count := components.Connected(w.size, func(yield func(a, b int32) bool) {
		for i := range w.arcs {
			if !yield(w.arcs[i].from, w.arcs[i].to) {
				return
			}
		}
	})
	first, size := make([]int, count), make([]int, count) // by component: its first row, and the number of its vertices
	for r, v := range slices.Backward(rows) {
		first[of[v]] = r
		size[of[v]]++
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return first[of[a]] - first[of[b]] })
	for _, v := range rows {
		l.part = append(l.part, of[v])
	}
	for _, n := range size {
		l.alone = append(l.alone, n == 1)
	}
	return rows
}

// unfold computes the lines: one for each node, followed by those of its rows.
func (l *list) unfold() {
	l.order, l.rows, l.line = l.order[:0], l.rows[:0], l.line[:0]
	for r, v := range l.node {
		if r > 0 && l.part[r] != l.part[r-1] && !(l.alone[l.part[r]] && l.alone[l.part[r-1]]) {
			l.order, l.rows = append(l.order, Nothing), append(l.rows, -1)
		}
		l.line = append(l.line, int32(len(l.order)))
		l.order, l.rows = append(l.order, NodeItem(int(v))), append(l.rows, int32(r))
		from, to := l.graph.rowsOf(v)
		for i := from; i < to; i++ {
			l.order, l.rows = append(l.order, Item{ARow, int32(i)}), append(l.rows, int32(r))
		}
	}
	l.shown = l.shown[:0]
	for _, item := range l.order {
		if item != Nothing {
			l.shown = append(l.shown, item)
		}
	}
}

func (l *list) show(look Look) {
	l.look = look
	if len(l.graph.Rows) > 0 || len(l.shown) > len(l.node) {
		l.unfold()
	}
	selected := int32(-1)
	if item := l.seen(l.graph.owner(look.Selected)); item != Nothing {
		selected = l.row[item.Index]
	}
	l.lanes.look(&l.lines, selected, func(row int32) State { return l.graph.Nodes[l.node[row]].State })
	dimDeadLanes(l.graph, l.lanes, &l.lines)
}

func (l *list) size() (int, int) { return l.look.Width, len(l.order) }
func (l *list) items() []Item    { return l.shown }

func (l *list) seen(item Item) Item {
	owner := l.graph.owner(item)
	if owner.Kind != ANode || int(owner.Index) >= len(l.row) || l.row[owner.Index] < 0 {
		return Nothing
	}
	if item.Kind == ARow && l.lineOf(item) < 0 {
		return owner
	}
	return item
}

// lineOf returns the line of an item, or -1.
func (l *list) lineOf(item Item) int {
	owner := l.graph.owner(item)
	if owner.Kind != ANode {
		return -1
	}
	at := int(l.line[l.row[owner.Index]])
	if item.Kind == ARow {
		first, _ := l.graph.rowsOf(owner.Index)
		if at += 1 + int(item.Index) - first; at >= len(l.order) || l.order[at] != item {
			return -1 // the rows have changed since the latest Show
		}
	}
	return at
}

func (l *list) where(item Item) Rect {
	if item = l.seen(item); item == Nothing {
		return Rect{}
	}
	return Rect{0, l.lineOf(item), l.look.Width, 1}
}

func (l *list) at(p Point) Item {
	if p.Y < 0 || p.Y >= len(l.order) {
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
	return nodeName(l.graph, l.graph.owner(item).Index)
}

// move goes to the row above or below, or along edges to the left and right.
func (l *list) move(from Item, d Direction) Item {
	row, step := l.lineOf(from), 0
	switch d {
	case Up:
		step = -1
	case Down:
		step = 1
	default:
		if near := l.near(l.graph.owner(from), d == Right); len(near) > 0 {
			return near[0]
		}
		return from
	}
	for to := row + step; to >= 0 && to < len(l.order); to += step {
		if l.order[to] != Nothing {
			return l.order[to]
		}
	}
	return from
}

func (l *list) near(item Item, forward bool) []Item {
	if item = l.seen(item); item == Nothing {
		return nil
	}
	var items []Item
	for _, v := range l.web.near(l.vertex[item.Index], forward, func(v int32) int32 { return l.place[v] }) {
		items = append(items, NodeItem(int(l.node[l.place[v]])))
	}
	return items
}

func (l *list) draw(grid *Grid, from Point) {
	for y := range grid.Height {
		at := from.Y + y
		switch {
		case at < 0 || at >= len(l.order) || l.order[at] == Nothing:
		case l.order[at].Kind == ARow:
			l.drawInner(grid, y, at)
		default:
			l.drawRow(grid, y, int(l.rows[at]))
		}
	}
}

// drawInner draws a line below the line of its node.
func (l *list) drawInner(grid *Grid, y, at int) {
	p := newPen(grid, y, l.order[at], &l.look)
	l.lanes.below(grid, y, l.rows[at], &l.lines, p.ascii)
	x := 2*l.lanes.width + 3
	p.inner(x, &l.graph.Rows[p.item.Index], grid.Width-x)
}

func (l *list) drawRow(grid *Grid, y, r int) {
	n := &l.graph.Nodes[l.node[r]]
	p := newPen(grid, y, NodeItem(int(l.node[r])), &l.look)
	if n.Marked {
		p.mods |= Marked
	}
	l.lanes.draw(grid, y, int32(r), &l.lines, p.ascii)
	p.state(2*int(l.lanes.row(int32(r)).at), n.State)
	x := 2*l.lanes.width + 1
	name := max(min(l.wide, grid.Width-x-leastDetail), min(l.wide, leastName))
	p.clipped(x, l.names[r], name, nameInk(n.State))
	x += name + 2
	details := detailWidth
	if grid.Width < narrowPane {
		details = shortDetail
	}
	next := x + details + 2
	command := next + l.extra
	if grid.Width-command-1 < leastText && !l.hasExtra(r) {
		command = next // in the column of conditions, which this row does not need
	}
	room := grid.Width - x
	if l.hasExtra(r) {
		room = min(room, details)
	}
	used := l.drawState(&p, x, room, n, r)
	at := next + p.condition(next, l.when[l.vertex[l.node[r]]])
	p.loops(at, l.back[r])
	if used <= details { // a longer state has the room of the command: it says more
		p.command(command, n)
	}
}

// drawState draws the counts of a node, its detail, and the tokens on the edges to it, in a column of a fixed width, so that the texts
// after it are below one another. It returns the columns that it used.
func (l *list) drawState(p *pen, x, width int, n *Node, r int) int {
	start, end := x, x+width
	if n.Instances != nil {
		x += p.instances(x, n.Instances) + 2
	}
	tokens := ""
	if marked, all := l.tokens(r); marked > 0 {
		tokens = words.SignToken.Text(p.ascii) + strconv.Itoa(marked) + "/" + strconv.Itoa(all)
	}
	room := end - x
	if tokens != "" {
		room -= len(tokens) // with the blanks before it: the sign is longer than its column in Unicode
	}
	x += p.detailIn(x, room, n)
	if tokens != "" && x+2 < end {
		x += 2 + p.put(x+2, tokens, InkDim)
	}
	return x - start
}

// hasExtra reports whether a row has conditions or loops.
func (l *list) hasExtra(r int) bool {
	return l.when[l.vertex[l.node[r]]] != "" || len(l.back[r]) > 0
}

// measureExtra computes the width of the column of conditions and loops, at most mostExtra; 0 = no row has any.
func (l *list) measureExtra() {
	for r := range l.node {
		if !l.hasExtra(r) {
			continue
		}
		w := 0
		if when := l.when[l.vertex[l.node[r]]]; when != "" {
			w += ansi.StringWidth("when "+when) + 2
		}
		for _, name := range l.back[r] {
			w += 2 + ansi.StringWidth(name) + 2
		}
		l.extra = max(l.extra, min(w, mostExtra))
	}
}

// mostExtra is the largest width of the column of conditions and loops.
const mostExtra = 30

// tokens counts the edges with a token to the node of a row, and all edges that the node waits for.
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
