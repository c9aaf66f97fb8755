package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/dialog"
)

// An adder asks for the command of a new node.
type adder struct {
	m *model
	dialog.Prompt
	after []string // ids of the nodes that it will follow
	free  bool     // it will follow nothing
}

// addNode asks for the command of a new node after the marked nodes, otherwise after the selection.
func (m *model) addNode() {
	d := &adder{m: m, after: m.ids(m.objects())}
	d.free = len(d.after) == 0
	d.Hint = func(string) (string, bool) {
		keys := "ctrl-e editor"
		if len(d.after) > 0 {
			keys = "ctrl-n " + map[bool]string{true: "connected", false: "free"}[d.free] + "  " + keys
		}
		return keys, false
	}
	d.Enter = func(text string) tea.Cmd {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		return m.send(d.edits(text), func(m *model, e edited) tea.Cmd {
			if e.err != nil { // the text is not lost: the question is asked again
				d.Line = dialog.NewLine(text)
				m.open(d)
				m.fail(e.err)
				return nil
			}
			m.added(e.result)
			return nil
		})
	}
	m.open(d)
}

// edits returns the edits that add the node.
func (d *adder) edits(command string) []api.Edit {
	e := api.Edit{Op: api.OpAddNode, Label: command}
	if !d.free {
		e.After = d.m.ids(d.m.still(d.after))
	}
	return []api.Edit{e}
}

// added selects a new node as soon as it exists.
func (m *model) added(r api.EditResult) {
	if len(r.Added) > 0 {
		m.picture.anchor = r.Added[0]
		if i, known := m.flow.Index[r.Added[0]]; known {
			m.picture.goTo(i)
		}
	}
	m.sayEdit("", r)
}

func (d *adder) Key(k tea.KeyPressMsg) dialog.Result {
	switch k.String() {
	case "ctrl+n":
		d.free = !d.free && len(d.after) > 0 || len(d.after) == 0
		return dialog.Result{}
	case "ctrl+e":
		return dialog.Result{Close: true, Do: d.edit}
	}
	return d.Prompt.Key(k)
}

// edit opens the command in the editor, and adds the node that it leaves.
func (d *adder) edit() tea.Cmd {
	m := d.m
	text := &draft{title: "the new node", text: d.Line.String() + "\n", back: func() { m.open(d) }}
	text.save = func(command string) tea.Cmd {
		command = strings.TrimRight(command, " \t\r\n")
		if command == "" {
			return m.reject(text, errEmpty)
		}
		return m.send(d.edits(command), func(m *model, e edited) tea.Cmd {
			if e.err != nil {
				return m.reject(text, e.err)
			}
			m.added(e.result)
			return text.remove()
		})
	}
	return m.edit(text)
}

func (d *adder) Draw(a cells.Area) (x, y int, cursor bool) {
	d.Label = "add a node:"
	if nodes := d.m.still(d.after); !d.free && len(nodes) > 0 {
		d.Label = "add after " + cells.ClipMiddle(d.m.called(nodes), max(8, a.Width/4), d.m.opt.ASCII) + ":"
	}
	return d.Prompt.Draw(a)
}
