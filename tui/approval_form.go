package tui

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/plain"
	"wf/tui/words"
)

// An approvalForm asks for the values and the comment of an approval.
type approvalForm struct {
	about   []api.Approval
	choices []api.ApprovalChoice // common to all the questions
	chosen  int                  // index into choices; -1 = none yet
	values  []dialog.Line        // the last line is empty, for one more value
	comment dialog.Line
	at      int // index into values; len(values) = the comment, -1 = the choice
	problem string
}

// newApprovalForm returns the form for questions. chosen is the choice that is already made, or -1.
func newApprovalForm(about []api.Approval, chosen int) *approvalForm {
	d := &approvalForm{about: about, values: make([]dialog.Line, 1), chosen: chosen, choices: sharedChoices(about)}
	if fields := sharedFields(about); fields != nil {
		d.values = nil
		for _, f := range fields {
			text := f.Name + "="
			if f.Default != nil {
				text += words.DefaultText(f.Default)
			}
			d.values = append(d.values, dialog.NewLine(text))
		}
	}
	if d.choices != nil {
		d.at = -1
	}
	return d
}

// sharedChoices returns the choices of several questions, or nil if they differ.
func sharedChoices(about []api.Approval) []api.ApprovalChoice {
	for _, a := range about {
		if !slices.EqualFunc(a.Choices, about[0].Choices, func(x, y api.ApprovalChoice) bool { return x.Case == y.Case }) {
			return nil
		}
	}
	return about[0].Choices
}

// sharedFields returns the values that several questions ask for, or nil if they differ.
func sharedFields(about []api.Approval) []api.Param {
	for _, a := range about {
		if !reflect.DeepEqual(a.Fields, about[0].Fields) {
			return nil
		}
	}
	return about[0].Fields
}

// line returns the line that is being edited.
func (d *approvalForm) line() *dialog.Line {
	if d.at < len(d.values) {
		return &d.values[d.at]
	}
	return &d.comment
}

func (d *approvalForm) Key(k tea.KeyPressMsg) dialog.Result {
	switch k.String() {
	case "up", "shift+tab":
		d.step(-1)
	case "down", "tab":
		d.step(1)
	case "esc", "ctrl+c":
		return dialog.Result{Close: true}
	case "enter", "ctrl+s":
		return dialog.Then(d.send())
	default:
		if d.at < 0 {
			d.choose(k.String())
			return dialog.Result{}
		}
		d.line().Edit(k)
		d.grow()
	}
	return dialog.Result{}
}

// step goes to the next field and wraps around at the end.
func (d *approvalForm) step(by int) {
	first := 0
	if d.choices != nil {
		first = -1
	}
	fields := len(d.values) + 1 - first
	d.at = (d.at-first+by+fields)%fields + first
}

// choose selects a choice by its number or with the arrows.
func (d *approvalForm) choose(key string) {
	n := len(d.choices)
	switch number, err := strconv.Atoi(key); {
	case key == "right", key == "space":
		d.chosen = (d.chosen + 1) % n
	case key == "left":
		d.chosen = (max(d.chosen, 0) + n - 1) % n
	case err == nil && number >= 1 && number <= n:
		d.chosen = number - 1
	}
	d.problem = ""
}

func (d *approvalForm) Paste(text string) dialog.Result {
	if d.at < 0 {
		return dialog.Result{}
	}
	for i, part := range strings.Split(strings.TrimRight(text, "\r\n"), "\n") {
		if i > 0 && d.at < len(d.values) {
			d.grow()
			d.at++
		}
		d.line().Insert(strings.TrimRight(part, "\r"))
		d.grow()
		if len(d.values) > mostValues {
			break
		}
	}
	return dialog.Result{}
}

// mostValues is the most lines of values in the form.
const mostValues = 50

// grow adds an empty line for one more value if the last one is in use.
func (d *approvalForm) grow() {
	if d.problem = ""; len(d.values[len(d.values)-1].Text) > 0 && len(d.values) < mostValues {
		d.values = append(d.values, dialog.Line{})
	}
}

// given returns the used lines of values, and an error for a line that is not valid.
func (d *approvalForm) given() (list []string, values map[string]any, err error) {
	for i := range d.values {
		text := strings.TrimSpace(d.values[i].String())
		if text == "" {
			continue
		}
		key, value, ok := strings.Cut(text, "=")
		if value == "" && d.asksFor(strings.TrimSpace(key)) {
			continue // an unchanged field
		}
		if !ok || strings.TrimSpace(key) == "" {
			d.at = i
			return nil, nil, fmt.Errorf("%s: must be KEY=VALUE", text)
		}
		if values == nil {
			values = map[string]any{}
		}
		values[strings.TrimSpace(key)] = value
		list = append(list, strings.TrimSpace(key)+"="+value)
	}
	return list, values, nil
}

// asksFor reports whether the question asks for a value.
func (d *approvalForm) asksFor(name string) bool {
	return slices.ContainsFunc(sharedFields(d.about), func(f api.Param) bool { return f.Name == name })
}

// send approves. The form stays open until the daemon has accepted it.
func (d *approvalForm) send() tea.Msg {
	_, values, err := d.given()
	if err != nil {
		d.problem = plain.Line(err.Error())
		return nil
	}
	if d.chosen >= 0 {
		if values == nil {
			values = map[string]any{}
		}
		values["case"] = d.choices[d.chosen].Case
	}
	value, given := values["case"]
	for _, a := range d.about {
		if err := a.CheckCase(words.Value(value), given); err != nil {
			d.problem = plain.Line(err.Error())
			return nil
		}
	}
	return decide{d.about, api.Decision{Approved: true, Values: values, Comment: d.comment.String()}, func(err error) tea.Msg {
		if err == nil {
			return closeDialog{d}
		}
		d.problem = plain.Line(words.Error(err))
		return nil
	}}
}

func (d *approvalForm) Draw(a cells.Area) (x, y int, cursor bool) {
	text := d.about[0].Text
	if len(d.about) > 1 {
		text = askedNames(d.about) + ", the same answer for all"
	}
	width := min(90, a.Width-2)
	asked := cells.Wrap(text, width-4)
	before := d.before(width - 4)
	room := max(1, a.Height-len(d.values)-len(d.choices)-8)
	asked = asked[:min(len(asked), room)]
	before = before[:min(len(before), max(0, room-len(asked)))]
	b := cells.Box(a, width, len(asked)+len(before)+len(d.choices)+len(d.values)+6, "Approve "+askedNames(d.about))
	in := b.Part(2, 1, b.Width-4, b.Height-2)
	at := 0
	for _, line := range asked {
		in.Put(0, at, line, cells.Strong)
		at++
	}
	for _, line := range before {
		in.Put(0, at, line, cells.Dimmed)
		at++
	}
	at++
	at = d.drawChoices(in, at)
	const column = 11
	field := func(i int, label string, l *dialog.Line) {
		row := in.Row(at)
		at++
		st := cells.Dimmed
		if i == d.at {
			st = cells.Key
		}
		row.Put(0, 0, label, st)
		end := l.Draw(row, column, cells.Plain)
		if i == d.at {
			x, y, cursor = row.X+end, row.Y, true
		}
	}
	for i := range d.values {
		label := ""
		if i == 0 {
			label = "key=value"
		}
		field(i, label, &d.values[i])
	}
	field(len(d.values), "comment", &d.comment)
	last, st := "Enter approves  Tab next field  Esc decides nothing", cells.Dimmed
	if d.problem != "" {
		last, st = d.problem, cells.Bad
	}
	in.Row(in.Height-1).Put(0, 0, cells.Clip(last, in.Width, a.ASCII()), st)
	return x, y, cursor
}

// drawChoices writes the choices and the nodes that each leads to.
func (d *approvalForm) drawChoices(in cells.Area, at int) int {
	for i, c := range d.choices {
		mark, st := "  ", cells.Plain
		if i == d.chosen {
			mark, st = cells.Either(in.ASCII(), "> ", "▸ "), cells.Strong
		}
		if d.at < 0 && (i == d.chosen || d.chosen < 0) {
			st = cells.Key
		}
		text := fmt.Sprintf("%s%d %s", mark, i+1, words.Outcome(c))
		in.Put(0, at, cells.Clip(text, in.Width, in.ASCII()), st)
		at++
	}
	return at
}

// before returns the outputs of the nodes before the question, a line for each value.
func (d *approvalForm) before(width int) (lines []string) {
	if len(d.about) != 1 {
		return nil
	}
	for _, node := range d.about[0].Before {
		for _, value := range strings.Split(outputsText(node.Outputs), "\n") {
			lines = append(lines, cells.Wrap(plain.Line(node.Node)+": "+plain.Line(value), width)...)
		}
	}
	for _, f := range d.about[0].Fields {
		lines = append(lines, cells.Wrap(plain.Line(f.Name)+": "+hintOf(f), width)...)
	}
	return lines
}
