package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/tui/dialog"
	"wf/tui/drawing"
)

// wheelLines is the number of lines that a turn of the wheel scrolls.
const wheelLines = 3

// doubleTime is the longest time between the clicks of a double click.
const doubleTime = 400 * time.Millisecond

// A pointer is the state of the mouse.
type pointer struct {
	dragging bool
	clicked  time.Time
	item     drawing.Item
}

// mouseEvent handles the mouse: a click selects, a double click opens, the wheel scrolls the area under the pointer,
// the divider can be dragged, the right button opens a menu, and a click in the footer does the action.
func (m *model) mouseEvent(msg tea.MouseMsg) tea.Cmd {
	at := msg.Mouse()
	if n := len(m.dialogs); n > 0 {
		d, ok := m.dialogs[n-1].(dialog.Clickable)
		switch msg.(type) {
		case tea.MouseClickMsg:
			if ok && at.Button == tea.MouseLeft {
				return m.apply(m.dialogs[n-1], d.Click(at.X, at.Y))
			}
		case tea.MouseWheelMsg:
			if ok && at.Button == tea.MouseWheelUp {
				d.Wheel(at, -1)
			} else if ok && at.Button == tea.MouseWheelDown {
				d.Wheel(at, 1)
			}
		}
		return nil
	}
	switch msg.(type) {
	case tea.MouseClickMsg:
		if at.Button == tea.MouseRight {
			m.clickAt(at.X, at.Y)
			m.contextMenu()
			return nil
		}
		if cmd, done := m.clickHint(at.X, at.Y); done {
			return cmd
		}
		return m.clickAt(at.X, at.Y)
	case tea.MouseReleaseMsg:
		m.term.pointer.dragging = false
	case tea.MouseMotionMsg:
		if m.term.pointer.dragging {
			m.panes.drag(m.body(), at.X, at.Y)
		}
	case tea.MouseWheelMsg:
		m.wheel(at)
	}
	return nil
}

// clickAt selects the item at a point of the screen.
func (m *model) clickAt(x, y int) tea.Cmd {
	double := m.now.Sub(m.term.pointer.clicked) < doubleTime
	m.term.pointer.clicked = m.now
	p := &m.doc.picture
	switch {
	case m.page == runsPage || m.page == homePage || m.page == inboxPage:
		return m.handle(m.clickList(y, double))
	case m.page == digestPage:
		m.digest.click(y - m.body().Y - 1)
		if double {
			return m.handle(m.choose())
		}
	case m.page != mainPage:
	case p.overview.Contains(x, y):
		p.clickOverview(x, y)
	case m.term.areas.divider.Contains(x, y):
		m.term.pointer.dragging = true
	case m.term.areas.drawing.Contains(x, y):
		m.panes.active = drawingPane
		if text := p.explainAt(x, y, m.opt.ASCII); text != "" {
			m.say(text, false)
		}
		item := p.itemAt(x, y)
		if item == drawing.Nothing {
			return nil
		}
		again := double && item == m.term.pointer.item
		m.term.pointer.item = item
		unfollow(m)
		p.choose(item)
		p.free = true // the clicked item is visible already
		if again {
			m.term.pointer.clicked = time.Time{}
			if !p.openInner(m.doc.shown()) && !p.toggle() {
				m.page = logPage
			}
		}
	case m.term.areas.side.Contains(x, y):
		m.panes.active = sidePane
	}
	return nil
}

// clickList selects a row of a list, and opens it with the second click.
func (m *model) clickList(y int, double bool) tea.Msg {
	l := m.list()
	i := l.Top + y - m.body().Y - 1
	if i < 0 || i >= l.Size {
		return nil
	}
	again := double && l.At == i
	l.At = i
	if m.page == inboxPage {
		m.inbox.move("")
	}
	if !again {
		return nil
	}
	return m.choose()
}

// list returns the list that receives keys.
func (m *model) list() *dialog.List {
	switch m.page {
	case homePage:
		return &m.home.List
	case inboxPage:
		return &m.inbox.List
	case digestPage:
		return &m.digest.List
	}
	return &m.runs.List
}

// choose opens the selected item of the list that receives keys.
func (m *model) choose() tea.Msg {
	switch m.page {
	case homePage:
		return m.home.choose()
	case inboxPage:
		return m.inbox.choose(m.doc.flow.Status.Workfile)
	case digestPage:
		return m.digest.choose()
	}
	return m.runs.choose(&m.doc)
}

// wheelStep returns how far a turn of the wheel scrolls.
func wheelStep(at tea.Mouse) int {
	if at.Button == tea.MouseWheelUp || at.Button == tea.MouseWheelLeft {
		return -wheelLines
	}
	return wheelLines
}

// wheel scrolls the area under the pointer.
func (m *model) wheel(at tea.Mouse) {
	step := wheelStep(at)
	key := map[bool]string{true: "down", false: "up"}[step > 0]
	switch {
	case m.page == helpPage:
		for range wheelLines {
			m.help.Move(key)
		}
	case m.page == inboxPage:
		m.inbox.move(key)
	case m.page == digestPage:
		m.digest.move(key)
	case m.page == runsPage || m.page == homePage:
		m.list().Move(key)
	case m.term.areas.drawing.Contains(at.X, at.Y):
		m.doc.picture.wheel(at)
	case m.term.areas.side.Contains(at.X, at.Y):
		m.side.scroll(step, m.page == logPage)
	}
}
