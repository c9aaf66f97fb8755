package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"wf/tui/cells"
	"wf/tui/words"
)

// The smallest terminal that shows a drawing, and the widths from which two panes fit.
const (
	leastWidth  = 40
	leastHeight = 10
	stackWidth  = 60  // two panes, one above the other
	besideWidth = 100 // two panes side by side
)

// View draws the screen.
func (m *model) View() tea.View {
	x, y, cursor := m.draw()
	v := tea.NewView(m.term.screen.Encode(m.opt.Color))
	v.AltScreen = true
	v.WindowTitle = m.title()
	if m.term.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if cursor {
		v.Cursor = tea.NewCursor(x, y)
	}
	return v
}

// title returns the title of the window.
func (m *model) title() string {
	if m.link == nil {
		return "wf"
	}
	return "wf " + m.link.name()
}

// draw draws the screen into m.term.screen and returns where the cursor belongs.
func (m *model) draw() (x, y int, cursor bool) {
	if m.stale {
		m.refresh()
	}
	m.term.screen.Resize(m.term.width, m.term.height)
	m.term.screen.ASCII, m.term.screen.Scheme = m.opt.ASCII, m.opt.palette(m.term.look)
	all := m.term.screen.All()
	m.term.areas, m.doc.picture.overview = areas{}, cells.Area{}
	if m.term.width < leastWidth || m.term.height < leastHeight {
		m.drawSmall(all)
		return 0, 0, false
	}
	body := m.body()
	switch m.page {
	case mainPage:
		m.drawMain(body)
	case logPage:
		m.term.areas.side = body
		m.side.drawLog(body, &m.doc, m.now)
	case runsPage:
		m.runs.draw(body, m.now)
	case homePage:
		m.home.draw(body, m.now)
	case helpPage:
		m.help.draw(body, m.keys)
	case inboxPage:
		m.inbox.draw(body, &m.doc, m.now)
	case digestPage:
		m.digest.draw(body)
	}
	m.header(all.Row(0)) // after the drawing, because the header names the visible part of it
	if !m.doc.nothingOpen() && m.page != homePage {
		drawProgress(all.Row(all.Height-2), &m.doc, m.now)
	}
	m.footer(all.Row(all.Height - 1))
	m.doc.lens.plan.note(m.dialogs)
	for _, d := range m.dialogs {
		x, y, cursor = d.Draw(all)
	}
	// When a terminal becomes wider, the renderer looks only at the old columns to find the blank rows at the bottom,
	// which it does not draw. So the last row must not be blank in the first column.
	if c := all.At(0, all.Height-1); *c == (cells.Cell{}) {
		c.Style = cells.Dimmed
	}
	return x, y, cursor
}

// drawSmall shows the state of the run on a terminal that is too small for a drawing.
func (m *model) drawSmall(a cells.Area) {
	if m.link != nil {
		a.Put(0, 0, cells.Clip(m.doc.stateLine(m.link.name()), a.Width, m.opt.ASCII), cells.Plain)
	}
	text := fmt.Sprintf("terminal too small (%dx%d)", m.term.width, m.term.height)
	a.Put(0, min(1, a.Height-1), cells.Clip(text, a.Width, m.opt.ASCII), cells.Note)
}

// header draws the first row: what is shown and, first if space is short, the state of the connection.
func (m *model) header(a cells.Area) {
	a.Fill(cells.Title)
	live := m.inbox.badge(m.opt.ASCII) + m.link.liveness(&m.doc.flow, m.term.width, m.opt.ASCII)
	a.PutEnd(0, live+" ", cells.Title)
	a = a.Part(0, 0, a.Width-cells.Columns(live)-2, 1)
	x := a.Put(0, 0, " wf", cells.Title)
	for _, part := range m.headings(a.Width) {
		if x+2+cells.Columns(part) > a.Width {
			break
		}
		x = a.Put(x, 0, "  "+part, cells.Title)
	}
}

// headings returns the parts of the header, the most important first.
func (m *model) headings(width int) []string {
	if m.page == homePage {
		return []string{"workfiles"}
	}
	if m.link == nil {
		return nil
	}
	parts := []string{cells.ClipMiddle(m.link.name(), max(12, width/3), m.opt.ASCII)}
	if m.doc.earlier != nil {
		parts = append(parts, m.doc.earlier.heading())
	} else if run := m.doc.flow.Current(); run != nil {
		parts = append(parts, "run "+run.Run+" "+words.ResultWord(run.Result))
	}
	if text := m.doc.editedSince(); text != "" {
		parts = append(parts, text)
	}
	if text := m.doc.activeFilter(); text != "" && m.page == mainPage {
		parts = append(parts, "filter "+cells.Clip(text, 30, m.opt.ASCII))
	}
	if text := m.doc.lens.heading(); text != "" && m.page == mainPage {
		parts = append(parts, text)
	}
	if n := len(m.doc.picture.markedNodes()); n > 0 {
		parts = append(parts, fmt.Sprintf("%d marked", n))
	}
	if m.page == mainPage && !m.doc.nothingOpen() {
		parts = append(parts, m.doc.picture.view.String(), words.Plural(len(m.doc.shown().Nodes), "node"))
		if text := m.doc.picture.whereabouts(); text != "" && !m.term.areas.stacked() {
			parts = append(parts, text)
		}
		if text := m.doc.picture.cutName(); text != "" {
			parts = append(parts, text)
		}
	}
	return parts
}

// body returns the area between header and footer.
func (m *model) body() cells.Area {
	return m.term.screen.Area(0, 1, max(m.term.width, 0), max(m.term.height-3, 0))
}
