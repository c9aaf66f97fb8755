package drawing

// Overview draws the whole graph into a small grid and reports whether this view supports it. A cell shows the most
// urgent state of the nodes in its part of the drawing, as of the latest Show. The cells that a pane of width by
// height shows from a point are Selected.
func (l *Layout) Overview(grid *Grid, from Point, width, height int) bool {
	p, ok := l.view.(*chart)
	w, h := l.Size()
	if !ok || w == 0 || h == 0 || grid.Width == 0 || grid.Height == 0 {
		return false
	}
	grid.Clear()
	states := p.states
	for v := range states {
		at := p.where(p.item[v])
		c := grid.At((at.X+at.W/2)*grid.Width/w, (at.Y+at.H/2)*grid.Height/h)
		if c == nil {
			continue
		}
		state := states[v]
		if c.Item != Nothing {
			state = Worst(state, states[p.boxOf(c.Item)])
		}
		if c.Item == Nothing || state == states[v] {
			ink := InkDim // an overview is not louder than the graph
			if urgent(state) {
				ink = InkOf(state)
			}
			*c = Cell{Text: state.Glyph(p.look.ASCII), Width: 1, Style: Style{ink, 0}, Item: p.item[v], Edge: -1}
		}
	}
	for y := max(from.Y, 0) * grid.Height / h; y <= min((from.Y+height-1)*grid.Height/h, grid.Height-1); y++ {
		for x := max(from.X, 0) * grid.Width / w; x <= min((from.X+width-1)*grid.Width/w, grid.Width-1); x++ {
			grid.At(x, y).Style.Mods |= Selected
		}
	}
	return true
}
