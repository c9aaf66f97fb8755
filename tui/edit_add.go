package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/cells"
)

// An adder asks for the command of a new node.
type adder struct {
	prompt
	after []string // ids of the nodes that it will follow
	free  bool     // it will follow nothing
}

// addNode asks for the command of a new node, which follows the marked nodes, else the selection.
func (m *model) addNode() {
	d := &adder{after: m.ids(m.objects())}
	d.free = len(d.after) == 0
	d.hint = func(m *model, _ string) (string, bool) {
		keys := "ctrl-e editor"
		if len(d.after) > 0 {
			keys = "ctrl-n " + map[bool]string{true: "connected", false: "free"}[d.free] + "  " + keys
		}
		return keys, false
	}
	d.enter = func(m *model, text string) tea.Cmd {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		return m.send(d.edits(m, text), func(m *model, e edited) tea.Cmd {
			if e.err != nil { // the text is not lost: the question is asked again
				d.line = newLine(text)
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

// edits add the node.
func (d *adder) edits(m *model, command string) []api.Edit {
	e := api.Edit{Op: api.OpAddNode, Label: command}
	if !d.free {
		e.After = m.ids(m.still(d.after))
	}
	return []api.Edit{e}
}

// added selects a new node, as soon as it is there.
func (m *model) added(r api.EditResult) {
	if len(r.Added) > 0 {
		m.picture.anchor = r.Added[0]
		if i, known := m.flow.index[r.Added[0]]; known {
			m.picture.goTo(i)
		}
	}
	m.sayEdit("", r)
}

func (d *adder) key(m *model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "ctrl+n":
		d.free = !d.free && len(d.after) > 0 || len(d.after) == 0
		return nil
	case "ctrl+e":
		m.done()
		text := &draft{title: "the new node", text: d.line.String() + "\n", back: func(m *model) { m.open(d) }}
		text.save = func(m *model, command string) tea.Cmd {
			command = strings.TrimRight(command, " \t\r\n")
			if command == "" {
				return m.reject(text, errEmpty)
			}
			return m.send(d.edits(m, command), func(m *model, e edited) tea.Cmd {
				if e.err != nil {
					return m.reject(text, e.err)
				}
				m.added(e.result)
				return text.remove()
			})
		}
		return m.edit(text)
	}
	return d.prompt.key(m, k)
}

func (d *adder) draw(m *model, a cells.Area) (x, y int, cursor bool) {
	d.label = "add a node:"
	if nodes := m.still(d.after); !d.free && len(nodes) > 0 {
		d.label = "add after " + cells.ClipMiddle(m.called(nodes), max(8, a.Width/4), m.opt.ASCII) + ":"
	}
	return d.prompt.draw(m, a)
}
