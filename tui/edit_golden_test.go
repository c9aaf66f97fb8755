package tui

import (
	"wf/api"
	"wf/tui/drawing"
	"wf/tui/editor"
)

// editShots returns the prompts, menus and forms of edits.
func editShots() (shots []shot) {
	show := func(title string, prepare func(m *model)) {
		shots = append(shots, shot{title, func(width, height int, ascii bool) *model {
			m := testModel(width, height, small())
			m.opt.ASCII = ascii
			m.doc.picture.view, m.doc.picture.chosen = drawing.Chart, true
			m.refresh()
			prepare(m)
			m.refresh()
			return m
		}})
	}
	show("add", func(m *model) { press(m, "a", "l", "s") })
	show("connect", func(m *model) { press(m, "c", "right") })
	show("connect: found", func(m *model) { press(m, "c", "e", "c", "tab") })
	show("connect: cycle", func(m *model) { m.doc.picture.goTo(4); press(m, "c", "a") })
	show("delete", func(m *model) { m.doc.picture.goTo(1); press(m, "D") })
	show("form", func(m *model) {
		m.open(newForm(api.NodeStatus{ID: "id-b", Name: "b", Command: "echo b", Attrs: map[string]string{"group": "g"}}))
		press(m, "tab")
	})
	show("form: several lines, a conflict", func(m *model) {
		d := newForm(api.NodeStatus{ID: "id-b", Name: "b", Command: "echo b\necho c"})
		m.open(d)
		press(m, "x")
		d.rebase(api.NodeStatus{ID: "id-b", Name: "theirs", Command: "echo b\necho c", Attrs: map[string]string{"name": "theirs"}})
		d.problem = "the name of node b was changed by somebody else meanwhile"
		press(m, "tab")
	})
	show("container", func(m *model) { press(m, "space", "down", "space", "M", "l", "tab", "tab", "3") })
	show("container: refused", func(m *model) {
		press(m, "M", "tab", "tab", "3")
		m.dialogs[len(m.dialogs)-1].(*containerForm).problem = "x lies between the nodes: a -> x -> b"
	})
	show("wrapper", func(m *model) { m.doc.flow.Status.Wrapper = "bash -c '{}'"; press(m, "w", "down", "down") })
	show("review", func(m *model) {
		e := &commandEdit{buffer: editor.NewBuffer([]api.NodeStatus{{ID: "1", Name: "a", Command: "echo a\nx"}, {ID: "2", Name: "b", Command: "echo b"}}, false)}
		e.wanted = []string{"echo a v2\nx", "echo b v2"}
		m.open(e.review(2))
	})
	show("mistake", func(m *model) {
		m.handle(rejected{&draft{title: "the command of b", path: "/home/u/.local/state/wf/edits/commands-1.sh"}, errEmpty})
	})
	return shots
}
