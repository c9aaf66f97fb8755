package drawing

import (
	"math"
	"slices"
	"strconv"

	"github.com/charmbracelet/x/ansi"

	"wf/tui/plain"
	"wf/tui/words"
)

// draw draws the visible part: first the lines, those of the selection last, then the chips.
func (p *picture) draw(grid *Grid, from Point) {
	p.brush.begin(grid, from, p.look.ASCII)
	selected := p.vertex(p.look.Selected)
	p.eachLink(func(a *link) { p.link(a, selected) })
	if selected >= 0 {
		p.nearLinks(selected)
	}
	p.brush.finish()
	p.eachLink(p.merges)
	p.tokens()
	for i := range p.rows {
		p.writeConditions(i)
		if p.starts[i] < from.X+grid.Width && p.starts[i]+p.widths[i] > from.X {
			p.chips(i)
		}
	}
}

// eachLink calls do for every link that may be partly visible.
func (p *picture) eachLink(do func(*link)) {
	left, right := p.brush.from.X, p.brush.from.X+p.brush.grid.Width
	for i := range p.layers.Between {
		if p.starts[i] > right || i+1 < len(p.starts) && p.starts[i+1] < left {
			continue
		}
		for _, n := range p.layers.Between[i] {
			if a := &p.layers.links[n]; p.visible(a.top, a.bottom) {
				do(a)
			}
		}
	}
}

// merges marks the cells where a vertical line joins a horizontal one, and where all lines belong together.
func (p *picture) merges(a *link) {
	for _, q := range a.hubs {
		p.brush.hub(p.turn(a), p.middle(p.layers.row[q]))
	}
	for _, q := range a.merges {
		p.brush.merge(p.turn(a), p.middle(p.layers.row[q]))
	}
}

// middle returns the row of cells with the lines of a row of the layout.
func (p *picture) middle(row int32) int { return p.top(row) + p.pitch()/2 }

// visible reports whether a row from top to bottom is on the grid.
func (p *picture) visible(top, bottom int32) bool {
	return p.middle(bottom) >= p.brush.from.Y && p.middle(top) < p.brush.from.Y+p.brush.grid.Height
}

// link draws a link of a bundle with all its ends.
func (p *picture) link(a *link, selected int32) {
	p.useStyle(a)
	if selected >= 0 {
		p.brush.style.Mods |= Faint
	}
	if a.track >= 0 {
		p.brush.down(p.track(a), p.middle(a.top), p.middle(a.bottom))
	}
	for _, q := range a.Left {
		p.leave(a, q)
	}
	for _, q := range a.Right {
		p.enter(a, q)
	}
}

// useStyle sets the ink to the color of a bundle: the state of its most urgent source.
func (p *picture) useStyle(a *link) {
	b := &p.layers.shares[a.Bundle]
	p.brush.style = Style{p.inks[a.Bundle], Line}
	p.brush.line = a.Bundle + 1
	p.brush.edge = -1
	if len(b.arcs) == 1 {
		p.brush.edge = p.web.arcs[b.arcs[0]].edge
	}
	switch {
	case b.via:
		p.brush.kind = dots
	case b.weak:
		p.brush.kind = dash
	default:
		p.brush.kind = solid
	}
}

// leave draws the line from a left end to the track or, if there is no track, to the other end.
func (p *picture) leave(a *link, q int32) {
	x := p.starts[a.Layer]
	if v := p.layers.Points[q].Vertex; v >= 0 {
		x = p.leaves(v)
	}
	p.brush.across(x, p.turn(a), p.middle(p.layers.row[q]))
}

// enter draws the line from the track to a right end.
func (p *picture) enter(a *link, q int32) {
	end := p.starts[a.Layer+1] - 1
	p.brush.across(p.turn(a), end, p.middle(p.layers.row[q]))
}

// turn returns the column in which a link branches.
func (p *picture) turn(a *link) int {
	if a.track >= 0 {
		return p.track(a)
	}
	return p.starts[a.Layer] + p.widths[a.Layer] + 2
}

// nearLinks draws the lines between a vertex and its neighbours again, bright and over the others.
func (p *picture) nearLinks(v int32) {
	for _, from := range [2]bool{false, true} {
		for _, m := range p.layers.Points[v].LinksAt(!from) {
			links := p.layers.linksOf(p.layers.links[m].Bundle)
			for n := range links {
				if a := &links[n]; p.visible(a.top, a.bottom) {
					p.useStyle(a)
					p.brush.style.Mods |= Near
					p.nearLink(a, v, from)
				}
			}
		}
	}
}

// nearLink draws the part of a link from v to its neighbours, or from them to v.
func (p *picture) nearLink(a *link, v int32, from bool) {
	points, row := p.layers.Points, p.layers.row
	layer := points[v].Layer
	if from && a.Layer < layer || !from && a.Layer >= layer {
		return // before the start or after the end of the line of v
	}
	top, bottom := int32(math.MaxInt32), int32(-1)
	for _, q := range a.Left {
		if other := points[q].Vertex; other == v || !from || other < 0 && a.Layer > layer {
			p.leave(a, q)
			top, bottom = min(top, row[q]), max(bottom, row[q])
		}
	}
	for _, q := range a.Right {
		if other := points[q].Vertex; other == v || from || other < 0 {
			p.enter(a, q)
			top, bottom = min(top, row[q]), max(bottom, row[q])
		}
	}
	if a.track >= 0 && top < bottom {
		p.brush.down(p.track(a), p.middle(top), p.middle(bottom))
	}
}

// tokens marks the edges with a token and those that will not fire. The mark is where the line of the edge leaves its
// source or, if that line leads to several targets, where it turns to its target.
func (p *picture) tokens() {
	for i := range p.web.arcs {
		a := &p.web.arcs[i]
		if a.edge < 0 || a.back {
			continue
		}
		e := &p.graph.Edges[a.edge]
		if !e.Marked && !e.Dead && (e.When == "" || p.when[a.to] != "") {
			continue
		}
		b := &p.layers.shares[p.layers.of[i]]
		x, row := 0, p.layers.row[a.from]
		if len(b.Targets) == 1 {
			x = p.leaves(a.from)
		} else {
			links := p.layers.linksOf(p.layers.of[i])
			x, row = p.turn(&links[p.layers.Points[a.to].Layer-1-links[0].Layer]), p.layers.row[a.to]
		}
		sign, style := mark(e, p.look.ASCII)
		p.brush.stamp(x, p.middle(row), sign, style)
	}
}

// mark returns the sign for the state of an edge.
func mark(e *Edge, ascii bool) (string, Style) {
	switch {
	case e.Marked:
		return words.SignToken.Text(ascii), Style{InkText, Line | Token}
	case e.Dead:
		return words.SignDead.Text(ascii), Style{InkDim, Line | Faint}
	}
	return words.SignCondition.Text(ascii), Style{InkText, Line}
}

// leaves returns the column where the lines of a vertex start, directly after the current text of its chip.
func (p *picture) leaves(v int32) int {
	x := p.starts[p.layers.Points[v].Layer]
	if p.zoom == Box {
		return x + p.labels[v].width
	}
	return x + p.taken(v) + 1
}

// taken returns the current width of the chip of a vertex.
func (p *picture) taken(v int32) int {
	l := &p.labels[v]
	width := 2 + min(l.wide, maxName)
	switch {
	case l.times != "":
		width += 2 + 2*len(l.times)
		if n := p.counts[v][Failed]; n > 0 {
			width += 2 + digits(n)
		}
	case p.instances(v) != nil:
		width += 1 + min(p.instances(v).columns(), instancesWidth)
	case p.zoom != Chip:
		if time := p.graph.Nodes[p.item[v].Index].Time; time != "" {
			width += 1 + min(ansi.StringWidth(head(time, timeWidth)), timeWidth)
		}
	}
	if l.loops != "" {
		width += 3 + min(ansi.StringWidth(l.loops), maxLoops)
	}
	return width
}

// chips draws the visible chips of a layer.
func (p *picture) chips(layer int) {
	grid, from := p.brush.grid, p.brush.from
	first, _ := p.find(layer, p.rowAt(from.Y))
	for _, v := range p.rows[layer][first:] {
		y := p.top(p.layers.row[v]) - from.Y
		if y >= grid.Height {
			break
		}
		w := pen{grid: grid, y: y, item: p.item[v], ascii: p.look.ASCII}
		if w.item == p.seen(p.look.Selected) {
			w.mods |= Selected
		}
		if p.marked(v) {
			w.mods |= Marked
		}
		x := p.starts[layer] - from.X
		p.inside(x, v)
		if p.zoom != Box {
			p.chip(&w, x, v)
			continue
		}
		p.box(&w, x, v)
	}
}

// instances returns the instances of the node of a vertex, or nil. A stage counts its nodes instead.
func (p *picture) instances(v int32) *Instances {
	if n := p.onlyNode(v); n != nil {
		return n.Instances
	}
	return nil
}

// marked reports whether a vertex or one of its folded nodes is marked.
func (p *picture) marked(v int32) bool {
	if p.stages == nil {
		return p.graph.Nodes[p.nodeAt[v]].Marked
	}
	return slices.ContainsFunc(p.stages.stages[v].nodes, func(n int32) bool { return p.graph.Nodes[n].Marked })
}

// chip draws a chip: sign, name, detail. Its width is the result of taken.
func (p *picture) chip(w *pen, x int, v int32) {
	l := &p.labels[v]
	w.state(x, p.states[v])
	w.put(x+1, " ", InkText)
	x += 2
	room := min(l.wide, maxName)
	w.clipped(x, l.name, room, nameInk(p.states[v]))
	x += room
	switch {
	case p.instances(v) != nil:
		x += 1 + w.instances(x+1, p.instances(v))
	case l.times != "":
		c := &p.counts[v]
		done := strconv.Itoa(c.Done())
		x += 1 + len(l.times) - len(done)
		x += w.put(x, done+"/"+l.times, InkDim)
		if n := c[Failed]; n > 0 {
			x += 1 + w.put(x+1, Failed.Glyph(w.ascii)+strconv.Itoa(n), InkOf(Failed))
		}
	case p.zoom != Chip:
		if time := head(p.graph.Nodes[w.item.Index].Time, timeWidth); time != "" {
			w.clipped(x+1, time, timeWidth, InkDim)
			x += 1 + min(ansi.StringWidth(time), timeWidth)
		}
	}
	if l.loops != "" {
		w.put(x+1, w.loop(), InkDim)
		w.clipped(x+3, l.loops, maxLoops, InkDim)
	}
}

// box draws a box of three rows: sign, name and time; the command; and the border. Lines meet it in the middle.
func (p *picture) box(w *pen, x int, v int32) {
	l := &p.labels[v]
	frame := &frames[0]
	if w.ascii {
		frame = &frames[1]
	}
	style := InkOf(p.states[v])
	edge := func(left, fill, right string) {
		w.put(x, left, style)
		for at := x + 1; at < x+l.width-1; at++ {
			w.put(at, fill, style)
		}
		w.put(x+l.width-1, right, style)
	}
	edge(frame[0], frame[1], frame[2])
	for at := x + 1; at <= x+2+p.taken(v); at++ {
		w.put(at, " ", style)
	}
	p.chip(w, x+2, v)
	w.y++
	edge(frame[3], " ", frame[3])
	w.clipped(x+2, plain.Command(l.text, w.ascii), l.width-boxFrame, InkDim)
	w.y++
	edge(frame[4], frame[1], frame[5])
}

// frames are the signs of boxes: corners at the top, sides, corners at the bottom.
var frames = [2][6]string{{"╭", "─", "╮", "│", "╰", "╯"}, {",", "-", ",", "|", "`", "'"}}
