package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/tui/dialog"
	"wf/tui/drawing"
)

// wheelLines is how far a turn of the wheel scrolls.
const wheelLines = 3

// doubleTime is the longest time between the clicks of a double click.
const doubleTime = 400 * time.Millisecond

// A pointer is the state of the mouse.
type pointer struct {
	dragging bool
	clicked  time.Time
	item     drawing.Item
}

// mouseEvent handles the mouse: click selects, double click opens, the wheel scrolls what is under the
// pointer, the divider can be dragged, the right button opens a menu, a click in the footer does the action.
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
		m.pointer.dragging = false
	case tea.MouseMotionMsg:
		if m.pointer.dragging {
			m.drag(at.X, at.Y)
		}
	case tea.MouseWheelMsg:
		m.wheel(at)
	}
	return nil
}

// clickAt selects what lies at a point of the screen.
func (m *model) clickAt(x, y int) tea.Cmd {
	double := m.now.Sub(m.pointer.clicked) < doubleTime
	m.pointer.clicked = m.now
	switch {
	case m.page == runsPage || m.page == homePage || m.page == inboxPage:
		return m.clickList(y, double)
	case m.page == mainPage && m.areas.overview.Contains(x, y):
		m.clickOverview(x, y)
	case m.areas.divider.Contains(x, y):
		m.pointer.dragging = true
	case m.areas.drawing.Contains(x, y) && m.page == mainPage && m.picture.layout != nil:
		m.pane = drawingPane
		item := m.itemAt(x, y)
		if item == drawing.Nothing {
			return nil
		}
		again := double && item == m.pointer.item
		m.pointer.item = item
		m.picture.choose(item)
		m.picture.free = true // what is clicked is in sight already
		if again {
			m.pointer.clicked = time.Time{}
			if !m.picture.openInner(m.shown()) && !m.picture.toggle() {
				m.showLog()
			}
		}
	case m.areas.side.Contains(x, y) && m.page == mainPage:
		m.pane = sidePane
	}
	return nil
}

// itemAt returns the item of the drawing at a point of the screen.
func (m *model) itemAt(x, y int) drawing.Item {
	if m.picture.layout == nil {
		return drawing.Nothing
	}
	d := m.areas.drawing
	return m.picture.layout.At(drawing.Point{X: x - d.X + m.picture.from.X, Y: y - d.Y + m.picture.from.Y})
}

// clickList selects a row of a list, and opens it with the second click.
func (m *model) clickList(y int, double bool) tea.Cmd {
	l := m.list()
	i := l.Top + y - m.areas.list.Y - 1
	if i < 0 || i >= l.Size {
		return nil
	}
	again := double && l.At == i
	l.At = i
	switch {
	case again && m.page == homePage:
		return m.openRecent()
	case m.page == inboxPage:
		m.moveInbox("")
		if again {
			return m.openApproval()
		}
	case again:
		return m.openRun()
	}
	return nil
}

// drag moves the divider between the panes.
func (m *model) drag(x, y int) {
	if m.areas.beside {
		m.split = float64(x) / float64(max(1, m.width))
	} else {
		m.split = float64(y-1) / float64(max(1, m.height-3))
	}
	m.split = min(max(m.split, leastSplit), mostSplit)
}

// wheel scrolls what is under the pointer.
func (m *model) wheel(at tea.Mouse) {
	step := wheelLines
	if at.Button == tea.MouseWheelUp || at.Button == tea.MouseWheelLeft {
		step = -wheelLines
	}
	switch {
	case m.page == helpPage:
		for range wheelLines {
			m.help.move(map[bool]string{true: "down", false: "up"}[step > 0])
		}
	case m.page == inboxPage:
		m.moveInbox(map[bool]string{true: "down", false: "up"}[step > 0])
	case m.page == runsPage || m.page == homePage:
		m.list().Move(map[bool]string{true: "down", false: "up"}[step > 0])
	case m.areas.drawing.Contains(at.X, at.Y):
		m.picture.free = true
		if at.Button == tea.MouseWheelLeft || at.Button == tea.MouseWheelRight || at.Mod&tea.ModShift != 0 {
			m.picture.from.X += step
		} else {
			m.picture.from.Y += step
		}
	case m.areas.side.Contains(at.X, at.Y):
		m.scroll(step)
	}
}
