package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/plain"
	"wf/tui/words"
)

// An inbox is the screen of approvals. It shows the questions of the open workfile, kept up to date by events, and
// the questions that other workfiles had when the screen was opened.
type inbox struct {
	dialog.List
	own     []api.Approval
	others  []api.Approval
	problem string          // why the questions of other workfiles are missing
	marked  map[string]bool // keys of approvals
	wanted  string          // key of the approval to select
	back    page            // the screen before
}

// An announce reports that nodes wait for a person: by a toast unless another toast is shown, by the bell, and by a
// notification where the terminal supports it (OSC 9).
type announce struct{ nodes int }

func (m *model) announce(a announce) tea.Cmd {
	text := words.Plural(a.nodes, "node") + " waiting for a person"
	if m.toast.text == "" {
		m.say(text+": A answers", false)
	}
	return tea.Raw("\a\x1b]9;wf: " + text + "\a")
}

// approvalKey identifies an approval.
func approvalKey(a api.Approval) string { return a.Workfile + "\n" + a.Run + "\n" + a.Node }

// all returns the questions of the open workfile, then those of other workfiles.
func (v *inbox) all() []api.Approval { return append(slices.Clone(v.own), v.others...) }

// waiting returns how many nodes wait for a person.
func (v *inbox) waiting() int { return len(v.own) + len(v.others) }

// take stores the questions of the open workfile and announces each new one once.
func (v *inbox) take(list []api.Approval) tea.Msg {
	known := map[string]bool{}
	for _, a := range v.own {
		known[approvalKey(a)] = true
	}
	fresh := 0
	for i := range list {
		list[i].Name, list[i].Text = plain.Line(list[i].Name), plain.Text(list[i].Text)
		if !known[approvalKey(list[i])] {
			fresh++
		}
	}
	v.own = list
	v.find()
	if fresh == 0 {
		return nil
	}
	return announce{len(list)}
}

// find selects the approval that was selected before the list changed.
func (v *inbox) find() {
	if i := slices.IndexFunc(v.all(), func(a api.Approval) bool { return approvalKey(a) == v.wanted }); i >= 0 {
		v.At = i
	}
}

// selected returns the selected approval, or nil.
func (v *inbox) selected() *api.Approval {
	all := v.all()
	if v.At < 0 || v.At >= len(all) {
		return nil
	}
	return &all[v.At]
}

// objects returns the approvals that an answer is for: the marked ones or, if none is marked, the selected one.
func (v *inbox) objects() (list []api.Approval) {
	for _, a := range v.all() {
		if v.marked[approvalKey(a)] {
			list = append(list, a)
		}
	}
	if a := v.selected(); len(list) == 0 && a != nil {
		list = append(list, *a)
	}
	return list
}

// want selects the question of a node of the open workfile, if it has one.
func (v *inbox) want(node string) {
	for _, a := range v.own {
		if a.Node == node {
			v.wanted = approvalKey(a)
		}
	}
}

// ofNode returns the question of a node of the open workfile, or nil.
func (v *inbox) ofNode(n *api.NodeStatus) *api.Approval {
	for i := range v.own {
		if a := &v.own[i]; a.Node == n.ID && (a.Run == n.Run || n.Run == "") {
			return a
		}
	}
	return nil
}

// takeOthers stores the questions of other workfiles.
func (v *inbox) takeOthers(list []api.Approval, err error) {
	v.others, v.problem = list, ""
	if err != nil {
		v.problem = words.Error(err)
	}
	v.find()
}

// othersWaiting returns the approvals of all workspaces with active runs except the one of path.
func othersWaiting(ctx context.Context, c *client.Client, path string) (list []api.Approval, err error) {
	server, err := c.Server(ctx)
	if err != nil {
		return nil, err
	}
	for _, info := range server.Workspaces {
		if len(info.Runs) == 0 || info.Workfile == path {
			continue
		}
		ws, err := c.Open(ctx, info.Workfile)
		if err != nil {
			return list, err
		}
		got, err := ws.Approvals(ctx)
		if err != nil {
			return list, err
		}
		for _, a := range got.Approvals {
			a.Name, a.Text = plain.Line(a.Name), plain.Text(a.Text)
			list = append(list, a)
		}
	}
	return list, nil
}

// move moves the selection. With an empty key it only updates the selected approval.
func (v *inbox) move(key string) {
	v.Size = len(v.all())
	v.List.Move(key)
	v.wanted = ""
	if a := v.selected(); a != nil {
		v.wanted = approvalKey(*a)
	}
}

// mark marks the selected question, or removes its mark.
func (v *inbox) mark() {
	a := v.selected()
	if a == nil {
		return
	}
	if v.marked == nil {
		v.marked = map[string]bool{}
	}
	if key := approvalKey(*a); v.marked[key] {
		delete(v.marked, key)
	} else {
		v.marked[key] = true
	}
	v.move("down")
}

// choose goes to the node that asks, in its workfile; own is the path of the open one.
func (v *inbox) choose(own string) tea.Msg {
	a := v.selected()
	switch {
	case a == nil:
		return nil
	case a.Workfile != own:
		return openWorkfile{a.Workfile}
	}
	return showNode{a.Node}
}

// draw draws the list, and below it the details of the selected question.
func (v *inbox) draw(a cells.Area, doc *document, now time.Time) {
	all := v.all()
	if v.problem != "" {
		a.Put(2, a.Height-1, cells.Clip("other workfiles: "+v.problem, a.Width-2, a.ASCII()), cells.Bad)
	}
	if len(all) == 0 {
		v.Fit(0, a.Height)
		a.Put(2, 1, "nothing waits for a person: esc goes back", cells.Dimmed)
		return
	}
	below := max(min(9, a.Height/2), a.Height-2-len(all)) // the list takes what it needs
	below = min(below, a.Height*2/3)
	for i, title := range []string{"WAITS", "RUN", "NODE", "ASKS"} {
		a.Put(inboxColumn(i, a.Width), 0, title, cells.Dimmed)
	}
	v.Rows(a.Part(0, 1, a.Width, a.Height-1-below), len(all), func(i int, row cells.Area) {
		v.drawRow(row, all[i], doc.flow.Status.Workfile, now)
	})
	cells.Rule(a.Row(a.Height-below), cells.Either(a.ASCII(), "-", "─"))
	if v.At < len(all) {
		drawApproval(a.Part(0, a.Height-below+1, a.Width, below-1), all[v.At], doc, now)
	}
}

// inboxColumns are the columns where the fields of the list begin.
var inboxColumns = []int{4, 12, 18, 46}

// inboxColumn returns where a field begins. In a narrow terminal the last one begins further left.
func inboxColumn(i, width int) int {
	if i == 3 && width < stackWidth {
		return inboxColumns[2] + 14
	}
	return inboxColumns[i]
}

func (v *inbox) drawRow(row cells.Area, a api.Approval, own string, now time.Time) {
	ascii := row.ASCII()
	row.Put(2, 0, words.LookOf(api.StateWaiting).Sign(ascii), stateStyle(api.StateWaiting))
	if v.marked[approvalKey(a)] {
		row.Put(0, 0, "*", cells.Strong)
	}
	column := inboxColumn(3, row.Width)
	row.Put(inboxColumns[0], 0, clock(now.Sub(a.Since)), cells.Plain)
	row.Put(inboxColumns[1], 0, cells.Clip(a.Run, 5, ascii), cells.Dimmed)
	row.Put(inboxColumns[2], 0, cells.ClipMiddle(a.Name, column-inboxColumns[2]-1, ascii), cells.Strong)
	text := plain.Line(a.Text)
	if until := untilText(a, now); until != "" {
		text = until + ": " + text
	}
	if a.Workfile != own {
		text += "  (" + shortPath(a.Workfile) + ")"
	}
	row.Put(column, 0, cells.Clip(text, row.Width-column-1, ascii), cells.Plain)
}

// untilText describes what happens without an answer, or returns "" if the approval has no time limit.
func untilText(a api.Approval, now time.Time) string {
	if a.Until == nil {
		return ""
	}
	return words.Decided(a.Default == "approve") + " in " + clock(a.Until.Sub(now))
}

// drawApproval draws the question, the command that would run, and the nodes before it.
func drawApproval(a cells.Area, one api.Approval, doc *document, now time.Time) {
	y := 0
	put := func(st cells.Style, text string) {
		for _, line := range cells.Wrap(text, a.Width-2) {
			if y < a.Height {
				a.Put(1, y, line, st)
			}
			y++
		}
	}
	for i, line := range words.QuestionLines(one) {
		st := cells.Plain
		if i <= strings.Count(one.Text, "\n") {
			st = cells.Strong
		}
		put(st, line)
	}
	if approves, rejects := outcomes(&doc.flow, one); len(one.Choices) == 0 && approves != "" {
		put(cells.Plain, "y approves"+approves)
		put(cells.Plain, "x rejects"+rejects)
	}
	put(cells.Dimmed, fmt.Sprintf("%s  run %s  %s  since %s", one.Name, one.Run, shortPath(one.Workfile), one.Since.Local().Format(time.DateTime)))
	if until := untilText(one, now); until != "" {
		put(cells.Note, until+" if nobody answers")
	}
	i := doc.flow.NodeOf(one.Node)
	if i < 0 || one.Workfile != doc.flow.Status.Workfile {
		return
	}
	n := &doc.flow.Nodes[i]
	if command := plain.Command(n.Command, a.ASCII()); command != "" {
		put(cells.Plain, "then runs  "+command)
	}
	if wrapper := doc.flow.Status.Wrapper; wrapper != "" {
		put(cells.Dimmed, "wrapper  "+plain.Line(wrapper))
	}
	if after := words.NameList(doc.neighbours(n, false), 8); after != "" {
		put(cells.Dimmed, "after  "+after)
	}
}

// badge returns the number of approvals for the header, or "".
func (v *inbox) badge(ascii bool) string {
	if n := v.waiting(); n > 0 {
		return fmt.Sprintf("%s %d  ", words.LookOf(api.StateWaiting).Sign(ascii), n)
	}
	return ""
}

// someWait reports whether any node waits for a person.
func someWait(m *model) bool { return m.inbox.waiting() > 0 }

// showInbox shows the approvals and selects the one of the selected node.
func (m *model) showInbox() tea.Msg {
	if m.page != inboxPage {
		m.inbox.back = m.page
	}
	if n := m.doc.selectedNode(); n != nil && m.page == mainPage {
		m.inbox.want(n.ID)
	}
	m.page = inboxPage
	m.inbox.find()
	return approvalsChanged{}
}

// askOthers requests the approvals of other workfiles.
func (v *inbox) askOthers(parent context.Context, l *link) tea.Cmd {
	if l == nil || l.client == nil {
		return nil
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, requestTime)
		defer cancel()
		list, err := othersWaiting(ctx, l.client, l.path)
		return answer{l, func() tea.Msg {
			v.takeOthers(list, err)
			return nil
		}}
	}
}
