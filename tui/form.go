package tui

import (
	"slices"
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
	at, top  int
	problem  string // why it could not be saved, or what is wrong with what was
}

// fields of the form, in their order: what wf knows of a node and people set.
var formFields = []field{{label: "name", key: "name"}, {label: "command", key: "label"}, {label: "group", key: "group"},
	{label: "idempotent", key: "idempotent"}, {label: "approve", key: "approve"}, {label: "  timeout", key: "approve_timeout"},
	{label: "  default", key: "approve_default"}, {label: "wait", key: "wait"}, {label: "wait until", key: "wait_until"},
	{label: "timeout", key: "timeout"}, {label: "retries", key: "retries"}, {label: "  delay", key: "retry_delay"},
	{label: "  backoff", key: "retry_backoff"}, {label: "  max delay", key: "retry_max_delay"}, {label: "  on", key: "retry_on"},
	{label: "env", key: "env"}, {label: "pool", key: "pool"}, {label: "join", key: "join"}, {label: "  timeout", key: "join_timeout"},
	{label: "  losers", key: "join_losers"}}

// subFlowFields are those of a sub-flow.
var subFlowFields = []field{{label: "name", key: "name"}, {label: "foreach", key: "foreach"}, {label: "times", key: "times"},
	{label: "while", key: "while"}, {label: "until", key: "until"}, {label: "parallel", key: "parallel"},
	{label: "on failure", key: "on_failure"}, {label: "min success", key: "min_success"}, {label: "max iter.", key: "max_iterations"},
	{label: "group", key: "group"}, {label: "join", key: "join"}, {label: "  timeout", key: "join_timeout"}, {label: "  losers", key: "join_losers"}}

// fieldHelp explains fields.
var fieldHelp = map[string]string{
	"name":       "unique in the workfile; empty: a handle is made from the command",
	"label":      "what the shell runs; ctrl-e opens it in the editor",
	"group":      "for g:GROUP and for folding",
	"idempotent": "true: it may run twice, so it is repeated when nobody knows how it ended",

	"approve":         "a question: it waits until somebody says yes; ${{ }} may stand in it",
	"approve_timeout": "30s, 2h: how long it waits for an answer",
	"approve_default": "approve or reject, when the time is over",
	"wait":            "30s, 2h: how long after its turn it starts",
	"wait_until":      "2026-01-31T08:00:00Z: it does not start before",
	"timeout":         "30s, 2h: longer is a failure",
	"retries":         "how often it is repeated when it fails",
	"retry_delay":     "30s: between a failure and the next attempt",
	"retry_backoff":   "2: by how much the delay grows each time",
	"retry_max_delay": "10m: it grows no further",
	"retry_on":        "exit:1,2  timeout  signal; empty: after every failure",
	"env":             "KEY=VALUE lines; ${{ }} may stand in a value; ctrl-e for several",
	"pool":            "gpu:1: units of a pool that it needs",
	"join":            "all, any, or a number of edges that must have fired",
	"join_timeout":    "30s: then it goes on with what has arrived",
	"join_losers":     "cancel: what runs only for it is stopped; leave",
	"foreach":         "a JSON list, lines:COMMAND or ${{ EXPR }}: one instance for each",
	"times":           "how many instances",
	"while":           "an expression: as long as it holds, one instance after the other",
	"until":           "an expression: one instance after the other, until it holds",
	"parallel":        "how many instances at once",
	"on_failure":      "stop: no further instance starts; continue: the rest goes on",
	"min_success":     "a number or 80%: so many must succeed",
	"max_iterations":  "after so many it fails; 1000",
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
	fields := formFields
	if isSubFlow(&n) {
		fields = subFlowFields
	}
	d := &form{id: n.ID, name: plain.Line(n.Name), fields: append([]field(nil), fields...)}
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

// longFields are those that may have several lines, or are worth an editor.
var longFields = map[string]bool{"label": true, "env": true, "approve": true, "foreach": true, "while": true, "until": true}

// edited is the field that the editor is for: the one at hand, else the command. A sub-flow has none.
func (d *form) edited() *field {
	if f := &d.fields[d.at]; longFields[f.key] || f.long {
		return f
	}
	if i := slices.IndexFunc(d.fields, func(f field) bool { return f.key == "label" }); i >= 0 {
		return &d.fields[i]
	}
	return nil
}

// editor opens a field in the editor; what it leaves comes back into the form.
func (d *form) editor(m *model) tea.Cmd {
	f := d.edited()
	if f == nil {
		return nil
	}
	text := &draft{title: "the " + strings.TrimSpace(f.label) + " of " + d.name, text: f.text() + "\n"}
	text.save = func(m *model, written string) tea.Cmd {
		if f.key == "label" && strings.TrimSpace(written) == "" {
			return m.reject(text, errEmpty)
		}
		f.set(strings.TrimRight(written, " \t\r\n"))
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
			return d.again(m, e.result.Notes)
		}
		d.problem = errorText(e.err)
		if !isConflict(e.err) {
			return nil
		}
		d.problem += ": Enter saves yours, Esc leaves it"
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
	b := box(a, min(100, a.width-2), len(d.fields)+5, "Node "+d.name, m.opt.ASCII)
	in := b.part(2, 1, b.width-4, b.height-2)
	rows := max(1, in.height-3)
	d.top = max(min(d.top, d.at), d.at-rows+1)
	for i := d.top; i < min(d.top+rows, len(d.fields)); i++ {
		f, row := &d.fields[i], in.row(i-d.top)
		label := plainStyle
		if i == d.at {
			label = keyStyle
		}
		row.put(0, 0, f.label, label)
		at := f.draw(row, 13, m.opt.ASCII)
		if i == d.at {
			x, y, cursor = row.x+at, row.y, !f.long
		}
		if f.other && i != d.at {
			row.putEnd(0, clip(" somebody else: "+plain.Line(f.theirs), row.width/2, m.opt.ASCII), badStyle)
		}
	}
	f := &d.fields[d.at]
	note, st := fieldHelp[f.key], dimStyle
	if f.other {
		note, st = "somebody else made it: "+plain.Line(f.theirs), badStyle
	}
	in.row(in.height-2).put(0, 0, clip(note, in.width, m.opt.ASCII), st)
	last, st := "Enter saves  Esc leaves it as it is", dimStyle
	if more := len(d.fields) - rows; more > 0 {
		last += "  " + count(d.at+1, len(d.fields))
	}
	if d.problem != "" {
		last, st = d.problem, badStyle
	}
	in.row(in.height-1).put(0, 0, clip(last, in.width, m.opt.ASCII), st)
	return x, y, cursor
}
