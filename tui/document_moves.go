package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wf/client/runview"
	"wf/tui/drawing"
)

// letters maps letters to the arrow keys that they replace.
var letters = map[string]string{"k": "up", "j": "down", "h": "left", "l": "right"}

func (d *document) move(to drawing.Direction) {
	if d.picture.layout != nil {
		d.picture.choose(d.picture.layout.Move(d.picture.selected, to))
	}
}

func (d *document) movePage(key string) {
	step := max(1, d.picture.height-2)
	if key == "ctrl+u" || key == "ctrl+d" {
		step = max(1, d.picture.height/2)
	}
	if d.picture.layout != nil {
		d.picture.choose(d.picture.layout.Next(d.picture.selected, step*lineStep(key)))
	}
}

func (d *document) moveEnd(key string) {
	if d.picture.layout == nil {
		return
	}
	items := d.picture.layout.Items()
	if len(items) == 0 {
		return
	}
	item := items[0]
	if key == "end" || key == "G" {
		item = items[len(items)-1]
	}
	d.picture.choose(item)
}

// nextFailed goes to the next failed node in the order of the file, and from the last one to the first. In a sub-flow
// it visits each failed instance, on all pages.
func (d *document) nextFailed(forward bool) tea.Msg {
	stops := d.picture.failures(d.shown())
	if len(stops) == 0 {
		return notice{"nothing has failed", false}
	}
	here := d.picture.place()
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
		d.picture.choose(drawing.Item{Kind: drawing.ARow, Index: int32(to.row)})
	case to.instance >= 0:
		n := &d.shown().Nodes[to.node]
		page := d.picture.page(n.Name)
		page.first, page.known = instanceOrder{n.Instances}.place(to.instance)/pageSize*pageSize, false
		d.picture.goToInstance(n.ID, n.Name, to.instance)
	default:
		d.picture.goTo(to.node)
	}
	return nil
}

// relative goes to the first parent or child.
func (d *document) relative(child bool) tea.Msg {
	if d.picture.layout == nil {
		return nil
	}
	near := d.picture.layout.Parents(d.picture.selected)
	if child {
		near = d.picture.layout.Children(d.picture.selected)
	}
	if len(near) == 0 {
		return notice{"nothing " + map[bool]string{true: "follows", false: "leads to it"}[child], false}
	}
	d.picture.choose(near[0])
	return nil
}

// nextView changes between graph and list.
func (d *document) nextView() tea.Msg {
	d.picture.chosen = true
	if d.picture.view == drawing.Chart {
		d.picture.view = drawing.List
	} else {
		d.picture.view = drawing.Chart
	}
	return notice{"view: " + d.picture.view.String(), false}
}

// mark marks the selection and goes to the next item.
func (d *document) mark() {
	d.picture.mark()
	if d.picture.layout != nil {
		d.picture.choose(d.picture.layout.Next(d.picture.selected, 1))
	}
}

// reveal selects the node with an id, or the row of a node in an instance.
func (d *document) reveal(id string) {
	if i, known := d.flow.Index[id]; known {
		d.picture.goTo(i)
		return
	}
	name, ok := runview.SubFlowOf(id)
	if !ok {
		return
	}
	i := d.flow.SubFlowNamed(name)
	if i < 0 {
		return
	}
	d.picture.goTo(i)
	d.picture.openTo(id)
}

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

// directions are those of the arrow keys.
var directions = map[string]drawing.Direction{"up": drawing.Up, "down": drawing.Down, "left": drawing.Left, "right": drawing.Right}
