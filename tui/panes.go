package tui

import (
	"strings"
	"time"

	"wf/tui/cells"
	"wf/tui/plain"
	"wf/tui/words"
)

// A pane is a part of the main screen.
type pane uint8

const (
	drawingPane pane = iota
	sidePane         // log or inspector
)

// Panes are the parts of the main screen: which one has the focus, and their sizes.
type panes struct {
	active     pane
	split      float64 // share of the drawing; 0 = depends on the terminal
	zoomed     bool    // the focused pane fills the screen
	noOverview bool    // the user has hidden the overview
	empty      bool    // nothing has run, so that there is no log beside the drawing
}

// areas are the parts of the screen. A part that does not fit is empty.
type areas struct {
	drawing cells.Area
	side    cells.Area
	divider cells.Area // the user can drag it
}

// beside reports whether the panes stand side by side.
func (a areas) beside() bool { return a.divider.Width == 1 && a.divider.Height > 1 }

// stacked reports whether the panes are one above the other, with a rule between them.
func (a areas) stacked() bool { return a.divider.Height == 1 && a.divider.Width > 1 }

// divide divides the body of the main screen.
func (p *panes) divide(a cells.Area) areas {
	switch {
	case (p.zoomed || a.Width < stackWidth) && p.active == sidePane:
		return areas{side: a}
	case p.zoomed || a.Width < stackWidth:
		return areas{drawing: a}
	case p.empty && p.split == 0 && p.active == drawingPane && a.Height >= emptyFrom:
		top := a.Height - 1 - emptyHeight
		return areas{drawing: a.Part(0, 0, a.Width, top), divider: a.Row(top), side: a.Part(0, top+1, a.Width, emptyHeight)}
	case a.Width < besideWidth:
		top := min(max(3, int(float64(a.Height)*p.share(0.6))), a.Height-4)
		return areas{drawing: a.Part(0, 0, a.Width, top), divider: a.Row(top),
			side: a.Part(0, top+1, a.Width, a.Height-top-1)}
	}
	left := min(max(30, int(float64(a.Width)*p.share(0.62))), a.Width-30)
	return areas{drawing: a.Part(0, 0, left, a.Height), divider: a.Part(left, 0, 1, a.Height),
		side: a.Part(left+2, 0, a.Width-left-2, a.Height)}
}

// The height of the pane with the log while nothing has run: it has only the name and the command of the selected node.
// Screens that are lower than emptyFrom are divided as usual.
const emptyHeight, emptyFrom = 3, 14

// share returns the share of the screen for the drawing.
func (p *panes) share(usual float64) float64 {
	if p.split > 0 {
		return p.split
	}
	return usual
}

// drag moves the divider to a point of the screen.
func (p *panes) drag(body cells.Area, x, y int) {
	if p.divide(body).beside() {
		p.split = float64(x) / float64(max(1, body.Width))
	} else {
		p.split = float64(y-body.Y) / float64(max(1, body.Height))
	}
	p.split = min(max(p.split, leastSplit), mostSplit)
}

// other moves the focus to the other pane.
func (p *panes) other() { p.active = sidePane - p.active }

// divideFor divides the body of the main screen for what a document and the pane beside it have to show.
func (p *panes) divideFor(a cells.Area, doc *document, s *side) areas {
	p.empty = !s.inspect && doc.shown().NeverRan()
	return p.divide(a)
}

// drawMain draws the drawing and the pane beside or below it.
func (m *model) drawMain(a cells.Area) {
	if m.doc.nothingOpen() {
		m.link.draw(a, m.opt.Explain)
		return
	}
	areas := m.panes.divideFor(a, &m.doc, &m.side)
	m.term.areas = areas
	p := &m.doc.picture
	if drawing := areas.drawing; drawing.Width > 0 && drawing.Height > 0 {
		p.preview = preview(m.dialogs)
		drawing, strip := divideStrip(&m.doc, drawing)
		p.draw(drawing, m.opt.ASCII)
		m.doc.lens.paint(drawing, p, m.doc.shown())
		if strip.Width > 0 {
			drawStrip(strip, &m.doc, m.doc.earlier.time(m.now))
		}
		if !m.panes.noOverview {
			p.drawOverview(drawing)
		}
		if p.selected.Kind == 0 {
			text := m.doc.emptyText()
			if p.layout != nil && p.layout.Pending() != nil {
				text = "the graph is being drawn; v shows the list"
			}
			drawing.Put(1, 1, text, cells.Dimmed)
		}
	}
	if areas.beside() {
		cells.Rule(areas.divider, cells.Either(m.opt.ASCII, "|", "│"))
	} else {
		cells.Rule(areas.divider, cells.Either(m.opt.ASCII, "-", "─"))
		if text := p.whereabouts(); text != "" && areas.divider.Width > 0 {
			areas.divider.PutEnd(0, " "+text+" ", cells.Dimmed)
		}
	}
	if areas.side.Width > 0 && areas.side.Height > 1 {
		m.side.draw(areas.side, &m.doc, m.panes.active == sidePane, m.doc.earlier.time(m.now))
	}
}

// draw draws the side pane: the selected node, its state and command, then its log or the reasons for its state.
func (s *side) draw(a cells.Area, doc *document, active bool, now time.Time) {
	used := s.drawTitle(a, doc, active, now)
	body := a.Part(0, used, a.Width, a.Height-used)
	if s.inspect {
		s.why.draw(body, doc, now)
		return
	}
	s.log.Draw(body)
}

// drawTitle draws the rows above the log and returns their number.
func (s *side) drawTitle(a cells.Area, doc *document, active bool, now time.Time) int {
	st, ascii := cells.Strong, a.ASCII()
	if active {
		st = st.With(cells.Reverse)
	}
	if in := doc.picture.innerOf(); in != nil && in.node == nil {
		return doc.innerTitle(a, in, st)
	}
	n := doc.selectedNode()
	if n == nil {
		name := ""
		if doc.picture.layout != nil {
			name = doc.picture.layout.Name(doc.picture.selected)
		}
		a.Put(0, 0, cells.Clip(name+"  "+words.Plural(len(doc.picture.nodes()), "node"), a.Width, ascii), st)
		return 1
	}
	state := stateStyle(n.Counted())
	x := a.Put(0, 0, words.LookOf(n.Counted()).Sign(ascii)+" ", state)
	x = a.Put(x, 0, cells.ClipMiddle(n.Name, max(8, a.Width/2), ascii), st)
	x = a.Put(x, 0, cells.Clip("  "+detail(n, now), a.Width-x, ascii), state)
	word := "log"
	if s.inspect {
		word = "why"
	}
	if x+cells.Columns(word)+3 <= a.Width {
		a.PutEnd(0, word, cells.Dimmed)
	}
	room := max(1, a.Height/4)
	if a.Height < 6 {
		if !doc.shown().NeverRan() {
			return 1
		}
		room = a.Height - 1 // there is no log
	}
	lines := commandLines(n.Command, room, ascii)
	for i, line := range lines {
		a.Put(0, 1+i, cells.Clip(line, a.Width, ascii), cells.Dimmed)
	}
	if a.Height < 6 {
		return a.Height
	}
	cells.Rule(a.Row(1+len(lines)), cells.Either(ascii, "-", "─"))
	return 2 + len(lines)
}

// commandLines returns the lines of a command. The last one contains the rest if there are more lines than room.
func commandLines(command string, room int, ascii bool) []string {
	lines := strings.SplitN(strings.TrimSpace(command), "\n", room)
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.ReplaceAll(line, "\t", "  "), " \r")
	}
	lines[len(lines)-1] = plain.Command(lines[len(lines)-1], ascii)
	return lines
}
