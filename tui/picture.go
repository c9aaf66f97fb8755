package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client/runview"
	"wf/tui/cells"
	"wf/tui/drawing"
	"wf/tui/words"
)

// A picture is the drawing of a flow and how it is displayed.
type picture struct {
	view      drawing.View
	zoom      drawing.Zoom
	chosen    bool // the view was chosen, by the user or when the workfile was first shown
	graph     *drawing.Graph
	layout    *drawing.Layout
	built     built
	grid      drawing.Grid
	small     drawing.Grid    // of the overview
	from      drawing.Point   // upper left corner of the visible part
	selected  drawing.Item    // of layout
	anchor    string          // id of the selected node or key of the selected item, to find it in a new layout
	expanded  map[string]bool // keys of layout
	marked    map[string]bool // ids of nodes
	inner     []innerRow      // what the rows of graph stand for
	pages     map[string]*instancePage
	owner     string       // id of the node above the selected row
	hidden    []bool       // by the filter; nil = nothing
	described []textSource // by node: the source of its texts
	width     int
	height    int
	area      cells.Area       // of the latest drawing
	overview  cells.Area       // of its overview, without the border; empty without an overview
	free      bool             // scrolled away from the selection
	lens      bool             // light the path of the selection
	preview   *drawing.Preview // of edges that the user is adding; nil = none
}

// A built describes a layout: its input, and what is still being computed.
type built struct {
	structure int
	view      drawing.View
	zoom      drawing.Zoom
	at        time.Time
	awaited   <-chan struct{} // of the drawing in the background that a command waits for
}

func newPicture() picture {
	return picture{expanded: map[string]bool{}, marked: map[string]bool{}, lens: true}
}

// relayoutTime is the minimum time between two layouts because of a filter on the states of nodes.
const relayoutTime = 500 * time.Millisecond

// update updates the drawing from a flow. hidden contains, by node, whether the filter hides it.
func (p *picture) update(f *runview.Workfile, hidden []bool, now time.Time) {
	if p.layout == nil || p.built.structure != f.Structure {
		p.graph = &drawing.Graph{Nodes: make([]drawing.Node, len(f.Nodes)), Edges: make([]drawing.Edge, len(f.Edges))}
		for i, n := range f.Nodes {
			node := drawing.Node{ID: n.ID, Name: n.Name, Group: n.Group, Command: n.Command, Signs: words.Traits(&n), Inside: !f.Outer(i), Folds: n.SubFlow != ""}
			if n.X != nil && n.Y != nil {
				node.X, node.Y, node.Placed = *n.X, *n.Y, true
			}
			p.graph.Nodes[i] = node
		}
		p.layout, p.described = nil, make([]textSource, len(f.Nodes))
	}
	for i := range f.Nodes {
		n, to := &f.Nodes[i], &p.graph.Nodes[i]
		to.Marked = p.marked[n.ID]
		if t := textSourceOf(n); t != p.described[i] || countsDown(n) {
			p.described[i] = t
			to.State, to.Detail, to.Time, to.Instances = drawStates[runview.FoldedState(n)], detail(n, now), shortTime(n, now), instanceCount(n)
		}
	}
	for i, e := range f.Edges {
		p.graph.Edges[i] = drawing.Edge{From: e.From, To: e.To, NonBlocking: e.NonBlocking, When: e.When, Marked: e.Marked, Taken: e.Taken, Dead: e.Dead}
	}
	p.rowsOf(f, now)
	stale := !slices.Equal(hidden, p.hidden) && now.Sub(p.built.at) >= relayoutTime
	if p.layout == nil || p.built.view != p.view || p.built.zoom != p.zoom || stale {
		p.newLayout(f.Structure, hidden, now)
	} else if p.show(false); len(f.Members) > 0 {
		p.keepSelected()
	}
	p.resolve()
}

// resolve selects the box that shows what is selected, after boxes have been opened or folded. A node may be selected
// although its box shows others, too.
func (p *picture) resolve() {
	if p.selected == drawing.Nothing { // the drawing was empty until now
		p.selected = p.find(p.anchor)
		return
	}
	if seen := p.layout.Seen(p.selected); seen != drawing.Nothing && p.selected.Kind != drawing.ANode {
		p.selected = seen
	}
}

// A textSource contains all data in the texts of a node, so that they are computed only after a change. A change
// always comes with new pointers.
type textSource struct {
	state      api.State
	executions int
	started    *time.Time
	took       *int64
	exit       *int
	wait       *api.Wait
	engine     *api.EngineJob
	instances  *api.Instances
	mocked     bool
	upToDate   bool
	handled    bool
	fromFile   bool
	attempt    int
}

func textSourceOf(n *api.NodeStatus) textSource {
	return textSource{n.State, n.Executions, n.Started, n.DurationMS, n.ExitCode, n.Wait, n.Engine, n.Instances, n.Mocked, n.UpToDate, n.Handled, n.FromFile, n.Attempt}
}

// shortTime returns for chips how long a node has been running, or how long it ran.
func shortTime(n *api.NodeStatus, now time.Time) string {
	switch {
	case n.State == api.StateRunning && n.Started != nil:
		return withAttempt(clock(now.Sub(*n.Started)), n)
	case n.Wait != nil && n.Wait.Until != nil:
		return clock(n.Wait.Until.Sub(now))
	case n.Wait != nil:
		return ""
	case n.DurationMS != nil && n.State != api.StateIdle:
		return clock(time.Duration(*n.DurationMS) * time.Millisecond)
	}
	return ""
}

// withAttempt adds the attempt to a short time, such as "12s 2/4", if there is room for it.
func withAttempt(text string, n *api.NodeStatus) string {
	if long := fmt.Sprintf("%s %d/%d", text, n.Attempt+1, n.Retries+1); n.Attempt > 0 && n.Retries >= n.Attempt && len(long) <= shortRoom {
		return long
	}
	return text
}

// shortRoom is the room for a short time, in columns.
const shortRoom = 7

// newLayout computes a new layout and restores the selection.
func (p *picture) newLayout(structure int, hidden []bool, now time.Time) {
	p.hidden = slices.Clone(hidden)
	if !p.chosen && p.width > 0 {
		p.layout, p.view = drawing.First(p.graph, p.options(), p.width, p.height)
		p.chosen = true
	} else {
		p.layout = drawing.New(p.graph, p.options())
	}
	p.built = built{structure: structure, view: p.view, zoom: p.zoom, at: now}
	p.show(false)
	p.selected = p.find(p.anchor)
	p.free = false
}

// A drawn is the message that a drawing has been computed in the background. The next screen shows it.
type drawn struct{}

// awaitDrawing returns a command that waits for the drawing that is being computed, or nil.
func (p *picture) awaitDrawing() tea.Cmd {
	if p.layout == nil {
		return nil
	}
	pending := p.layout.Pending()
	if pending == nil || pending == p.built.awaited {
		return nil
	}
	p.built.awaited = pending
	return func() tea.Msg {
		<-pending
		return drawn{}
	}
}

// options returns the options of the layout.
func (p *picture) options() drawing.Options {
	return drawing.Options{View: p.view, Zoom: p.zoom, Hidden: p.hidden}
}

// fit shows the whole graph, in the largest form that fits.
func (p *picture) fit() { p.zoom, p.from = drawing.Fit, drawing.Point{} }

// nextZoom draws the boxes of the graph in the next size.
func (p *picture) nextZoom() tea.Msg {
	p.zoom = p.zoom.Next()
	return notice{"zoom: " + p.zoom.String(), false}
}

// nextLens lights the path of the selection, or shows all lines alike.
func (p *picture) nextLens() tea.Msg {
	if p.lens = !p.lens; !p.lens {
		return notice{"all lines", false}
	}
	return notice{"the path of the selection: what leads to it, and what follows it", false}
}

// find returns the item of an anchor: a node by its id, another item by its key, otherwise the first item.
func (p *picture) find(anchor string) drawing.Item {
	for i := range p.graph.Nodes {
		if p.graph.Nodes[i].ID == anchor {
			switch seen := p.layout.Seen(drawing.NodeItem(i)); {
			case seen == drawing.Nothing:
			case p.selected.Kind == drawing.ANode:
				return drawing.NodeItem(i)
			default:
				return seen
			}
		}
	}
	if strings.HasPrefix(anchor, openKey("")) {
		for i := range p.graph.Rows {
			if p.graph.Rows[i].Key == anchor {
				return drawing.Item{Kind: drawing.ARow, Index: int32(i)}
			}
		}
		return p.find(p.owner)
	}
	items := p.layout.Items()
	for _, item := range items {
		if item.Kind != drawing.ANode && p.layout.Key(item) == anchor {
			return item
		}
	}
	if len(items) > 0 {
		return items[0]
	}
	return drawing.Nothing
}

// show passes the states to the layout.
func (p *picture) show(ascii bool) {
	p.layout.Show(drawing.Look{Width: p.width, Height: p.height, ASCII: ascii, Selected: p.selected, Expanded: p.expanded, Lens: p.lens})
}

// draw draws the visible part into a.
func (p *picture) draw(a cells.Area, ascii bool) {
	p.width, p.height, p.area = a.Width, a.Height, a
	if p.layout == nil || a.Width == 0 || a.Height == 0 {
		return
	}
	p.show(ascii)
	p.resolve()
	if !p.free {
		p.reveal()
	}
	p.keepInSight(a)
	p.grid.Resize(a.Width, a.Height)
	p.layout.Draw(&p.grid, p.from)
	if p.preview != nil {
		p.layout.Preview(&p.grid, p.from, *p.preview)
	}
	pasteDrawing(a, &p.grid)
}

// keepInSight limits scrolling to the drawing. A graph that is smaller than its pane stands in its middle, a bit higher.
func (p *picture) keepInSight(a cells.Area) {
	w, h := p.layout.Size()
	p.from.X = min(max(p.from.X, 0), max(0, w-a.Width))
	p.from.Y = min(max(p.from.Y, 0), max(0, h-a.Height))
	if p.view == drawing.Chart {
		p.from.X -= max(0, a.Width-w) / 2
		p.from.Y -= max(0, a.Height-h) / 3
	}
}

// rimX and rimY are the numbers of columns and rows that stay visible around the selection.
const (
	rimX = 2
	rimY = 2
)

// reveal scrolls so that the selection is visible.
func (p *picture) reveal() {
	r := p.layout.Where(p.selected)
	if r == (drawing.Rect{}) {
		return
	}
	p.from.Y = scrollTo(p.from.Y, r.Y, r.H, p.height, rimY)
	p.from.X = scrollTo(p.from.X, r.X, r.W, p.width, rimX)
}

// scrollTo returns the first row to show so that size rows starting at at are visible in room rows, with a rim around
// them if it fits.
func scrollTo(from, at, size, room, rim int) int {
	if size+2*rim > room {
		rim = 0
	}
	from = min(from, at-rim)
	if size <= room {
		from = max(from, at+size+rim-room)
	}
	return max(from, 0)
}

// choose selects an item.
func (p *picture) choose(item drawing.Item) {
	if item == drawing.Nothing {
		return
	}
	p.selected, p.free = item, false
	p.anchor = p.layout.Key(item)
	switch item.Kind {
	case drawing.ANode:
		p.anchor = p.graph.Nodes[item.Index].ID
	case drawing.ARow:
		p.owner = p.graph.Nodes[p.graph.Rows[item.Index].Node].ID
	}
}

// cutName returns the whole name of the selection if the drawing shows only a part of it, or "".
func (p *picture) cutName() string {
	if p.layout == nil || !p.layout.Shortened(p.selected) {
		return ""
	}
	return p.layout.Name(p.selected)
}

// node returns the selected node, or -1.
func (p *picture) node() int {
	if in := p.innerOf(); in != nil && p.layout != nil {
		return in.member
	}
	if p.layout == nil || p.selected.Kind != drawing.ANode {
		return -1
	}
	return int(p.selected.Index)
}

// nodes returns the nodes of the selected item.
func (p *picture) nodes() []int {
	if p.layout == nil || p.selected == drawing.Nothing {
		return nil
	}
	if in := p.innerOf(); in != nil && in.member >= 0 {
		return []int{in.member}
	}
	return p.layout.Nodes(p.selected)
}

// toggle draws the selected box node by node. It returns false if the box is a single node.
func (p *picture) toggle() bool {
	if p.layout == nil {
		return false
	}
	keys := p.layout.StageKeys(p.selected)
	for _, key := range keys {
		p.expanded[key] = true
	}
	return len(keys) > 0
}

// close closes what the selection is in: an opened stage, sub-flow or instance. It returns false if nothing is open.
func (p *picture) close(f *runview.Workfile) bool {
	if p.layout == nil {
		return false
	}
	if keys := p.layout.OpenKeys(p.selected); len(keys) > 0 && p.selected.Kind == drawing.ANode {
		for _, key := range keys {
			delete(p.expanded, key)
		}
		p.show(false)
		p.choose(p.layout.Seen(p.selected))
		return true
	}
	return p.closeInner(f)
}

// closeHere is close, with a notice if nothing is open.
func (p *picture) closeHere(f *runview.Workfile) tea.Msg {
	if !p.close(f) {
		return notice{"nothing is open here", false}
	}
	return nil
}

// mark marks the selected nodes, or unmarks them if all of them are marked.
func (p *picture) mark() {
	nodes := p.nodes()
	all := !slices.ContainsFunc(nodes, func(i int) bool { return !p.marked[p.graph.Nodes[i].ID] })
	for _, i := range nodes {
		if id := p.graph.Nodes[i].ID; all {
			delete(p.marked, id)
		} else {
			p.marked[id] = true
		}
	}
}

// markedNodes returns the marked nodes that exist, in file order.
func (p *picture) markedNodes() []int {
	if p.graph == nil {
		return nil
	}
	var nodes []int
	for i := range p.graph.Nodes {
		if p.marked[p.graph.Nodes[i].ID] {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// unmarkAll removes all marks.
func (p *picture) unmarkAll() { clear(p.marked) }

// goTo selects a node, also within a box of several.
func (p *picture) goTo(node int) {
	if p.layout == nil {
		return
	}
	for i := range p.inner { // as a row of its sub-flow, if that is open
		if p.inner[i].kind == aTemplate && p.inner[i].member == node {
			p.choose(drawing.Item{Kind: drawing.ARow, Index: int32(i)})
			return
		}
	}
	if p.layout.Seen(drawing.NodeItem(node)) != drawing.Nothing {
		p.choose(drawing.NodeItem(node))
	}
	p.anchor = p.graph.Nodes[node].ID
}

// itemAt returns the item at a point of the screen.
func (p *picture) itemAt(x, y int) drawing.Item {
	if p.layout == nil {
		return drawing.Nothing
	}
	return p.layout.At(drawing.Point{X: x - p.area.X + p.from.X, Y: y - p.area.Y + p.from.Y})
}

// wheel scrolls.
func (p *picture) wheel(at tea.Mouse) {
	step := wheelStep(at)
	p.free = true
	if at.Button == tea.MouseWheelLeft || at.Button == tea.MouseWheelRight || at.Mod&tea.ModShift != 0 {
		p.from.X += step
	} else {
		p.from.Y += step
	}
}
