package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/plain"
)

// A field is a text that somebody changes in one line. What a line cannot hold as it is, several lines
// for instance, is shown and changed in the editor only.
type field struct {
	label  string
	key    string // of the attribute
	was    string // as it is in the workfile
	theirs string // what it was before somebody else changed it, where they did
	other  bool   // they did
	line   line
	whole  string // instead of line, if long
	long   bool
}

// set puts a text into the field.
func (f *field) set(text string) {
	f.line = newLine(text)
	f.whole, f.long = text, f.line.String() != text
}

// text is what is in the field now.
func (f *field) text() string {
	if f.long {
		return f.whole
	}
	return f.line.String()
}

// draw writes the field from column x on and returns the column of the cursor.
func (f *field) draw(a area, x int, ascii bool) int {
	if !f.long {
		return f.line.draw(a, x, plainStyle)
	}
	first, _, _ := strings.Cut(f.whole, "\n")
	a.put(x, 0, clip(plain.Line(first), a.width-x-24, ascii), plainStyle)
	a.putEnd(0, "several lines: ctrl-e", dimStyle)
	return x
}

// A form changes the attributes of one node.
type form struct {
	id, name string
	fields   []field
	at       int
	problem  string // why it could not be saved
}

// fields of the form, in their order: what wf knows of a node and people set.
var formFields = []field{{label: "name", key: "name"}, {label: "command", key: "label"}, {label: "group", key: "group"},
	{label: "idempotent", key: "idempotent"}}

// fieldHelp explains fields.
var fieldHelp = map[string]string{
	"name":       "unique in the workfile; empty: a handle is made from the command",
	"label":      "what the shell runs; ctrl-e opens it in the editor",
	"group":      "for g:GROUP and for folding",
	"idempotent": "true: it may run twice, so it is repeated when nobody knows how it ended",
}

// nodeForm opens the form of the selected node.
func (m *model) nodeForm() tea.Cmd {
	n := m.editedNode()
	if n == nil {
		m.say("no single node is selected: e edits the commands of several", false)
		return nil
	}
	return m.fetch([]string{n.ID}, func(m *model, now []api.NodeStatus) tea.Cmd {
		if len(now) == 1 {
			m.open(newForm(now[0]))
		}
		return nil
	})
}

func newForm(n api.NodeStatus) *form {
	d := &form{id: n.ID, name: plain.Line(n.Name), fields: append([]field(nil), formFields...)}
	for i := range d.fields {
		f := &d.fields[i]
		f.was = attribute(n, f.key)
		f.set(f.was)
	}
	return d
}

// attribute is one of a node that was selected.
func attribute(n api.NodeStatus, key string) string {
	if key == "label" {
		return n.Command
	}
	return n.Attrs[key]
}

func (d *form) key(m *model, k tea.KeyPressMsg) tea.Cmd {
	f := &d.fields[d.at]
	switch k.String() {
	case "up", "shift+tab":
		d.at = (d.at + len(d.fields) - 1) % len(d.fields)
	case "down", "tab":
		d.at = (d.at + 1) % len(d.fields)
	case "esc", "ctrl+c":
		m.done()
	case "ctrl+e":
		return d.editor(m)
	case "enter", "ctrl+s":
		return d.save(m)
	default:
		if !f.long {
			f.line.edit(k)
		}
	}
	return nil
}

func (d *form) paste(_ *model, text string) tea.Cmd {
	if f := &d.fields[d.at]; !f.long {
		f.line.insert(text)
	}
	return nil
}

// editor opens the command in the editor; what it leaves comes back into the form.
func (d *form) editor(m *model) tea.Cmd {
	f := &d.fields[1]
	text := &draft{title: "the command of " + d.name, text: f.text() + "\n"}
	text.save = func(m *model, command string) tea.Cmd {
		if strings.TrimSpace(command) == "" {
			return m.reject(text, errEmpty)
		}
		f.set(strings.TrimRight(command, " \t\r\n"))
		if strings.TrimRight(f.was, " \t\r\n") == f.text() {
			f.set(f.was)
		}
		return text.remove()
	}
	return m.edit(text)
}

// edits are what differs from the workfile.
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

// save makes the edits. The form stays until they are made.
func (d *form) save(m *model) tea.Cmd {
	edits := d.edits()
	if len(edits) == 0 {
		m.done()
		m.say("no changes", false)
		return nil
	}
	return m.send(edits, func(m *model, e edited) tea.Cmd {
		if e.err == nil {
			m.shut(d)
			m.sayEdit("", e.result)
			return nil
		}
		d.problem = errorText(e.err)
		if !isConflict(e.err) {
			return nil
		}
		return m.fetch([]string{d.id}, func(m *model, now []api.NodeStatus) tea.Cmd {
			if len(now) == 1 {
				d.rebase(now[0])
			}
			return nil
		})
	})
}

// rebase takes over what somebody else changed: fields that were not touched here show it, others show
// it below what was typed. The next saving begins from there.
func (d *form) rebase(n api.NodeStatus) {
	for i := range d.fields {
		f := &d.fields[i]
		now := attribute(n, f.key)
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

func (d *form) draw(m *model, a area) (x, y int, cursor bool) {
	height := 2*len(d.fields) + 4
	b := box(a, min(100, a.width-2), height, "Node "+d.name, m.opt.ASCII)
	in := b.part(2, 1, b.width-4, b.height-2)
	step := 2
	if in.height < 2*len(d.fields)+1 {
		step = 1
	}
	for i := range d.fields {
		f, row := &d.fields[i], in.row(i*step)
		label := plainStyle
		if i == d.at {
			label = keyStyle
		}
		row.put(0, 0, f.label, label)
		at := f.draw(row, 12, m.opt.ASCII)
		if i == d.at {
			x, y, cursor = row.x+at, row.y, !f.long
		}
		note, st := fieldHelp[f.key], dimStyle
		if f.other {
			note, st = "somebody else made it: "+plain.Line(f.theirs), badStyle
		}
		if step == 2 && (i == d.at || f.other) {
			in.part(12, i*step+1, in.width-12, 1).put(0, 0, clip(note, in.width-12, m.opt.ASCII), st)
		}
	}
	last, st := "Enter saves  Esc leaves it as it is", dimStyle
	if d.problem != "" {
		last, st = d.problem+": Enter saves yours, Esc leaves it", badStyle
	}
	in.row(in.height-1).put(0, 0, clip(last, in.width, m.opt.ASCII), st)
	return x, y, cursor
}
