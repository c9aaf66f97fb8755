package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/editor"
	"wf/tui/words"
)

// A wrapperForm asks for the wrapper of all commands.
type wrapperForm struct {
	field
	now     func() string // the wrapper in the workfile
	at      int           // index into editor.Wrappers; -1 = the line is selected
	problem string
}

// wrapper asks for the wrapper of the workfile.
func (d *document) wrapper() tea.Msg {
	f := &wrapperForm{at: -1, now: func() string { return d.flow.Status.Wrapper }}
	f.was = f.now()
	f.set(f.was)
	return openDialog{f}
}

func (d *wrapperForm) Key(k tea.KeyPressMsg) dialog.Result {
	switch k.String() {
	case "up", "shift+tab":
		d.at = max(d.at-1, -1)
	case "down", "tab":
		d.at = min(d.at+1, len(editor.Wrappers)-1)
	case "esc", "ctrl+c":
		return dialog.Result{Close: true}
	case "ctrl+e":
		return dialog.Then(d.editor())
	case "enter":
		if d.at >= 0 { // put the preset into the line, because most presets contain words to replace
			d.set(editor.Wrappers[d.at].Wrapper)
			d.at = -1
			return dialog.Result{}
		}
		return d.save()
	default:
		if d.at = -1; !d.long {
			d.line.Edit(k)
		}
	}
	return dialog.Result{}
}

func (d *wrapperForm) Paste(text string) dialog.Result {
	if d.at = -1; !d.long {
		d.line.Insert(text)
	}
	return dialog.Result{}
}

// editor opens the wrapper in the editor and puts the edited text back into the line.
func (d *wrapperForm) editor() tea.Msg {
	text := &draft{title: "the wrapper", text: d.text() + "\n"}
	text.save = func(wrapper string) tea.Msg {
		d.set(strings.TrimRight(wrapper, " \t\r\n"))
		d.at = -1
		return text.remove()
	}
	return compose{text}
}

// save sets the wrapper. If another client has changed it in the meantime, the next save overwrites that change.
func (d *wrapperForm) save() dialog.Result {
	text, was := d.text(), d.was
	if text == was {
		return dialog.Result{Close: true, Do: notice{"no changes", false}}
	}
	e := api.Edit{Op: api.OpSetGraph, Key: "wrapper", Value: text, Was: &was}
	if text == "" {
		e.Op = api.OpUnsetGraph
	}
	return dialog.Then(edit{[]api.Edit{e}, func(r edited) tea.Msg {
		if r.err == nil {
			return messages{closeDialog{d}, editText("", r.result)}
		}
		d.problem = words.Error(r.err)
		if isConflict(r.err) {
			d.was = d.now()
		}
		return nil
	}})
}

func (d *wrapperForm) Draw(a cells.Area) (x, y int, cursor bool) {
	b := cells.Box(a, min(90, a.Width-2), len(editor.Wrappers)+6, "Wrapper of all commands")
	in := b.Part(2, 1, b.Width-4, b.Height-2)
	at := d.field.draw(in.Row(0), in.Put(0, 0, "> ", cells.Key))
	last, st := "{} is the command. Enter saves, down chooses a preset, ctrl-e opens the editor", cells.Dimmed
	if d.problem != "" {
		last, st = d.problem+": Enter saves yours", cells.Bad
	}
	in.Part(0, 1, in.Width, 1).Put(0, 0, cells.Clip(last, in.Width, a.ASCII()), st)
	rows := in.Part(0, 3, in.Width, in.Height-3)
	top := max(0, d.at-rows.Height+1)
	for i := range rows.Height {
		if top+i >= len(editor.Wrappers) {
			break
		}
		row, p := rows.Row(i), editor.Wrappers[top+i]
		end := row.Put(1, 0, cells.Clip(p.Wrapper, row.Width-2, a.ASCII()), cells.Plain)
		row.Put(max(end+2, 38), 0, cells.Clip(p.What, row.Width-max(end+2, 38), a.ASCII()), cells.Dimmed)
		if top+i == d.at {
			row.Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
		}
	}
	return in.X + at, in.Y, d.at < 0 && !d.long
}
