package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/tui/cells"
	"wf/tui/plain"
	"wf/tui/words"
)

// The least terminal that is drawn on, and the widths from which there is room for more.
const (
	leastWidth  = 40
	leastHeight = 10
	stackWidth  = 60  // two panes, one above the other
	besideWidth = 100 // two panes side by side
)

// areas are the places of the parts of the screen.
type areas struct {
	drawing cells.Area
	side    cells.Area
	divider cells.Area // to drag
	beside  bool       // the panes stand side by side
	list    cells.Area

	overview cells.Area // inside of its frame; empty while there is none
}

// View draws the screen.
func (m *model) View() tea.View {
	x, y, cursor := m.draw()
	v := tea.NewView(m.screen.Encode(m.opt.Color))
	v.AltScreen = true
	v.WindowTitle = m.title()
	if m.mouse {
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
	return "wf " + m.name()
}

// draw draws the screen into m.screen and returns where the cursor belongs.
func (m *model) draw() (x, y int, cursor bool) {
	if m.stale {
		m.refresh()
	}
	m.screen.Resize(m.width, m.height)
	m.screen.ASCII = m.opt.ASCII
	all := m.screen.All()
	m.areas = areas{}
	if m.width < leastWidth || m.height < leastHeight {
		m.drawSmall(all)
		return 0, 0, false
	}
	body := m.body()
	switch m.page {
	case mainPage:
		m.drawMain(body)
	case logPage:
		m.drawLog(body)
	case runsPage:
		m.areas.list = body
		m.drawRuns(body)
	case homePage:
		m.areas.list = body
		m.drawHome(body)
	case helpPage:
		m.drawHelp(body)
	case inboxPage:
		m.areas.list = body
		m.drawInbox(body)
	}
	m.header(all.Row(0)) // it tells where the drawing is
	m.progress(all.Row(all.Height - 2))
	m.footer(all.Row(all.Height - 1))
	for _, d := range m.dialogs {
		x, y, cursor = d.Draw(all)
	}
	// When a terminal becomes wider the renderer looks only at its old columns to find out where the blank
	// rows at the bottom begin, and leaves those out. The last row must not look blank in the first column.
	if c := all.At(0, all.Height-1); *c == (cells.Cell{}) {
		c.Style = cells.Dimmed
	}
	return x, y, cursor
}

// drawSmall shows the state of the run on a terminal that is too small for a drawing.
func (m *model) drawSmall(a cells.Area) {
	if m.link != nil {
		a.Put(0, 0, cells.Clip(m.stateLine(), a.Width, m.opt.ASCII), cells.Plain)
	}
	text := fmt.Sprintf("terminal too small (%dx%d)", m.width, m.height)
	a.Put(0, min(1, a.Height-1), cells.Clip(text, a.Width, m.opt.ASCII), cells.Note)
}

// stateLine returns the state of the workfile in a few words.
func (m *model) stateLine() string {
	if m.nothingOpen() {
		return m.name()
	}
	run := m.flow.Current()
	if run == nil {
		return m.name() + ": never run" + fromFileText(&m.flow)
	}
	c := m.runCounts(run)
	done, of := progressOf(c)
	text := fmt.Sprintf("run %s %s %d/%d", run.Run, words.ResultWord(run.Result), done, of)
	if c.Failed > 0 {
		text += fmt.Sprintf(" %d failed", c.Failed)
	}
	return text
}

// header draws the first row: what is shown, and the connection, which comes first if there is not enough
// room.
func (m *model) header(a cells.Area) {
	a.Fill(cells.Title)
	live := m.badge() + m.liveness()
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
	parts := []string{cells.ClipMiddle(m.name(), max(12, width/3), m.opt.ASCII)}
	if m.past != nil {
		parts = append(parts, "past run "+m.past.run+": esc goes back to now")
	} else if run := m.flow.Current(); run != nil {
		parts = append(parts, "run "+run.Run+" "+words.ResultWord(run.Result))
	}
	if text := m.editedSince(); text != "" {
		parts = append(parts, text)
	}
	if text := m.activeFilter(); text != "" && m.page == mainPage {
		parts = append(parts, "filter "+cells.Clip(text, 30, m.opt.ASCII))
	}
	if n := len(m.picture.markedNodes()); n > 0 {
		parts = append(parts, fmt.Sprintf("%d marked", n))
	}
	if m.page == mainPage && !m.nothingOpen() {
		parts = append(parts, m.picture.view.String(), words.Plural(len(m.shown().Nodes), "node"))
		if text := m.picture.whereabouts(); text != "" && !m.stacked() {
			parts = append(parts, text)
		}
	}
	return parts
}

// liveness returns the state of the connection to the daemon.
func (m *model) liveness() string {
	dot := cells.Either(m.opt.ASCII, "* ", "● ")
	switch {
	case m.link == nil:
		return ""
	case m.link.ended != nil:
		return m.gone()
	case m.link.lost != nil:
		return "daemon lost, looking for it"
	case !m.flow.Known:
		return "connecting"
	}
	if run := m.flow.Current(); run != nil && run.Held != "" {
		return dot + "held"
	}
	return dot + "live"
}

// drawMain draws the drawing and the pane beside or below it.
func (m *model) drawMain(a cells.Area) {
	if m.nothingOpen() {
		m.drawNothing(a)
		return
	}
	m.areas = m.panes(a)
	if m.areas.beside {
		cells.Rule(m.areas.divider, cells.Either(m.opt.ASCII, "|", "│"))
	} else {
		cells.Rule(m.areas.divider, cells.Either(m.opt.ASCII, "-", "─"))
		defer m.drawWhereabouts()
	}
	drawing, side := m.areas.drawing, m.areas.side
	if drawing.Width > 0 && drawing.Height > 0 {
		m.picture.preview = m.preview()
		m.picture.draw(drawing, m.opt.ASCII)
		m.drawOverview(drawing)
		if m.picture.selected.Kind == 0 {
			drawing.Put(1, 1, m.emptyText(), cells.Dimmed)
		}
	}
	if side.Width > 0 && side.Height > 1 {
		m.drawSide(side)
	}
}

// stacked reports whether the panes are one above the other, with a rule between them.
func (m *model) stacked() bool {
	d := m.panes(m.body()).divider
	return d.Height == 1 && d.Width > 1
}

// drawWhereabouts writes onto the rule below a drawing which part of it is visible. It must be called after
// the drawing.
func (m *model) drawWhereabouts() {
	if text := m.picture.whereabouts(); text != "" && m.areas.divider.Width > 0 {
		m.areas.divider.PutEnd(0, " "+text+" ", cells.Dimmed)
	}
}

// body returns the area between header and footer.
func (m *model) body() cells.Area {
	return m.screen.Area(0, 1, max(m.width, 0), max(m.height-3, 0))
}

// drawNothing explains why there is no drawing.
func (m *model) drawNothing(a cells.Area) {
	if m.link != nil && m.link.ended != nil {
		y := 1
		put := func(text string, st cells.Style) {
			for _, line := range cells.Wrap(text, a.Width-4) {
				a.Put(2, y, line, st)
				y++
			}
		}
		if m.opt.Explain == nil {
			put(words.Error(m.link.ended), cells.Bad)
		} else {
			e := m.opt.Explain(m.link.path, m.link.ended)
			put(plain.Line(e.Message), cells.Bad)
			for _, text := range []string{e.Where, e.Why} {
				if text != "" {
					put(plain.Line(text), cells.Plain)
				}
			}
			if e.Fix != "" {
				put("fix: "+plain.Line(e.Fix), cells.Strong)
			}
		}
		a.Put(2, y+1, "C tries again, ~ goes home, q leaves", cells.Dimmed)
		return
	}
	a.Put(2, 1, "opening "+m.name(), cells.Dimmed)
}

// panes divides the body of the main screen. A pane without room is empty.
func (m *model) panes(a cells.Area) areas {
	switch {
	case (m.zoomed || a.Width < stackWidth) && m.pane == sidePane:
		return areas{side: a}
	case m.zoomed || a.Width < stackWidth:
		return areas{drawing: a}
	case a.Width < besideWidth:
		top := min(max(3, int(float64(a.Height)*m.share(0.6))), a.Height-4)
		return areas{drawing: a.Part(0, 0, a.Width, top), divider: a.Row(top),
			side: a.Part(0, top+1, a.Width, a.Height-top-1)}
	}
	left := min(max(30, int(float64(a.Width)*m.share(0.62))), a.Width-30)
	return areas{drawing: a.Part(0, 0, left, a.Height), divider: a.Part(left, 0, 1, a.Height),
		side: a.Part(left+2, 0, a.Width-left-2, a.Height), beside: true}
}

// share returns the share of the screen for the drawing.
func (m *model) share(usual float64) float64 {
	if m.split > 0 {
		return m.split
	}
	return usual
}

// drawSide draws the side pane: the selected node, its state and command, then its log or the reasons for its
// state.
func (m *model) drawSide(a cells.Area) {
	used := m.sideTitle(a)
	body := a.Part(0, used, a.Width, a.Height-used)
	if m.inspect {
		m.drawWhy(body)
		return
	}
	m.log.Draw(body)
}

// sideTitle draws the rows above the log, and returns how many.
func (m *model) sideTitle(a cells.Area) int {
	st := cells.Strong
	if m.pane == sidePane {
		st = st.With(cells.Reverse)
	}
	n := m.selectedNode()
	if in := m.picture.innerOf(); in != nil && in.node == nil {
		return m.innerTitle(a, in, st)
	}
	if n == nil {
		name := ""
		if m.picture.layout != nil {
			name = m.picture.layout.Name(m.picture.selected)
		}
		a.Put(0, 0, cells.Clip(name+"  "+words.Plural(len(m.picture.nodes()), "node"), a.Width, m.opt.ASCII), st)
		return 1
	}
	state := stateStyle(n.Counted())
	x := a.Put(0, 0, words.LookOf(n.Counted()).Sign(m.opt.ASCII)+" ", state)
	x = a.Put(x, 0, cells.ClipMiddle(n.Name, max(8, a.Width/2), m.opt.ASCII), st)
	x = a.Put(x, 0, cells.Clip("  "+detail(n, m.now), a.Width-x, m.opt.ASCII), state)
	if word := m.paneWord(); x+cells.Columns(word)+3 <= a.Width {
		a.PutEnd(0, word, cells.Dimmed)
	}
	if a.Height < 6 {
		return 1
	}
	lines := commandLines(n.Command, max(1, a.Height/4), m.opt.ASCII)
	for i, line := range lines {
		a.Put(0, 1+i, cells.Clip(line, a.Width, m.opt.ASCII), cells.Dimmed)
	}
	cells.Rule(a.Row(1+len(lines)), cells.Either(m.opt.ASCII, "-", "─"))
	return 2 + len(lines)
}

// commandLines returns the lines of a command; the last one has what there is no room for.
func commandLines(command string, room int, ascii bool) []string {
	lines := strings.SplitN(strings.TrimSpace(command), "\n", room)
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.ReplaceAll(line, "\t", "  "), " \r")
	}
	lines[len(lines)-1] = plain.Command(lines[len(lines)-1], ascii)
	return lines
}

// drawLog draws the log on the whole screen.
func (m *model) drawLog(a cells.Area) {
	m.areas.side = a
	names := m.log.Target().Names
	title := strings.Join(names, ", ")
	if n := m.selectedNode(); n != nil && title == "" {
		title = n.Name + "  " + detail(n, m.now)
	}
	if n := m.selectedNode(); n != nil && len(names) == 1 && names[0] == n.Name {
		title += "  " + detail(n, m.now)
	}
	if info, ok := m.log.Info(); ok && info.Execution > 1 {
		title += fmt.Sprintf("  execution %d", info.Execution)
	}
	a.Put(0, 0, cells.Clip(title, a.Width, m.opt.ASCII), cells.Strong)
	m.log.Draw(a.Part(0, 1, a.Width, a.Height-1))
}
