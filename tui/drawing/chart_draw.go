package drawing

import (
	"slices"

	"github.com/charmbracelet/x/ansi"

	"wf/api"
	kernel "wf/graph/picture"
	"wf/tui/painter"
	"wf/tui/words"
)

// A chartSurface is the visible part of a chart, as a grid.
type chartSurface struct {
	*chart
	grid *Grid
	from Point
}

// draw draws the visible part.
func (c *chart) draw(grid *Grid, from Point) {
	on := &chartSurface{c, grid, from}
	c.paint.Paint(kernel.Rect{X: from.X, Y: from.Y, W: grid.Width, H: grid.Height}, on)
	if c.lens.on {
		on.path()
	}
	on.marks()
	for _, i := range c.boxes {
		if c.scene.Boxes[i].Rows > 0 {
			on.rows(i)
		}
	}
	if i := c.boxOf(c.look.Selected); i >= 0 && c.look.Selected.Kind != ARow {
		on.invert(i)
	}
}

// Texts returns the sign of a box, and its time or progress.
func (s *chartSurface) Texts(box int) painter.Texts {
	b := &s.scene.Boxes[box]
	texts := painter.Texts{Sign: s.states[box].Glyph(s.look.ASCII)}
	if len(b.Members) > 1 {
		texts.Note = painter.Progress(s.counts(box), s.look.ASCII)
		return texts
	}
	n := &s.graph.Nodes[s.node[b.Members[0]]]
	card := s.scene.Form == kernel.Card
	switch room := max(b.Note, 0); {
	case n.Instances != nil:
		texts.Note = ansi.Truncate(n.Instances.summary(s.look.ASCII), max(room, noteWidth), "")
	case card:
		room = b.W - 4
		if texts.Note = head(n.Detail, room); n.Detail == "" {
			texts.Note = n.State.String()
		}
		if ansi.StringWidth(texts.Note) > room && n.Time != "" {
			texts.Note = n.Time
		}
		texts.Note = ansi.Truncate(texts.Note, room, "")
	default:
		texts.Note = ansi.Truncate(head(n.Time, room), room, "")
	}
	return texts
}

// counts counts the nodes of a stage by state.
func (c *chart) counts(box int) (counts api.Counts) {
	for _, v := range c.scene.Boxes[box].Members {
		counts.Add(stateWords[c.graph.Nodes[c.node[v]].State])
	}
	return counts
}

// now takes the states and marks of the boxes. The state of a box is the most urgent one of its nodes.
func (c *chart) now() {
	c.states, c.marked = c.states[:0], c.marked[:0]
	for i := range c.scene.Boxes {
		members := c.scene.Boxes[i].Members
		state, marked := c.graph.Nodes[c.node[members[0]]].State, false
		for _, v := range members {
			n := &c.graph.Nodes[c.node[v]]
			state, marked = Worst(state, n.State), marked || n.Marked
		}
		c.states, c.marked = append(c.states, state), append(c.marked, marked)
	}
}

// Put writes a text.
func (s *chartSurface) Put(x, y int, text string, m painter.Mark) {
	x, y = x-s.from.X, y-s.from.Y
	switch m.Part {
	case painter.Line:
		if cell := s.grid.At(x, y); cell != nil {
			*cell = Cell{Text: s.lineSign(text, m), Width: 1, Style: s.lineStyle(m.Track, m.Piece), Edge: s.only(m.Track)}
		}
		return
	case painter.Label:
		style := Style{InkWhen, Line}
		if s.lens.on && !s.litTrack(m.Track) {
			style = Style{InkDim, Line | Faint}
		}
		s.grid.Put(x, y, text, ansi.StringWidth(text), style, Nothing)
		return
	}
	state := s.states[m.Box]
	style := Style{Ink: InkOf(state)}
	switch m.Part {
	case painter.Name:
		style.Ink = nameInk(state)
	case painter.Times:
		style.Ink = InkDim
	case painter.Note:
		style.Ink = detailInk(state)
	}
	if s.marked[m.Box] {
		style.Mods |= Marked
	}
	switch lit := s.lit(m.Box); {
	case lit && s.lens.on && (m.Part == painter.Name || m.Part == painter.Frame):
		style.Mods |= Near
	case !lit && !(m.Part == painter.Sign && urgent(state)):
		style.Mods |= Faint
	}
	s.grid.Put(x, y, text, ansi.StringWidth(text), style, s.item[m.Box])
}

// urgent reports whether the sign of a state is never faint.
func urgent(s State) bool { return s.needsPerson() || s == Running || s == Retrying }

// way returns what has become of an edge.
func (c *chart) way(e int) (painter.Way, bool) {
	from := stateWords[c.graph.Nodes[c.node[c.input.edges[e].From]].State]
	if c.edge[e] < 0 {
		return painter.Way{From: from}, true
	}
	edge := &c.graph.Edges[c.edge[e]]
	return painter.Way{From: from, Taken: edge.Taken, Dead: edge.Dead}, true
}

// lineStyle returns the style of a piece of a line: without a lens, or off the path.
func (c *chart) lineStyle(track, piece int) Style {
	if c.lens.on {
		return Style{InkLine, Line | Faint}
	}
	key := [2]int{track, piece}
	style, known := c.inks[key]
	if !known {
		style = inkOfLine(painter.LookOf(&c.scene.Tracks[track], piece, c.way), InkLine)
		c.inks[key] = style
	}
	return style
}

// inkOfLine returns the style of a line that looks like this; plain is the ink of lines that nothing has passed.
func inkOfLine(look painter.LineLook, plain Ink) Style {
	switch {
	case look.Dead:
		return Style{InkLine, Line | Faint}
	case look.State == "":
		return Style{plain, Line}
	}
	for s, word := range stateWords {
		if word == look.State {
			return Style{InkOf(State(s)), Line}
		}
	}
	return Style{plain, Line}
}

// path paints the lines on the path of the selection over all others.
func (s *chartSurface) path() {
	for _, p := range s.lens.pieces {
		t := &s.scene.Tracks[p[0]]
		cells := t.Tails
		if p[1] >= 0 {
			piece := &t.Pieces[p[1]]
			if !s.sees(piece) {
				continue
			}
			s.along(p, piece.A, piece.B)
			continue
		}
		for _, e := range cells {
			s.along(p, e.At, e.At)
		}
	}
}

// sees reports whether a part of a piece is visible.
func (s *chartSurface) sees(p *kernel.Piece) bool {
	return max(p.A.X, p.B.X) >= s.from.X && min(p.A.X, p.B.X) < s.from.X+s.grid.Width &&
		max(p.A.Y, p.B.Y) >= s.from.Y && min(p.A.Y, p.B.Y) < s.from.Y+s.grid.Height
}

// along paints a piece in the colour of the edges on the path that it carries.
func (s *chartSurface) along(p [2]int, a, b kernel.Point) {
	look := painter.LookOf(&s.scene.Tracks[p[0]], p[1], func(e int) (painter.Way, bool) {
		way, _ := s.way(e)
		return way, s.lens.edge[e]
	})
	style := inkOfLine(look, InkText)
	if !look.Dead {
		style.Mods |= Near
	}
	for y := min(a.Y, b.Y); y <= max(a.Y, b.Y); y++ {
		for x := min(a.X, b.X); x <= max(a.X, b.X); x++ {
			cell := s.grid.At(x-s.from.X, y-s.from.Y)
			if cell == nil || cell.Style.Mods&Line == 0 || int(s.paint.Canvas.At(kernel.Point{X: x, Y: y}).Track) != p[0] {
				continue
			}
			if cell.Style.Ink != InkWhen { // a condition stays as it is
				cell.Style = style
			}
		}
	}
}

// litTrack reports whether a track carries an edge on the path.
func (c *chart) litTrack(track int) bool {
	t := &c.scene.Tracks[track]
	return slices.ContainsFunc(t.Arcs, func(a kernel.Arc) bool {
		return slices.ContainsFunc(a.Edges, func(e int) bool { return c.lens.edge[e] })
	})
}

// lineSign returns the sign of a cell of a line: dotted where it is only a path through hidden nodes.
func (s *chartSurface) lineSign(text string, m painter.Mark) string {
	direction := uint8(0)
	switch text {
	case "─", "╌", "-", "\"":
		direction = east | west
	case "│", "╎", "|", ":":
		direction = north | south
	}
	if s.o.Hidden == nil || direction == 0 || !s.through(m.Track, m.Piece) {
		return text
	}
	if s.look.ASCII {
		return asciiDots[direction]
	}
	return dotted[direction]
}

// through reports whether all that passes a piece are paths through hidden nodes.
func (c *chart) through(track, piece int) bool {
	t := &c.scene.Tracks[track]
	for i := range t.Arcs {
		if a := &t.Arcs[i]; piece < 0 || t.Carries(&t.Pieces[piece], a) {
			if slices.ContainsFunc(a.Edges, func(e int) bool { return c.edge[e] >= 0 }) {
				return false
			}
		}
	}
	return true
}

// only returns the edge of the graph that is the only one of a track, or -1.
func (c *chart) only(track int) int32 {
	if t := &c.scene.Tracks[track]; len(t.Arcs) == 1 && len(t.Arcs[0].Edges) == 1 {
		return c.edge[t.Arcs[0].Edges[0]]
	}
	return -1
}

// marks writes the signs of tokens and of dead edges onto lines that carry nothing else.
func (s *chartSurface) marks() {
	for i := range s.scene.Tracks {
		t := &s.scene.Tracks[i]
		for k := range t.Arcs {
			if sign := s.signOf(&t.Arcs[k]); sign != "" {
				s.stamp(t, i, &t.Arcs[k], sign)
			}
		}
	}
}

// signOf returns the sign of the edges of an arc: they will not fire, or one waits at its target; "" = none.
func (s *chartSurface) signOf(a *kernel.Arc) string {
	dead, token := true, false
	for _, e := range a.Edges {
		if s.edge[e] < 0 {
			dead = false
			continue
		}
		edge := &s.graph.Edges[s.edge[e]]
		dead = dead && edge.Dead
		token = token || edge.Marked
	}
	switch {
	case token:
		return words.SignToken.Text(s.look.ASCII)
	case dead:
		return words.SignDead.Text(s.look.ASCII)
	}
	return ""
}

// stamp writes the sign of an arc where its line leaves the source, or before its arrowhead, if no other arc is there.
func (s *chartSurface) stamp(t *kernel.Track, track int, a *kernel.Arc, sign string) {
	style := Style{InkText, Line | Token}
	if sign == words.SignDead.Text(s.look.ASCII) {
		style = Style{InkDim, Line | Faint}
	}
	ends := []kernel.End{}
	for _, e := range t.Tails {
		if e.Box == a.From {
			ends = append(ends, e)
		}
	}
	for _, e := range t.Heads {
		if e.Box == a.To {
			ends = append(ends, kernel.End{At: back(e), Box: e.Box})
		}
	}
	for _, e := range ends {
		c := s.paint.Canvas.At(e.At)
		straight := c.Arms == 1<<kernel.Left|1<<kernel.Right || c.Arms == 1<<kernel.Up|1<<kernel.Down
		if int(c.Track) != track || c.Head || c.Cross || !straight || !s.alone(t, int(c.Piece), a) {
			continue
		}
		if cell := s.grid.At(e.At.X-s.from.X, e.At.Y-s.from.Y); cell != nil && cell.Style.Ink != InkWhen {
			cell.Text, cell.Style = sign, style
		}
		return
	}
}

// back returns the cell before an arrowhead.
func back(e kernel.End) kernel.Point {
	step := [...]kernel.Point{{X: 0, Y: 1}, {X: -1, Y: 0}, {X: 0, Y: -1}, {X: 1, Y: 0}}[e.Into]
	return kernel.Point{X: e.At.X + step.X, Y: e.At.Y + step.Y}
}

// alone reports whether a piece carries no other arc.
func (s *chartSurface) alone(t *kernel.Track, piece int, a *kernel.Arc) bool {
	for i := range t.Arcs {
		if b := &t.Arcs[i]; b != a && (piece < 0 || t.Carries(&t.Pieces[piece], b)) {
			return false
		}
	}
	return true
}

// rows writes the rows of a box.
func (s *chartSurface) rows(box int) {
	item := s.item[box]
	if item.Kind != ANode {
		return
	}
	from, to := s.graph.rowsOf(item.Index)
	for i := from; i < min(to, from+s.scene.Boxes[box].Rows); i++ {
		at := s.paint.Row(box, i-from)
		w := newPen(s.grid, at.Y-s.from.Y, Item{ARow, int32(i)}, &s.look)
		if w.y >= 0 && w.y < s.grid.Height {
			w.inner(at.X-s.from.X, &s.graph.Rows[i], at.W)
		}
	}
}

// invert shows the texts of a box as selected.
func (s *chartSurface) invert(box int) {
	b := &s.scene.Boxes[box]
	first, last, rim := s.paint.Text(box), s.paint.Text(box), 0
	if s.scene.Form == kernel.Card {
		last, rim = first+1, 1
	}
	for y := first; y <= last; y++ {
		for x := b.X + rim; x < b.X+b.W-rim; x++ {
			if c := s.grid.At(x-s.from.X, y-s.from.Y); c != nil && c.Style.Mods&Line == 0 {
				c.Style.Mods |= Selected
				c.Style.Mods &^= Faint
			}
		}
	}
}
