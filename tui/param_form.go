package tui

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/plain"
	"wf/tui/words"
)

// A paramForm asks for the parameters of a run.
type paramForm struct {
	doc      *document
	req      api.RunRequest
	params   []api.Param
	lines    []dialog.Line
	problems map[string]string // by parameter; "" = about no single parameter
	at, top  int
	busy     bool // a request about the values is being sent
}

// paramProblems returns the problems with parameters that made the daemon refuse a run, or nil if it refused for
// another reason.
func paramProblems(err error) []api.ParamProblem {
	var refused *api.Error
	if !errors.As(err, &refused) {
		return nil
	}
	return refused.Problems
}

func newParamForm(doc *document, req api.RunRequest, list api.ParamList, given map[string]any) *paramForm {
	d := &paramForm{doc: doc, req: req, params: list.Params, lines: make([]dialog.Line, len(list.Params))}
	for i, p := range d.params {
		value, known := given[p.Name]
		known = known && p.Type != "secret" // a secret is typed each time
		switch {
		case known:
		case p.EnvValue != "":
			value, known = p.EnvValue, p.Type != "secret"
		default:
			value, known = p.Default, p.Default != nil
		}
		if known {
			d.lines[i] = dialog.NewLine(words.DefaultText(value))
		}
	}
	return d
}

// values returns the values in the form. Empty ones are left out, so that their defaults apply.
func (d *paramForm) values() map[string]any {
	values := map[string]any{}
	for i, p := range d.params {
		if text := d.lines[i].String(); text != "" {
			values[p.Name] = text
		}
	}
	return values
}

// take shows problems, and reports whether there are any.
func (d *paramForm) take(problems []api.ParamProblem) bool {
	d.problems = map[string]string{}
	for _, p := range slices.Backward(problems) { // in reverse, so that the first problem of a parameter is shown
		if strings.Contains(p.Remedy, "-p ") {
			p.Remedy = "" // it is about the command line
		}
		d.problems[p.Param] = plain.Line(api.ParamProblem{Reason: p.Reason, Remedy: p.Remedy}.String())
	}
	return len(problems) > 0
}

// firstWrong goes to the first parameter with a problem.
func (d *paramForm) firstWrong() {
	if i := slices.IndexFunc(d.params, func(p api.Param) bool { return d.problems[p.Name] != "" }); i >= 0 {
		d.at = i
	}
}

func (d *paramForm) Key(k tea.KeyPressMsg) dialog.Result {
	n := len(d.params)
	switch k.String() {
	case "up", "shift+tab":
		d.at = (d.at + n - 1) % n
		return dialog.Then(d.ask())
	case "down", "tab":
		d.at = (d.at + 1) % n
		return dialog.Then(d.ask())
	case "ctrl+n", "ctrl+p":
		d.choose(k.String() == "ctrl+n")
	case "esc", "ctrl+c":
		return dialog.Result{Close: true}
	case "enter", "ctrl+s":
		return dialog.Then(d.send())
	default:
		if d.lines[d.at].Edit(k) {
			delete(d.problems, d.params[d.at].Name)
		}
	}
	return dialog.Result{}
}

func (d *paramForm) Paste(text string) dialog.Result {
	d.lines[d.at].Insert(text)
	return dialog.Result{}
}

// choicesOf returns the choices of a parameter, or nil.
func choicesOf(p api.Param) []string {
	if len(p.Choices) == 0 && p.Type == "bool" {
		return []string{"true", "false"}
	}
	return p.Choices
}

// choose puts the next or the previous choice into the line.
func (d *paramForm) choose(next bool) {
	list := choicesOf(d.params[d.at])
	if len(list) == 0 {
		return
	}
	i := slices.Index(list, d.lines[d.at].String())
	switch {
	case next:
		i = (i + 1) % len(list)
	case i <= 0:
		i = len(list) - 1
	default:
		i--
	}
	d.lines[d.at] = dialog.NewLine(list[i])
	delete(d.problems, d.params[d.at].Name)
}

// ask asks the daemon about problems with the current values, and for choices that depend on them.
func (d *paramForm) ask() tea.Msg {
	if d.busy {
		return nil
	}
	d.busy = true
	values, env := d.values(), d.req.Env
	r := ask(func(ctx context.Context, ws *client.Workspace) (api.ParamList, error) {
		return ws.Params(ctx, api.ParamsRequest{Params: values, Env: env})
	}, func(list api.ParamList) tea.Msg {
		d.busy = false
		d.refresh(list)
		d.take(slices.DeleteFunc(list.Problems, func(p api.ParamProblem) bool { _, has := values[p.Param]; return !has })) // an empty field is no mistake yet
		return nil
	})
	r.fail = func(err error) tea.Msg {
		d.busy = false
		d.problems = map[string]string{"": words.Error(err)}
		return nil
	}
	return r
}

// send starts the run. The form stays open until the run has started.
func (d *paramForm) send() tea.Msg {
	req := d.req
	req.Params = d.values()
	return d.doc.sendThen(req, func(a api.RunAccepted) tea.Msg {
		d.doc.lastParams = req.Params
		return messages{closeDialog{d}, d.doc.accepted(a)}
	}, func(err error) tea.Msg {
		problems := paramProblems(err)
		if len(problems) == 0 {
			return messages{closeDialog{d}, d.doc.refused(req, err)}
		}
		d.take(problems)
		d.firstWrong()
		return nil
	})
}

// refresh updates the choices of the parameters.
func (d *paramForm) refresh(list api.ParamList) {
	for _, p := range list.Params {
		if i := slices.IndexFunc(d.params, func(have api.Param) bool { return have.Name == p.Name }); i >= 0 {
			d.params[i] = p
		}
	}
}

// hint describes the valid values of a parameter.
func (d *paramForm) hint(p api.Param) string {
	text := hintOf(p)
	if len(choicesOf(p)) > 0 {
		text += "  ctrl-n next"
	}
	return text
}

// hintOf is hint without the keys.
func hintOf(p api.Param) string {
	parts := []string{p.Type}
	if p.Required {
		parts = append(parts, "required")
	}
	if limits := words.Limits(p); limits != "" {
		parts = append(parts, limits)
	}
	if p.DefaultEnv != "" {
		parts = append(parts, "default "+words.ParamDefault(p))
	}
	text := strings.Join(parts, ", ")
	if p.Help != "" {
		text = p.Help + " (" + text + ")"
	}
	if list := choicesOf(p); len(list) > 0 {
		text += ": " + words.NameList(list, 8)
	}
	return plain.Line(text)
}

func (d *paramForm) Draw(a cells.Area) (x, y int, cursor bool) {
	step := 2
	if a.Height < 2*len(d.params)+5 {
		step = 1
	}
	b := cells.Box(a, min(100, a.Width-2), step*len(d.params)+4, "Parameters of the run")
	in := b.Part(2, 1, b.Width-4, b.Height-2)
	label := 6
	for _, p := range d.params {
		label = min(max(label, cells.Columns(plain.Line(p.Name))), 20)
	}
	rows := max(1, (in.Height-2)/step)
	d.top = max(min(d.top, d.at), d.at-rows+1)
	for i := d.top; i < min(d.top+rows, len(d.params)); i++ {
		p, row := d.params[i], in.Row((i-d.top)*step)
		st := cells.Plain
		if i == d.at {
			st = cells.Key
		}
		name := plain.Line(p.Name)
		if p.Required {
			name += "*"
		}
		row.Put(0, 0, cells.Clip(name, label+1, a.ASCII()), st)
		typed := &d.lines[i]
		if p.Type == "secret" {
			typed = typed.Veiled()
		}
		end := typed.Draw(row, label+3, cells.Plain)
		if i == d.at {
			x, y, cursor = row.X+end, row.Y, true
		}
		if problem := d.problems[p.Name]; step == 2 && (problem != "" || i == d.at) {
			note, st := d.hint(p), cells.Dimmed
			if problem != "" {
				note, st = problem, cells.Bad
			}
			in.Part(label+3, (i-d.top)*step+1, in.Width-label-3, 1).Put(0, 0, cells.Clip(note, in.Width-label-3, a.ASCII()), st)
		}
	}
	last, st := "Enter runs  Tab next  ctrl-n next choice  Esc runs nothing", cells.Dimmed
	if slices.ContainsFunc(d.params, func(p api.Param) bool { return p.ChoicesFrom != "" }) {
		last = "Enter runs  Tab next  ctrl-n next choice  Esc starts no run; commands of the workfile have listed choices"
	}
	if step == 1 && d.problems[d.params[d.at].Name] != "" {
		last, st = d.problems[d.params[d.at].Name], cells.Bad
	} else if problem := d.problems[""]; problem != "" {
		last, st = problem, cells.Bad
	}
	in.Row(in.Height-1).Put(0, 0, cells.Clip(last, in.Width, a.ASCII()), st)
	return x, y, cursor
}
