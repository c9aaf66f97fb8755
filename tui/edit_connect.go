package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/drawing"
	"wf/tui/plain"
	"wf/tui/words"
)

// A connector asks which node an edge leads to. Arrows choose it in the drawing, letters find nodes by
// their names and commands, those, too, that a filter hides or a stage folds.
type connector struct {
	from        []string // ids of the sources
	to          string   // id of the target; "" = none is chosen
	back        string   // id of what was selected before, "" = no node
	line        line
	found       []string // ids of the nodes that match the line
	at          int      // of found
	nonBlocking bool
	top         int        // of the latest frame: the first of found in rows
	rows        cells.Area // and where they are
}

// connect asks for the target of edges from the marked nodes, else from the selection.
func (m *model) connectTo() {
	from := m.ids(m.objects())
	if len(from) == 0 {
		return
	}
	back := ""
	if n := m.editedNode(); n != nil {
		back = n.ID
	}
	m.open(&connector{from: from, back: back, to: back})
}

// target is the node that is chosen, or -1.
func (d *connector) target(m *model) int {
	if i, known := m.flow.index[d.to]; known {
		return i
	}
	return -1
}

func (d *connector) key(m *model, k tea.KeyPressMsg) tea.Cmd {
	switch name := k.String(); name {
	case "tab", "shift+tab":
		d.nonBlocking = !d.nonBlocking
	case "enter":
		if d.wrong(m) != "" {
			return nil // it stands in the prompt
		}
		m.done()
		return m.change(d.edits(m))
	case "esc", "ctrl+c":
		m.done()
		if i, known := m.flow.index[d.back]; known {
			m.picture.goTo(i)
		}
	case "up", "down", "left", "right":
		if len(d.line.text) > 0 && (name == "up" || name == "down") {
			d.step(m, name == "down")
		} else if m.picture.layout != nil {
			m.picture.choose(m.picture.layout.Move(m.picture.selected, directions[name]))
			d.to = ""
			if n := m.editedNode(); n != nil {
				d.to = n.ID
			}
		}
	default:
		if d.line.edit(k) {
			d.find(m)
		}
	}
	return nil
}

// click chooses the node under the pointer: in the list of what was found, or in the drawing.
func (d *connector) click(m *model, x, y int) tea.Cmd {
	switch {
	case d.rows.Contains(x, y) && d.top+y-d.rows.Y < len(d.found):
		d.at = d.top + y - d.rows.Y
		d.aim(m)
	case m.page == mainPage && m.areas.drawing.Contains(x, y):
		item := m.itemAt(x, y)
		if item == drawing.Nothing {
			return nil
		}
		m.picture.choose(item)
		m.picture.free = true // what is clicked is in sight already
		m.picture.toggle()    // a stage has to be opened before a node of it can be chosen
		d.line, d.found, d.to = line{}, nil, ""
		if n := m.selectedNode(); n != nil {
			d.to = n.ID
		}
	}
	return nil
}

// wheel goes through what was found, elsewhere it scrolls as ever.
func (d *connector) wheel(m *model, at tea.Mouse, n int) {
	if d.rows.Contains(at.X, at.Y) {
		d.step(m, n > 0)
		return
	}
	m.wheel(at)
}

func (d *connector) paste(m *model, text string) tea.Cmd {
	d.line.insert(text)
	d.find(m)
	return nil
}

// find looks for nodes that match all words of the line, those whose names begin with it first.
func (d *connector) find(m *model) {
	typed := strings.ToLower(d.line.String())
	terms := strings.Fields(typed)
	d.found, d.at = d.found[:0], 0
	if len(terms) == 0 {
		return
	}
	var rest []string
nodes:
	for i := range m.flow.nodes {
		n := &m.flow.nodes[i]
		for _, word := range terms {
			if !fuzzy(word, n) {
				continue nodes
			}
		}
		if strings.HasPrefix(strings.ToLower(n.Name), terms[0]) {
			d.found = append(d.found, n.ID)
		} else {
			rest = append(rest, n.ID)
		}
	}
	d.found = append(d.found, rest...)
	d.aim(m)
}

// step goes on in the list of what was found.
func (d *connector) step(m *model, down bool) {
	if down {
		d.at = min(d.at+1, len(d.found)-1)
	} else {
		d.at--
	}
	d.at = max(d.at, 0)
	d.aim(m)
}

// aim chooses what was found, and shows where it is.
func (d *connector) aim(m *model) {
	if d.at < len(d.found) {
		d.to = d.found[d.at]
		if i, known := m.flow.index[d.to]; known {
			m.picture.goTo(i)
		}
	}
}

// edge is the type that the edges are to have.
func (d *connector) edge() string {
	if d.nonBlocking {
		return "non-blocking"
	}
	return "blocking"
}

// wrong says why there cannot be such edges, "" = there can.
func (d *connector) wrong(m *model) string {
	to := d.target(m)
	switch {
	case len(d.line.text) > 0 && len(d.found) == 0:
		return "no node matches"
	case to < 0:
		return "choose a node"
	}
	news := 0
	for _, from := range m.still(d.from) {
		e := m.flow.between(from, to)
		if e >= 0 && m.flow.edges[e].nonBlocking == d.nonBlocking {
			continue
		}
		if from == to && len(d.from) > 1 {
			continue // one of the marked ones was chosen: the others lead to it
		}
		news++
		if d.nonBlocking {
			continue
		}
		if path := m.flow.way(to, from); path != nil {
			return cycleText(&m.flow, append(path, to)) + ". Tab: make it non-blocking"
		}
	}
	if news == 0 {
		return "such an edge is there already"
	}
	return ""
}

// preview is what the drawing shows of edges while somebody connects, nil else.
func (m *model) preview() *drawing.Preview {
	if len(m.dialogs) == 0 {
		return nil
	}
	d, ok := m.dialogs[len(m.dialogs)-1].(*connector)
	if !ok || d.target(m) < 0 {
		return nil
	}
	p := &drawing.Preview{To: drawing.NodeItem(d.target(m)), NonBlocking: d.nonBlocking, Refused: d.wrong(m) != ""}
	for _, i := range m.still(d.from) {
		p.From = append(p.From, drawing.NodeItem(i))
	}
	return p
}

// edits make the edges, or change the type of those that are there.
func (d *connector) edits(m *model) (edits []api.Edit) {
	to := d.target(m)
	for _, from := range m.still(d.from) {
		op, which := api.OpAddEdge, ""
		if e := m.flow.between(from, to); e >= 0 {
			if m.flow.edges[e].nonBlocking == d.nonBlocking {
				continue
			}
			op, which = api.OpEdgeType, api.EveryEdge
		} else if from == to && len(d.from) > 1 {
			continue
		}
		edits = append(edits, api.Edit{Op: op, Source: m.flow.nodes[from].ID, Target: m.flow.nodes[to].ID, Edge: which, Type: d.edge()})
	}
	return edits
}

// listed is how many nodes that match are shown at once.
const listed = 8

func (d *connector) draw(m *model, a cells.Area) (x, y int, cursor bool) {
	ascii := m.opt.ASCII
	row := a.Row(a.Height - 1)
	row.Fill(cells.Plain)
	arrow := cells.Either(ascii, " -> ", " → ")
	if d.nonBlocking {
		arrow = cells.Either(ascii, " ..> ", " ╌→ ")
	}
	source := cells.ClipMiddle(m.called(m.still(d.from)), max(8, a.Width/4), ascii)
	x = row.Put(0, 0, "connect "+source+arrow, cells.Key)
	at := x
	if len(d.line.text) > 0 {
		at = d.line.draw(row.Part(0, 0, a.Width/2, 1), x, cells.Plain)
		x = min(a.Width/2, x+cells.Columns(d.line.String())+1)
	}
	if to := d.target(m); to >= 0 && len(d.line.text) == 0 {
		x = row.Put(x, 0, cells.ClipMiddle(m.flow.nodes[to].Name, max(8, a.Width/4), ascii), cells.Strong) + 1
	}
	note := row.Part(x, 0, a.Width-x, 1)
	if cells.Columns(d.wrong(m))+2 > note.Width { // the names of a cycle need room
		note = a.Row(a.Height - 2)
		note.Fill(cells.Plain)
	}
	if wrong := d.wrong(m); wrong != "" {
		note.Put(0, 0, cells.Clip("  "+wrong, note.Width, ascii), cells.Bad)
	} else {
		note.Put(0, 0, cells.Clip("  "+d.edge()+"  Tab changes  Enter connects", note.Width, ascii), cells.Dimmed)
	}
	d.drawFound(m, a)
	return at, a.Height - 1, true
}

// drawFound lists what matches above the prompt.
func (d *connector) drawFound(m *model, a cells.Area) {
	d.rows = cells.Area{}
	if len(d.found) == 0 || a.Height < listed+4 {
		return
	}
	rows := min(listed, len(d.found))
	b := cells.Frame(a.Part(0, a.Height-rows-3, min(60, a.Width), rows+2), words.Count(d.at+1, len(d.found)))
	in := b.Part(1, 1, b.Width-2, rows)
	d.top, d.rows = max(0, d.at-rows+1), in
	for i := range rows {
		n, known := m.flow.index[d.found[d.top+i]]
		if !known {
			continue
		}
		row, node := in.Row(i), &m.flow.nodes[n]
		x := row.Put(1, 0, cells.ClipMiddle(node.Name, row.Width/2, m.opt.ASCII), cells.Plain)
		command := plain.Command(node.Command, m.opt.ASCII)
		row.Put(x+2, 0, cells.Clip(command, row.Width-x-3, m.opt.ASCII), cells.Dimmed)
		if d.top+i == d.at {
			row.Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
		}
	}
}
