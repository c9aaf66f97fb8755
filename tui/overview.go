package tui

import (
	"fmt"
	"strings"

	"wf/tui/drawing"
)

// The overview of a graph that does not fit: how large it is at most, and the least pane that has room for it.
const (
	overviewWidth  = 28
	overviewHeight = 8
	overviewPaneX  = 48
	overviewPaneY  = 9
)

// whereabouts says which part of a drawing that does not fit is in sight; "" = all of it is.
func (p *picture) whereabouts() string {
	if p.layout == nil {
		return ""
	}
	w, h := p.layout.Size()
	var parts []string
	if h > p.height && p.height > 0 {
		parts = append(parts, fmt.Sprintf("%d%% down", p.from.Y*100/(h-p.height)))
	}
	if w > p.width && p.width > 0 {
		parts = append(parts, fmt.Sprintf("%d%% right", p.from.X*100/(w-p.width)))
	}
	return strings.Join(parts, ", ")
}

// drawOverview writes a small picture of the whole graph into a corner of its pane in which the selection
// is not, if there is more of it than fits.
func (m *model) drawOverview(a area) {
	p := &m.picture
	if m.plainView || p.layout == nil || p.view != drawing.Layers || p.zoom == drawing.Map || a.width < overviewPaneX || a.height < overviewPaneY {
		return
	}
	w, h := p.layout.Size()
	if w <= a.width && h <= a.height {
		return
	}
	width, height := min(overviewWidth, a.width/3, w)+2, min(overviewHeight, a.height/3, h)+2
	box := a.part(a.width-width, a.height-height, width, height)
	at := p.layout.Where(p.selected)
	at.X, at.Y = at.X-p.from.X+a.x, at.Y-p.from.Y+a.y
	if at.X < box.x+box.width && at.X+at.W > box.x && at.Y < box.y+box.height && at.Y+at.H > box.y {
		box = a.part(a.width-width, 0, width, height)
	}
	p.small.Resize(box.width-2, box.height-2)
	if !p.layout.Overview(&p.small, p.from, p.width, p.height) {
		return
	}
	m.areas.overview = frameOf(box, "overview", m.opt.ASCII).part(1, 1, box.width-2, box.height-2)
	m.areas.overview.paste(&p.small)
}

// clickOverview goes to the part of the graph that was pointed at.
func (m *model) clickOverview(x, y int) {
	o, p := m.areas.overview, &m.picture
	w, h := p.layout.Size()
	p.from = drawing.Point{X: (x-o.x)*w/o.width - p.width/2, Y: (y-o.y)*h/o.height - p.height/2}
	p.free = true
}
