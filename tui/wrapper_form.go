package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/words"
)

// presets are wrappers to begin from: those of Python Workforce, with a shell where a program would otherwise
// start its argument without one. Words in capitals are to be replaced. wf quotes the command for the place of
// {}.
var presets = []struct{ wrapper, what string }{
	{"", "no wrapper"},
	{`bash -c '{}'`, "in bash"},
	{`bash -c '. env.sh && {}'`, "after reading env.sh"},
	{`bash -lc "conda activate ENV && {}"`, "in a conda environment"},
	{`docker run --rm IMAGE sh -c {}`, "in a container"},
	{`ssh ADDRESS {}`, "on another machine"},
	{`parallel {} ::: FILENAMES`, "for many files"},
	{`tmux send-keys {} C-m`, "typed into tmux"},
	{`echo {} >> commands.sh`, "only written down"},
	{`nohup sh -c {} &`, "left behind: ended with the run"},
}

// WrapperPresets returns the wrappers that the interface offers.
func WrapperPresets() []string {
	list := make([]string, len(presets))
	for i := range presets {
		list[i] = presets[i].wrapper
	}
	return list
}

// A wrapping asks for the wrapper of all commands.
type wrapping struct {
	m *model
	field
	at      int // of presets; -1 = in the line
	problem string
}

// wrapper asks for the wrapper.
func (m *model) wrapper() {
	d := &wrapping{m: m, at: -1}
	d.was = m.flow.Status.Wrapper
	d.set(d.was)
	m.open(d)
}

func (d *wrapping) Key(k tea.KeyPressMsg) dialog.Result {
	switch k.String() {
	case "up", "shift+tab":
		d.at = max(d.at-1, -1)
	case "down", "tab":
		d.at = min(d.at+1, len(presets)-1)
	case "esc", "ctrl+c":
		return dialog.Result{Close: true}
	case "ctrl+e":
		return dialog.Then(d.editor())
	case "enter":
		if d.at >= 0 { // it comes into the line first: most have words to be replaced
			d.set(presets[d.at].wrapper)
			d.at = -1
			return dialog.Result{}
		}
		return dialog.Then(d.save())
	default:
		if d.at = -1; !d.long {
			d.line.Edit(k)
		}
	}
	return dialog.Result{}
}

func (d *wrapping) Paste(text string) dialog.Result {
	if d.at = -1; !d.long {
		d.line.Insert(text)
	}
	return dialog.Result{}
}

// editor opens the wrapper in the editor; its text comes back into the line.
func (d *wrapping) editor() tea.Cmd {
	text := &draft{title: "the wrapper", text: d.text() + "\n"}
	text.save = func(wrapper string) tea.Cmd {
		d.set(strings.TrimRight(wrapper, " \t\r\n"))
		d.at = -1
		return text.remove()
	}
	return d.m.edit(text)
}

// save sets the wrapper. If somebody else has changed it, it shows both.
func (d *wrapping) save() tea.Cmd {
	text, was := d.text(), d.was
	if text == was {
		d.m.done()
		d.m.say("no changes", false)
		return nil
	}
	e := api.Edit{Op: api.OpSetGraph, Key: "wrapper", Value: text, Was: &was}
	if text == "" {
		e.Op = api.OpUnsetGraph
	}
	return d.m.send([]api.Edit{e}, func(_ *model, r edited) tea.Cmd {
		if r.err == nil {
			d.m.shut(d)
			d.m.sayEdit("", r.result)
			return nil
		}
		d.problem = words.Error(r.err)
		if isConflict(r.err) {
			d.was = d.m.flow.Status.Wrapper
		}
		return nil
	})
}

func (d *wrapping) Draw(a cells.Area) (x, y int, cursor bool) {
	b := cells.Box(a, min(90, a.Width-2), len(presets)+6, "Wrapper of all commands")
	in := b.Part(2, 1, b.Width-4, b.Height-2)
	at := d.field.draw(in.Row(0), in.Put(0, 0, "> ", cells.Key), d.m.opt.ASCII)
	last, st := "{} is the command. Enter saves, down chooses a preset, ctrl-e opens the editor", cells.Dimmed
	if d.problem != "" {
		last, st = d.problem+": Enter saves yours", cells.Bad
	}
	in.Part(0, 1, in.Width, 1).Put(0, 0, cells.Clip(last, in.Width, d.m.opt.ASCII), st)
	rows := in.Part(0, 3, in.Width, in.Height-3)
	top := max(0, d.at-rows.Height+1)
	for i := range rows.Height {
		if top+i >= len(presets) {
			break
		}
		row, p := rows.Row(i), presets[top+i]
		end := row.Put(1, 0, cells.Clip(p.wrapper, row.Width-2, d.m.opt.ASCII), cells.Plain)
		row.Put(max(end+2, 38), 0, cells.Clip(p.what, row.Width-max(end+2, 38), d.m.opt.ASCII), cells.Dimmed)
		if top+i == d.at {
			row.Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
		}
	}
	return in.X + at, in.Y, d.at < 0 && !d.long
}
