package tui

import (
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/graph/attribute"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/plain"
	"wf/tui/words"
)

// A field is a text that is edited in one line. A text with several lines is edited only in the editor.
type field struct {
	label  string
	key    string // of the attribute
	help   string
	roomy  bool   // the text may have several lines or be long
	was    string // the value in the workfile
	theirs string // the value that another client has set in the meantime
	other  bool   // another client has changed it
	line   dialog.Line
	whole  string // the text if it is too long for line
	long   bool
}

// set puts a text into the field.
func (f *field) set(text string) {
	f.line = dialog.NewLine(text)
	f.whole, f.long = text, f.line.String() != text
}

// text returns the text in the field.
func (f *field) text() string {
	if f.long {
		return f.whole
	}
	return f.line.String()
}

// draw writes the field from column x on and returns the column of the cursor.
func (f *field) draw(a cells.Area, x int) int {
	if !f.long {
		return f.line.Draw(a, x, cells.Plain)
	}
	first, _, _ := strings.Cut(f.whole, "\n")
	a.Put(x, 0, cells.Clip(plain.Line(first), a.Width-x-24, a.ASCII()), cells.Plain)
	a.PutEnd(0, "several lines: ctrl-e", cells.Dimmed)
	return x
}

// fieldColumn is the column where the texts of fields begin.
const fieldColumn = 16

// A form changes the attributes of one node.
type form struct {
	id, name string
	title    string // above the form
	enter    string // what the keys do, below it
	fields   []field
	at, top  int
	problem  string // why saving failed, or the problem with the saved values
}

// formFields returns the fields of an element: the attributes that users can set.
func formFields(on attribute.Element) (fields []field) {
	for a := range attribute.On(on) {
		if a.Settable() && a.Name != "x" && a.Name != "y" {
			fields = append(fields, field{label: fieldLabel(a.Name), key: a.Name, help: a.Meaning, roomy: a.Long})
		}
	}
	return fields
}

// fieldLabel returns the label of a field. Attributes of a family are indented below the one that they need.
func fieldLabel(name string) string {
	if name == "label" {
		return "command"
	}
	for _, family := range []string{"approve_", "retry_", "join_"} {
		if rest, found := strings.CutPrefix(name, family); found {
			return "  " + strings.ReplaceAll(rest, "_", " ")
		}
	}
	return strings.ReplaceAll(name, "_", " ")
}

// elementOf returns which kind of element a node is, and so which attributes apply to it. A group may also have the
// attributes of a sub-flow, which turn it into one.
func elementOf(n *api.NodeStatus) attribute.Element {
	if n.Container {
		return attribute.SubFlow
	}
	return attribute.Command
}

// nodeForm opens the form of the selected node.
func (d *document) nodeForm() tea.Msg {
	n := d.editedNode()
	if n == nil {
		return notice{"no single node is selected: e edits the commands of several", false}
	}
	return fetch([]string{n.ID}, func(now []api.NodeStatus) tea.Msg {
		if len(now) != 1 {
			return nil
		}
		return openDialog{newForm(now[0])}
	})
}

func newForm(n api.NodeStatus) *form {
	on := elementOf(&n)
	d := &form{id: n.ID, name: plain.Line(n.Name), title: "Node " + plain.Line(n.Name), enter: "Enter saves  Esc leaves it as it is", fields: formFields(on)}
	for _, key := range slices.Sorted(maps.Keys(n.Attrs)) {
		if flaw := attribute.Judge(on, key); flaw != nil {
			d.fields = append(d.fields, field{label: plain.Line(key), key: key, help: flaw.Text(on, key)})
		}
	}
	for i := range d.fields {
		f := &d.fields[i]
		f.was = valueOf(n, f.key)
		f.set(f.was)
	}
	return d
}

// valueOf returns an attribute of a node that a Select request returned.
func valueOf(n api.NodeStatus, key string) string {
	if key == "label" {
		return n.Command
	}
	return n.Attrs[key]
}

func (d *form) Key(k tea.KeyPressMsg) dialog.Result {
	f := &d.fields[d.at]
	switch k.String() {
	case "up", "shift+tab":
		d.at = (d.at + len(d.fields) - 1) % len(d.fields)
	case "down", "tab":
		d.at = (d.at + 1) % len(d.fields)
	case "esc", "ctrl+c":
		return dialog.Result{Close: true}
	case "ctrl+e":
		return dialog.Then(d.editor())
	case "enter", "ctrl+s":
		return d.save()
	default:
		if !f.long {
			f.line.Edit(k)
		}
	}
	return dialog.Result{}
}

func (d *form) Paste(text string) dialog.Result {
	if f := &d.fields[d.at]; !f.long {
		f.line.Insert(text)
	}
	return dialog.Result{}
}

// edited returns the field for the editor: the current one or, if that has none, the command. A sub-flow has no
// command.
func (d *form) edited() *field {
	if f := &d.fields[d.at]; f.roomy || f.long {
		return f
	}
	if i := slices.IndexFunc(d.fields, func(f field) bool { return f.key == "label" }); i >= 0 {
		return &d.fields[i]
	}
	return nil
}

// editor opens a field in the editor and puts the edited text back into the form.
func (d *form) editor() tea.Msg {
	f := d.edited()
	if f == nil {
		return nil
	}
	text := &draft{title: "the " + strings.TrimSpace(f.label) + " of " + d.name, text: f.text() + "\n"}
	text.save = func(written string) tea.Msg {
		if f.key == "label" && strings.TrimSpace(written) == "" {
			return rejected{text, errEmpty}
		}
		f.set(strings.TrimRight(written, " \t\r\n"))
		if strings.TrimRight(f.was, " \t\r\n") == f.text() {
			f.set(f.was)
		}
		return text.remove()
	}
	return compose{text}
}

// edits returns the differences from the workfile.
func (d *form) edits() (edits []api.Edit) {
	for i := range d.fields {
		f := &d.fields[i]
		text, was := f.text(), f.was
		if text == was {
			continue
		}
		e := api.Edit{Op: api.OpSet, Nodes: []string{d.id}, Key: f.key, Value: text, Was: &was}
		if text == "" && f.key != "label" {
			e.Op, e.Value = api.OpUnset, ""
		}
		edits = append(edits, e)
	}
	return edits
}

// save sends the edits. The form stays open until they have been applied.
func (d *form) save() dialog.Result {
	edits := d.edits()
	if len(edits) == 0 {
		return dialog.Result{Close: true, Do: notice{"no changes", false}}
	}
	return dialog.Then(edit{edits, d.saved})
}

// saved handles the result of the edits: it closes the form, or shows why they were refused.
func (d *form) saved(e edited) tea.Msg {
	if e.err == nil {
		return messages{closeDialog{d}, editText("", e.result), d.again(e.result.Notes)}
	}
	d.problem = words.Error(e.err)
	if !isConflict(e.err) {
		return nil
	}
	d.problem += ": Enter saves yours, Esc leaves it"
	return fetch([]string{d.id}, func(now []api.NodeStatus) tea.Msg {
		if len(now) == 1 {
			d.rebase(now[0])
		}
		return nil
	})
}

// again opens the form again if the saved values have a problem.
func (d *form) again(notes []string) tea.Msg {
	if len(notes) == 0 {
		return nil
	}
	return fetch([]string{d.id}, func(now []api.NodeStatus) tea.Msg {
		if len(now) != 1 {
			return nil
		}
		next := newForm(now[0])
		next.at, next.top, next.problem = d.at, d.top, "saved, but "+plain.Line(notes[0])
		return openDialog{next}
	})
}

// rebase applies changes by other clients. An unchanged field takes the new value; a changed field shows it below the
// user's text. The next save is based on the new values.
func (d *form) rebase(n api.NodeStatus) {
	for i := range d.fields {
		f := &d.fields[i]
		now := valueOf(n, f.key)
		if now == f.was {
			continue
		}
		if f.text() == f.was {
			f.set(now)
		} else {
			f.theirs, f.other = now, true
		}
		f.was = now
	}
}

func (d *form) Draw(a cells.Area) (x, y int, cursor bool) {
	b := cells.Box(a, min(100, a.Width-2), len(d.fields)+5, d.title)
	in := b.Part(2, 1, b.Width-4, b.Height-2)
	rows := max(1, in.Height-3)
	d.top = max(min(d.top, d.at), d.at-rows+1)
	for i := d.top; i < min(d.top+rows, len(d.fields)); i++ {
		f, row := &d.fields[i], in.Row(i-d.top)
		label := cells.Plain
		if i == d.at {
			label = cells.Key
		}
		row.Put(0, 0, cells.Clip(f.label, fieldColumn-1, a.ASCII()), label)
		at := f.draw(row, fieldColumn)
		if i == d.at {
			x, y, cursor = row.X+at, row.Y, !f.long
		}
		if f.other && i != d.at {
			row.PutEnd(0, cells.Clip(" somebody else: "+plain.Line(f.theirs), row.Width/2, a.ASCII()), cells.Bad)
		}
	}
	f := &d.fields[d.at]
	note, st := f.help, cells.Dimmed
	if f.roomy {
		note += "; ctrl-e opens the editor"
	}
	if f.other {
		note, st = "another client set it to: "+plain.Line(f.theirs), cells.Bad
	}
	in.Row(in.Height-2).Put(0, 0, cells.Clip(note, in.Width, a.ASCII()), st)
	last, st := d.enter, cells.Dimmed
	if more := len(d.fields) - rows; more > 0 {
		last += "  " + words.Count(d.at+1, len(d.fields))
	}
	if d.problem != "" {
		last, st = d.problem, cells.Bad
	}
	in.Row(in.Height-1).Put(0, 0, cells.Clip(last, in.Width, a.ASCII()), st)
	return x, y, cursor
}
