package tui

import (
	"fmt"
	"strings"

	"wf/tui/cells"
	"wf/tui/drawing"
)

// The overview of a graph that does not fit: its maximum size, and the minimum pane that has room for it.
const (
	overviewWidth  = 28
	overviewHeight = 8
	overviewPaneX  = 48
	overviewPaneY  = 9
)

// whereabouts describes the visible part of a drawing that does not fit, or returns "".
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

// drawOverview draws a small picture of a graph that does not fit into a corner of its pane, away from the
// selection.
func (p *picture) drawOverview(a cells.Area) {
	p.overview = cells.Area{}
	if p.layout == nil || p.view != drawing.Chart || a.Width < overviewPaneX || a.Height < overviewPaneY {
		return
	}
	w, h := p.layout.Size()
	if w <= a.Width && h <= a.Height {
		return
	}
	width, height := min(overviewWidth, a.Width/3, w)+2, min(overviewHeight, a.Height/3, h)+2
	box := a.Part(a.Width-width, a.Height-height, width, height)
	at := p.layout.Where(p.selected)
	at.X, at.Y = at.X-p.from.X+a.X, at.Y-p.from.Y+a.Y
	if at.X < box.X+box.Width && at.X+at.W > box.X && at.Y < box.Y+box.Height && at.Y+at.H > box.Y {
		box = a.Part(a.Width-width, 0, width, height)
	}
	p.small.Resize(box.Width-2, box.Height-2)
	if !p.layout.Overview(&p.small, p.from, p.width, p.height) {
		return
	}
	p.overview = cells.Frame(box, "overview").Part(1, 1, box.Width-2, box.Height-2)
	pasteDrawing(p.overview, &p.small)
}

// clickOverview goes to the part of the graph under the pointer.
func (p *picture) clickOverview(x, y int) {
	o := p.overview
	w, h := p.layout.Size()
	p.from = drawing.Point{X: (x-o.X)*w/o.Width - p.width/2, Y: (y-o.Y)*h/o.Height - p.height/2}
	p.free = true
}
