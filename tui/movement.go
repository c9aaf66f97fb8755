package tui

import (
	"slices"

	"wf/tui/dialog"
	"wf/tui/drawing"
)

// letters are the keys that stand for arrows.
var letters = map[string]string{"k": "up", "j": "down", "h": "left", "l": "right"}

// arrow returns the direction of a key.
func arrow(key string) drawing.Direction {
	if name, ok := letters[key]; ok {
		key = name
	}
	return directions[key]
}

// lineStep returns -1 for keys that go up, otherwise 1.
func lineStep(key string) int {
	switch key {
	case "up", "k", "pgup", "ctrl+u":
		return -1
	}
	return 1
}

func (m *model) move(d drawing.Direction) {
	if m.picture.layout != nil {
		m.picture.choose(m.picture.layout.Move(m.picture.selected, d))
	}
}

func (m *model) movePage(key string) {
	step := max(1, m.picture.height-2)
	if key == "ctrl+u" || key == "ctrl+d" {
		step = max(1, m.picture.height/2)
	}
	if m.picture.layout != nil {
		m.picture.choose(m.picture.layout.Next(m.picture.selected, step*lineStep(key)))
	}
}

func (m *model) moveEnd(key string) {
	if m.picture.layout == nil {
		return
	}
	items := m.picture.layout.Items()
	if len(items) == 0 {
		return
	}
	item := items[0]
	if key == "end" || key == "G" {
		item = items[len(items)-1]
	}
	m.picture.choose(item)
}

// enter opens what is folded, or goes to the log of a node.
func (m *model) enter() {
	if m.answerMenu() || m.picture.openInner(m.shown()) || m.picture.toggle() {
		return
	}
	m.inspect, m.pane = false, sidePane
}

// nextFailed goes to the next node that failed, in the order of the file, from the last to the first. In a
// sub-flow it goes to each instance that failed, and turns the pages.
func (m *model) nextFailed(forward bool) {
	stops := m.picture.failures(m.shown())
	if len(stops) == 0 {
		m.say("nothing has failed", false)
		return
	}
	here := m.picture.place()
	at := slices.Index(stops, here)
	switch {
	case at >= 0 && forward:
		at++
	case at >= 0:
		at--
	case forward: // the first one behind
		at = slices.IndexFunc(stops, func(f failure) bool { return here.before(f) })
		at = max(at, 0)
	default: // the last one before
		at = len(stops) - 1
		for at > 0 && !stops[at].before(here) {
			at--
		}
	}
	to := stops[(at+len(stops))%len(stops)]
	switch {
	case to.row >= 0:
		m.picture.choose(drawing.Item{Kind: drawing.ARow, Index: int32(to.row)})
	case to.instance >= 0:
		n := &m.shown().Nodes[to.node]
		page := m.picture.page(n.Name)
		page.first, page.known = instanceOrder{n.Instances}.place(to.instance)/pageSize*pageSize, false
		m.picture.goToInstance(n.ID, n.Name, to.instance)
	default:
		m.picture.goTo(to.node)
	}
}

// relative goes to the first parent or child.
func (m *model) relative(child bool) {
	if m.picture.layout == nil {
		return
	}
	near := m.picture.layout.Parents(m.picture.selected)
	if child {
		near = m.picture.layout.Children(m.picture.selected)
	}
	if len(near) == 0 {
		m.say("nothing "+map[bool]string{true: "follows", false: "leads to it"}[child], false)
		return
	}
	m.picture.choose(near[0])
}

func (m *model) otherPane() {
	if m.pane == drawingPane {
		m.pane = sidePane
	} else {
		m.pane = drawingPane
	}
}

func (m *model) toPane(key string) {
	m.pane = drawingPane
	if key == "2" {
		m.pane = sidePane
	}
}

// scroll moves what the side pane or the whole log shows.
func (m *model) scroll(n int) {
	if inspects(m) {
		m.why.top = max(0, m.why.top+n)
		return
	}
	m.log.Scroll(n)
}

// scrollPages moves it by screenfuls.
func (m *model) scrollPages(n int) {
	if inspects(m) {
		m.scroll(n * m.why.height)
		return
	}
	m.log.ScrollPages(n)
}

func (m *model) scrollEnd(end bool) {
	switch {
	case inspects(m) && end:
		m.why.top = len(m.why.lines)
	case inspects(m):
		m.why.top = 0
	case end:
		m.log.ToEnd()
	default:
		m.log.ToStart()
	}
}

// nextView changes the view, in the order stages, graph, list.
func (m *model) nextView() {
	order := []drawing.View{drawing.Stages, drawing.Layers, drawing.List}
	at := slices.Index(order, m.picture.view)
	m.picture.view, m.picture.chosen = order[(at+1)%len(order)], true
	m.say("view: "+m.picture.view.String(), false)
}

// nextZoom gives the nodes of the graph more room, or after the most room the least.
func (m *model) nextZoom() { m.picture.zoom = (m.picture.zoom + 1) % (drawing.Map + 1) }

// mark marks the selection and goes to the next item.
func (m *model) mark() {
	m.picture.mark()
	if m.picture.layout != nil {
		m.picture.choose(m.picture.layout.Next(m.picture.selected, 1))
	}
}

// escape undoes one thing that hides a part of the workfile of now: zoom, filter, earlier run.
func (m *model) escape() {
	switch {
	case m.zoomed:
		m.zoomed = false
	case m.pane == sidePane:
		m.pane = drawingPane
	case m.filter.text != "" || m.quick != 0:
		m.filter, m.quick = filter{}, 0
	case m.past != nil:
		m.leavePast()
	}
}

// leave ends the interface. Active runs go on.
func (m *model) leave() { m.dead = true }

// showLog shows the log on the whole screen.
func (m *model) showLog() { m.page = logPage }

// list returns the list that has the keys.
func (m *model) list() *dialog.List {
	switch m.page {
	case homePage:
		return &m.home.List
	case inboxPage:
		return &m.inbox.List
	}
	return &m.runs.List
}
