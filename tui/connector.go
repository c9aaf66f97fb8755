package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/drawing"
	"wf/tui/plain"
	"wf/tui/words"
)

// A connector asks for the target of new edges. Arrows choose a node in the drawing; letters find nodes by name and
// command, including nodes that a filter hides or a stage folds.
type connector struct {
	doc         *document
	from        []string // ids of the sources
	to          string   // id of the target; "" = none is chosen
	back        string   // id of the node that was selected before, "" = none
	line        dialog.Line
	found       []string // ids of the nodes that match the line
	at          int      // index into found
	nonBlocking bool
	top         int        // of the latest screen: index into found of the first visible row
	rows        cells.Area // of the latest screen: the area of the list
}

// connectTo asks for the target of edges from the marked nodes or, if no node is marked, from the selection.
func (d *document) connectTo() tea.Msg {
	from := d.flow.IDs(d.objects())
	if len(from) == 0 {
		return nil
	}
	back := ""
	if n := d.editedNode(); n != nil {
		back = n.ID
	}
	return openDialog{&connector{doc: d, from: from, back: back, to: back}}
}

// target returns the chosen node, or -1.
func (d *connector) target() int {
	if i, known := d.doc.flow.Index[d.to]; known {
		return i
	}
	return -1
}

func (d *connector) Key(k tea.KeyPressMsg) dialog.Result {
	switch name := k.String(); name {
	case "tab", "shift+tab":
		d.nonBlocking = !d.nonBlocking
	case "enter":
		if d.wrong() != "" {
			return dialog.Result{} // the prompt shows the reason
		}
		return dialog.Result{Close: true, Do: edit{d.edits(), nil}}
	case "esc", "ctrl+c":
		if i, known := d.doc.flow.Index[d.back]; known {
			d.doc.picture.goTo(i)
		}
		return dialog.Result{Close: true}
	case "up", "down", "left", "right":
		if len(d.line.Text) > 0 && (name == "up" || name == "down") {
			d.step(name == "down")
		} else if d.doc.picture.layout != nil {
			d.doc.picture.choose(d.doc.picture.layout.Move(d.doc.picture.selected, directions[name]))
			d.to = ""
			if n := d.doc.editedNode(); n != nil {
				d.to = n.ID
			}
		}
	default:
		if d.line.Edit(k) {
			d.find()
		}
	}
	return dialog.Result{}
}

// Click chooses the node under the pointer, in the list of matches or in the drawing.
func (d *connector) Click(x, y int) dialog.Result {
	switch {
	case d.rows.Contains(x, y) && d.top+y-d.rows.Y < len(d.found):
		d.at = d.top + y - d.rows.Y
		d.chooseFound()
	case d.doc.picture.area.Contains(x, y):
		item := d.doc.picture.itemAt(x, y)
		if item == drawing.Nothing {
			return dialog.Result{}
		}
		d.doc.picture.choose(item)
		d.doc.picture.free = true // the clicked node is visible already
		d.doc.picture.toggle()    // a node can be chosen only after its stage is open
		d.line, d.found, d.to = dialog.Line{}, nil, ""
		if n := d.doc.selectedNode(); n != nil {
			d.to = n.ID
		}
	}
	return dialog.Result{}
}

// Wheel moves through the matches, or scrolls the drawing.
func (d *connector) Wheel(at tea.Mouse, n int) {
	if d.rows.Contains(at.X, at.Y) {
		d.step(n > 0)
		return
	}
	d.doc.picture.wheel(at)
}

func (d *connector) Paste(text string) dialog.Result {
	d.line.Insert(text)
	d.find()
	return dialog.Result{}
}

// find searches for nodes that match all words of the line. Nodes whose names begin with the line come first.
func (d *connector) find() {
	typed := strings.ToLower(d.line.String())
	terms := strings.Fields(typed)
	d.found, d.at = d.found[:0], 0
	if len(terms) == 0 {
		return
	}
	var rest []string
nodes:
	for i := range d.doc.flow.Nodes {
		n := &d.doc.flow.Nodes[i]
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
	d.chooseFound()
}

// step moves the selection in the list of matches.
func (d *connector) step(down bool) {
	if down {
		d.at = min(d.at+1, len(d.found)-1)
	} else {
		d.at--
	}
	d.at = max(d.at, 0)
	d.chooseFound()
}

// chooseFound chooses the node in the list, and shows it in the drawing.
func (d *connector) chooseFound() {
	if d.at < len(d.found) {
		d.to = d.found[d.at]
		if i, known := d.doc.flow.Index[d.to]; known {
			d.doc.picture.goTo(i)
		}
	}
}

// edge returns the type of the new edges.
func (d *connector) edge() string {
	if d.nonBlocking {
		return "non-blocking"
	}
	return "blocking"
}

// wrong returns why the edges cannot be added, or "".
func (d *connector) wrong() string {
	to := d.target()
	switch {
	case len(d.line.Text) > 0 && len(d.found) == 0:
		return "no node matches"
	case to < 0:
		return "choose a node"
	}
	news := 0
	for _, from := range d.doc.flow.Find(d.from) {
		e := d.doc.flow.Between(from, to)
		if e >= 0 && d.doc.flow.Edges[e].NonBlocking == d.nonBlocking {
			continue
		}
		if from == to && len(d.from) > 1 {
			continue // the target is itself marked: connect the other marked nodes to it
		}
		news++
		if d.nonBlocking {
			continue
		}
		if path := d.doc.flow.Path(to, from); path != nil {
			return cycleText(&d.doc.flow, append(path, to)) + ". Tab: make it non-blocking"
		}
	}
	if news == 0 {
		return "this edge exists already"
	}
	return ""
}

// preview returns the new edges for the drawing while the user connects, otherwise nil.
func preview(dialogs []dialog.Dialog) *drawing.Preview {
	if len(dialogs) == 0 {
		return nil
	}
	d, ok := dialogs[len(dialogs)-1].(*connector)
	if !ok || d.target() < 0 {
		return nil
	}
	p := &drawing.Preview{To: drawing.NodeItem(d.target()), NonBlocking: d.nonBlocking, Refused: d.wrong() != ""}
	for _, i := range d.doc.flow.Find(d.from) {
		p.From = append(p.From, drawing.NodeItem(i))
	}
	return p
}

// edits returns the edits that add the edges or change the type of existing ones.
func (d *connector) edits() (edits []api.Edit) {
	to := d.target()
	for _, from := range d.doc.flow.Find(d.from) {
		op, which := api.OpAddEdge, ""
		if e := d.doc.flow.Between(from, to); e >= 0 {
			if d.doc.flow.Edges[e].NonBlocking == d.nonBlocking {
				continue
			}
			op, which = api.OpEdgeType, api.EveryEdge
		} else if from == to && len(d.from) > 1 {
			continue
		}
		edits = append(edits, api.Edit{Op: op, Source: d.doc.flow.Nodes[from].ID, Target: d.doc.flow.Nodes[to].ID, Edge: which, Type: d.edge()})
	}
	return edits
}

// listed is the maximum number of matches that are shown at once.
const listed = 8

func (d *connector) Draw(a cells.Area) (x, y int, cursor bool) {
	ascii := a.ASCII()
	row := a.Row(a.Height - 1)
	row.Fill(cells.Plain)
	arrow := cells.Either(ascii, " -> ", " → ")
	if d.nonBlocking {
		arrow = cells.Either(ascii, " ..> ", " ╌→ ")
	}
	source := cells.ClipMiddle(d.doc.called(d.doc.flow.Find(d.from)), max(8, a.Width/4), ascii)
	x = row.Put(0, 0, "connect "+source+arrow, cells.Key)
	at := x
	if len(d.line.Text) > 0 {
		at = d.line.Draw(row.Part(0, 0, a.Width/2, 1), x, cells.Plain)
		x = min(a.Width/2, x+cells.Columns(d.line.String())+1)
	}
	if to := d.target(); to >= 0 && len(d.line.Text) == 0 {
		x = row.Put(x, 0, cells.ClipMiddle(d.doc.flow.Nodes[to].Name, max(8, a.Width/4), ascii), cells.Strong) + 1
	}
	note := row.Part(x, 0, a.Width-x, 1)
	if cells.Columns(d.wrong())+2 > note.Width { // the names of a cycle need room
		note = a.Row(a.Height - 2)
		note.Fill(cells.Plain)
	}
	if wrong := d.wrong(); wrong != "" {
		note.Put(0, 0, cells.Clip("  "+wrong, note.Width, ascii), cells.Bad)
	} else {
		note.Put(0, 0, cells.Clip("  "+d.edge()+"  Tab changes  Enter connects", note.Width, ascii), cells.Dimmed)
	}
	d.drawFound(a)
	return at, a.Height - 1, true
}

// drawFound lists the matches above the prompt.
func (d *connector) drawFound(a cells.Area) {
	d.rows = cells.Area{}
	if len(d.found) == 0 || a.Height < listed+4 {
		return
	}
	rows := min(listed, len(d.found))
	b := cells.Frame(a.Part(0, a.Height-rows-3, min(60, a.Width), rows+2), words.Count(d.at+1, len(d.found)))
	in := b.Part(1, 1, b.Width-2, rows)
	d.top, d.rows = max(0, d.at-rows+1), in
	for i := range rows {
		n, known := d.doc.flow.Index[d.found[d.top+i]]
		if !known {
			continue
		}
		row, node := in.Row(i), &d.doc.flow.Nodes[n]
		x := row.Put(1, 0, cells.ClipMiddle(node.Name, row.Width/2, a.ASCII()), cells.Plain)
		command := plain.Command(node.Command, a.ASCII())
		row.Put(x+2, 0, cells.Clip(command, row.Width-x-3, a.ASCII()), cells.Dimmed)
		if d.top+i == d.at {
			row.Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
		}
	}
}
