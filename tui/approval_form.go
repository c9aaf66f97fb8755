package tui

import (
	"context"
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

// A decider asks for the values and the comment of an approval.
type decider struct {
	m       *model
	about   []api.Approval
	choices []api.ApprovalChoice // that all of them have
	chosen  int                  // of choices; -1 = none yet
	values  []dialog.Line        // the last one is empty, for one more
	comment dialog.Line
	at      int // of values, their number: the comment, -1: the choice
	problem string
}

// approve opens the form for an approval.
func (m *model) approve(about []api.Approval) {
	if len(about) == 0 {
		return
	}
	d := &decider{m: m, about: about, values: make([]dialog.Line, 1), chosen: -1, choices: sharedChoices(about)}
	if fields := sharedFields(about); fields != nil {
		d.values = nil
		for _, f := range fields {
			text := f.Name + "="
			if f.Default != nil {
				text += valueText(f.Default)
			}
			d.values = append(d.values, dialog.NewLine(text))
		}
	}
	if d.choices != nil {
		d.at = -1
	}
	m.open(d)
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

// rejectApprovals asks for the reason, and then for a confirmation.
func (m *model) rejectApprovals(about []api.Approval) {
	if len(about) == 0 {
		return
	}
	m.open(&dialog.Prompt{Label: "reject " + askedNames(about) + ", because:", Enter: func(comment string) tea.Cmd {
		m.open(&dialog.Menu{Title: "Reject " + askedNames(about) + "?", Choices: []dialog.Choice{
			{Key: "n", Label: "no", Detail: "", Do: nil},
			{Key: "y", Label: "yes: it fails, as rejected", Detail: m.decideCommand("reject", about, nil, comment), Do: func() tea.Cmd {
				return m.decide(about, api.Decision{Comment: comment}, nil)
			}},
		}})
		return nil
	}})
}

// askedNames names the nodes that an answer is for.
func askedNames(about []api.Approval) string {
	if len(about) == 1 {
		return about[0].Name
	}
	return words.Plural(len(about), "node")
}

// decideCommand returns the command that gives the same answer for one node.
func (m *model) decideCommand(command string, about []api.Approval, values []string, comment string) string {
	if len(about) != 1 || about[0].Workfile != m.flow.Status.Workfile {
		return ""
	}
	args := []string{about[0].Name}
	for _, v := range values {
		args = append(args, "--set", v)
	}
	if comment != "" {
		args = append(args, "--comment", comment)
	}
	return m.shell(command, args...)
}

// decide sends a decision about each of some nodes to the daemon. It calls then with the first error, or nil.
func (m *model) decide(about []api.Approval, d api.Decision, then func(*model, error)) tea.Cmd {
	d.User = m.opt.Request.User
	own := m.flow.Status.Workfile
	l, parent := m.link, m.ctx
	if l == nil || l.ws == nil {
		return nil
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, requestTime)
		defer cancel()
		var failure error
		made := 0
		for _, a := range about {
			one := d
			one.Node, one.Run = a.Node, a.Run
			if err := tell(ctx, l, a.Workfile, own, one); err != nil {
				failure = err
				break
			}
			made++
		}
		return answer{func(m *model) tea.Cmd {
			m.inbox.marked = nil
			m.asking.approvals = true
			if made > 0 {
				m.say(map[bool]string{true: "approved ", false: "rejected "}[d.Approved]+askedNames(about[:made]), false)
			}
			if failure != nil {
				m.fail(failure)
			}
			if then != nil {
				then(m, failure)
			}
			return m.askOthers()
		}}
	}
}

// tell sends a decision to the workfile that it is for.
func tell(ctx context.Context, l *link, path, own string, d api.Decision) error {
	ws := l.ws
	if path != own {
		var err error
		if ws, err = l.client.Open(ctx, path); err != nil {
			return err
		}
	}
	_, err := ws.Decide(ctx, d)
	return err
}

// line returns the line that has the keys.
func (d *decider) line() *dialog.Line {
	if d.at < len(d.values) {
		return &d.values[d.at]
	}
	return &d.comment
}

func (d *decider) Key(k tea.KeyPressMsg) dialog.Result {
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

// step goes to the next field, around the end.
func (d *decider) step(by int) {
	first := 0
	if d.choices != nil {
		first = -1
	}
	fields := len(d.values) + 1 - first
	d.at = (d.at-first+by+fields)%fields + first
}

// choose selects a choice by its number or with the arrows.
func (d *decider) choose(key string) {
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

func (d *decider) Paste(text string) dialog.Result {
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
func (d *decider) grow() {
	if d.problem = ""; len(d.values[len(d.values)-1].Text) > 0 && len(d.values) < mostValues {
		d.values = append(d.values, dialog.Line{})
	}
}

// given returns the lines of values that are in use, and an error for a line that cannot be read.
func (d *decider) given() (list []string, values map[string]any, err error) {
	for i := range d.values {
		text := strings.TrimSpace(d.values[i].String())
		if text == "" {
			continue
		}
		key, value, ok := strings.Cut(text, "=")
		if value == "" && d.asksFor(strings.TrimSpace(key)) {
			continue // a field that is left as it was
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
func (d *decider) asksFor(name string) bool {
	return slices.ContainsFunc(sharedFields(d.about), func(f api.Param) bool { return f.Name == name })
}

// send approves. The form stays open until the daemon has accepted it.
func (d *decider) send() tea.Cmd {
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
	decision := api.Decision{Approved: true, Values: values, Comment: d.comment.String()}
	return d.m.decide(d.about, decision, func(_ *model, err error) {
		if err == nil {
			d.m.shut(d)
			return
		}
		d.problem = plain.Line(words.Error(err))
	})
}

func (d *decider) Draw(a cells.Area) (x, y int, cursor bool) {
	text := d.about[0].Text
	if len(d.about) > 1 {
		text = askedNames(d.about) + ", the same answer for all"
	}
	width := min(90, a.Width-2)
	asked := cells.Wrap(text, width-4)
	told := d.told(width - 4)
	room := max(1, a.Height-len(d.values)-len(d.choices)-8)
	asked = asked[:min(len(asked), room)]
	told = told[:min(len(told), max(0, room-len(asked)))]
	b := cells.Box(a, width, len(asked)+len(told)+len(d.choices)+len(d.values)+6, "Approve "+askedNames(d.about))
	in := b.Part(2, 1, b.Width-4, b.Height-2)
	at := 0
	for _, line := range asked {
		in.Put(0, at, line, cells.Strong)
		at++
	}
	for _, line := range told {
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
	in.Row(in.Height-1).Put(0, 0, cells.Clip(last, in.Width, d.m.opt.ASCII), st)
	return x, y, cursor
}

// drawChoices writes the choices and the nodes that each leads to.
func (d *decider) drawChoices(in cells.Area, at int) int {
	arrow := cells.Either(d.m.opt.ASCII, "->", "→")
	for i, c := range d.choices {
		mark, st := "  ", cells.Plain
		if i == d.chosen {
			mark, st = cells.Either(d.m.opt.ASCII, "> ", "▸ "), cells.Strong
		}
		if d.at < 0 && (i == d.chosen || d.chosen < 0) {
			st = cells.Key
		}
		text := fmt.Sprintf("%s%d case=%s  %s %s", mark, i+1, plain.Line(c.Case), arrow, plain.Line(strings.Join(c.Leads, ", ")))
		in.Put(0, at, cells.Clip(text, in.Width, d.m.opt.ASCII), st)
		at++
	}
	return at
}

// told returns the outputs of the nodes before the question, a line for each value.
func (d *decider) told(width int) (lines []string) {
	if len(d.about) != 1 {
		return nil
	}
	for _, before := range d.about[0].Before {
		for _, value := range strings.Split(outputsText(before.Outputs), "\n") {
			lines = append(lines, cells.Wrap(plain.Line(before.Node)+": "+plain.Line(value), width)...)
		}
	}
	for _, f := range d.about[0].Fields {
		lines = append(lines, cells.Wrap(plain.Line(f.Name)+": "+hintOf(f), width)...)
	}
	return lines
}

// answerMenu asks for the answer to the question of the selected node; it returns false if the node asks
// nothing.
func (m *model) answerMenu() bool {
	n := m.selectedNode()
	if n == nil || m.past != nil || n.Wait == nil || n.Wait.Kind != api.WaitApproval {
		return false
	}
	for _, a := range m.inbox.own {
		if a.Node != n.ID || a.Run != n.Run && n.Run != "" {
			continue
		}
		about := []api.Approval{a}
		m.open(&dialog.Menu{Title: cells.Clip(plain.Line(a.Text), 60, m.opt.ASCII), Choices: []dialog.Choice{
			{Key: "w", Label: "decide nothing now", Detail: "", Do: nil},
			{Key: "y", Label: "approve, with values and a comment if you like", Detail: m.decideCommand("approve", about, nil, ""), Do: func() tea.Cmd {
				m.approve(about)
				return nil
			}},
			{Key: "x", Label: "reject", Detail: m.decideCommand("reject", about, nil, ""), Do: func() tea.Cmd {
				m.rejectApprovals(about)
				return nil
			}},
			{Key: "l", Label: "look at the log", Detail: "", Do: func() tea.Cmd {
				m.inspect, m.pane = false, sidePane
				return nil
			}},
		}})
		return true
	}
	return false
}
