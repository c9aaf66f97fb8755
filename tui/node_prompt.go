package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/dialog"
)

// A newNodePrompt asks for the command of a new node.
type newNodePrompt struct {
	doc *document
	dialog.Prompt
	after []string // ids of the new node's predecessors
	free  bool     // the new node has no predecessor
}

// addNode asks for the command of a new node after the marked nodes or the selection.
func (d *document) addNode() tea.Msg {
	a := &newNodePrompt{doc: d, after: d.flow.IDs(d.objects())}
	a.free = len(a.after) == 0
	a.Hint = func(string) (string, bool) {
		keys := "ctrl-e editor"
		if len(a.after) > 0 {
			keys = "ctrl-n " + map[bool]string{true: "connected", false: "free"}[a.free] + "  " + keys
		}
		return keys, false
	}
	a.Enter = func(text string) tea.Msg {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		return a.add(text, func(err error) tea.Msg { // ask again, so that the text is not lost
			a.Line = dialog.NewLine(text)
			return messages{openDialog{a}, failed{err}}
		}, nil)
	}
	return openDialog{a}
}

// add adds the node and then carries out then.
func (d *newNodePrompt) add(command string, refused func(error) tea.Msg, then func() tea.Msg) tea.Msg {
	return edit{d.edits(command), func(r edited) tea.Msg {
		if r.err != nil {
			return refused(r.err)
		}
		d.doc.added(r.result)
		if then == nil {
			return editText("", r.result)
		}
		return messages{editText("", r.result), then()}
	}}
}

// edits returns the edits that add the node.
func (d *newNodePrompt) edits(command string) []api.Edit {
	e := api.Edit{Op: api.OpAddNode, Label: command}
	if !d.free {
		e.After = d.doc.flow.IDs(d.doc.flow.Find(d.after))
	}
	return []api.Edit{e}
}

// added selects a new node as soon as it exists.
func (d *document) added(r api.EditResult) {
	if len(r.Added) > 0 {
		d.picture.anchor = r.Added[0]
		if i, known := d.flow.Index[r.Added[0]]; known {
			d.picture.goTo(i)
		}
	}
}

func (d *newNodePrompt) Key(k tea.KeyPressMsg) dialog.Result {
	switch k.String() {
	case "ctrl+n":
		d.free = !d.free && len(d.after) > 0 || len(d.after) == 0
		return dialog.Result{}
	case "ctrl+e":
		return dialog.Result{Close: true, Do: d.edit()}
	}
	return d.Prompt.Key(k)
}

// edit opens the command in the editor, and adds a node with the edited command.
func (d *newNodePrompt) edit() tea.Msg {
	text := &draft{title: "the new node", text: d.Line.String() + "\n", back: openDialog{d}}
	text.save = func(command string) tea.Msg {
		command = strings.TrimRight(command, " \t\r\n")
		if command == "" {
			return rejected{text, errEmpty}
		}
		return d.add(command, func(err error) tea.Msg { return rejected{text, err} }, text.remove)
	}
	return compose{text}
}

func (d *newNodePrompt) Draw(a cells.Area) (x, y int, cursor bool) {
	d.Label = "add a node:"
	if nodes := d.doc.flow.Find(d.after); !d.free && len(nodes) > 0 {
		d.Label = "add after " + cells.ClipMiddle(d.doc.called(nodes), max(8, a.Width/4), a.ASCII()) + ":"
	}
	return d.Prompt.Draw(a)
}
