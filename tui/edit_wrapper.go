package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
)

// presets are wrappers that people begin from: those of Python Workforce, with a shell where a program starts
// what it is given without one. Words in capitals are to be replaced. wf quotes the command for the place
// where {} stands.
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

// WrapperPresets are the wrappers that are offered.
func WrapperPresets() []string {
	list := make([]string, len(presets))
	for i := range presets {
		list[i] = presets[i].wrapper
	}
	return list
}

// A wrapping asks for the wrapper of all commands.
type wrapping struct {
	field
	at      int // of presets; -1 = in the line
	problem string
}

// wrapper asks for the wrapper.
func (m *model) wrapper() {
	d := &wrapping{at: -1}
	d.was = m.flow.status.Wrapper
	d.set(d.was)
	m.open(d)
}

func (d *wrapping) key(m *model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "up", "shift+tab":
		d.at = max(d.at-1, -1)
	case "down", "tab":
		d.at = min(d.at+1, len(presets)-1)
	case "esc", "ctrl+c":
		m.done()
	case "ctrl+e":
		return d.editor(m)
	case "enter":
		if d.at >= 0 { // it comes into the line first: most have words to be replaced
			d.set(presets[d.at].wrapper)
			d.at = -1
			return nil
		}
		return d.save(m)
	default:
		if d.at = -1; !d.long {
			d.line.edit(k)
		}
	}
	return nil
}

func (d *wrapping) paste(_ *model, text string) tea.Cmd {
	if d.at = -1; !d.long {
		d.line.insert(text)
	}
	return nil
}

// editor opens the wrapper in the editor; what it leaves comes back into the line.
func (d *wrapping) editor(m *model) tea.Cmd {
	text := &draft{title: "the wrapper", text: d.text() + "\n"}
	text.save = func(m *model, wrapper string) tea.Cmd {
		d.set(strings.TrimRight(wrapper, " \t\r\n"))
		d.at = -1
		return text.remove()
	}
	return m.edit(text)
}

// save sets the wrapper, unless somebody else has changed it: then both are shown.
func (d *wrapping) save(m *model) tea.Cmd {
	text, was := d.text(), d.was
	if text == was {
		m.done()
		m.say("no changes", false)
		return nil
	}
	e := api.Edit{Op: api.OpSetGraph, Key: "wrapper", Value: text, Was: &was}
	if text == "" {
		e.Op = api.OpUnsetGraph
	}
	return m.send([]api.Edit{e}, func(m *model, r edited) tea.Cmd {
		if r.err == nil {
			m.shut(d)
			m.sayEdit("", r.result)
			return nil
		}
		d.problem = errorText(r.err)
		if isConflict(r.err) {
			d.was = m.flow.status.Wrapper
		}
		return nil
	})
}

func (d *wrapping) draw(m *model, a area) (x, y int, cursor bool) {
	b := box(a, min(90, a.width-2), len(presets)+6, "Wrapper of all commands", m.opt.ASCII)
	in := b.part(2, 1, b.width-4, b.height-2)
	at := d.field.draw(in.row(0), in.put(0, 0, "> ", keyStyle), m.opt.ASCII)
	last, st := "{} is the command. Enter saves, down chooses a preset, ctrl-e opens the editor", dimStyle
	if d.problem != "" {
		last, st = d.problem+": Enter saves yours", badStyle
	}
	in.part(0, 1, in.width, 1).put(0, 0, clip(last, in.width, m.opt.ASCII), st)
	rows := in.part(0, 3, in.width, in.height-3)
	top := max(0, d.at-rows.height+1)
	for i := range rows.height {
		if top+i >= len(presets) {
			break
		}
		row, p := rows.row(i), presets[top+i]
		end := row.put(1, 0, clip(p.wrapper, row.width-2, m.opt.ASCII), plainStyle)
		row.put(max(end+2, 38), 0, clip(p.what, row.width-max(end+2, 38), m.opt.ASCII), dimStyle)
		if top+i == d.at {
			row.tint(func(s style) style { return s.with(reverse) })
		}
	}
	return in.x + at, in.y, d.at < 0 && !d.long
}
