package tui

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/plain"
	"wf/tui/words"
)

// An inboxView is the state of the screen of approvals: the questions of the open workfile, kept up to date by
// events, and those of other workfiles as they were when the screen was opened.
type inboxView struct {
	dialog.List
	own     []api.Approval
	others  []api.Approval
	problem string          // why the others are not known
	marked  map[string]bool // keys of approvals
	wanted  string          // key of the one to select
	back    page            // from which it was opened
}

// approvalKey identifies an approval.
func approvalKey(a api.Approval) string { return a.Workfile + "\n" + a.Run + "\n" + a.Node }

// all returns the questions of the open workfile, then those of others.
func (v *inboxView) all() []api.Approval { return append(slices.Clone(v.own), v.others...) }

// someWait reports whether any node waits for a person.
func someWait(m *model) bool { return len(m.inbox.own)+len(m.inbox.others) > 0 }

// take takes the questions of the open workfile. New ones are announced once: on the screen, by the bell, and
// where the terminal can (OSC 9) by a notification.
func (v *inboxView) take(m *model, list []api.Approval) tea.Cmd {
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
	if m.toast.text == "" {
		m.say(words.Plural(len(list), "node")+" waiting for a person: A answers", false)
	}
	return tea.Raw("\a\x1b]9;wf: " + words.Plural(len(list), "node") + " waiting for a person\a")
}

// find selects the approval that was selected before.
func (v *inboxView) find() {
	if i := slices.IndexFunc(v.all(), func(a api.Approval) bool { return approvalKey(a) == v.wanted }); i >= 0 {
		v.At = i
	}
}

// selected returns the selected approval, or nil.
func (v *inboxView) selected() *api.Approval {
	all := v.all()
	if v.At < 0 || v.At >= len(all) {
		return nil
	}
	return &all[v.At]
}

// objects returns the approvals that an answer is for: the marked ones, otherwise the selected one.
func (v *inboxView) objects() (list []api.Approval) {
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

// showInbox shows the approvals; the selected node's is selected.
func (m *model) showInbox() tea.Cmd {
	if m.page != inboxPage {
		m.inbox.back = m.page
	}
	if n := m.selectedNode(); n != nil && m.page == mainPage {
		for _, a := range m.inbox.own {
			if a.Node == n.ID {
				m.inbox.wanted = approvalKey(a)
			}
		}
	}
	m.page = inboxPage
	m.inbox.find()
	m.asking.approvals = true
	return m.askOthers()
}

// askOthers asks for what waits in other workfiles.
func (m *model) askOthers() tea.Cmd {
	if m.link == nil || m.link.client == nil {
		return nil
	}
	l, parent := m.link, m.ctx
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, requestTime)
		defer cancel()
		list, err := othersWaiting(ctx, l.client, l.path)
		return answer{func(m *model) tea.Cmd {
			if m.link != l {
				return nil
			}
			m.inbox.others, m.inbox.problem = list, ""
			if err != nil {
				m.inbox.problem = words.Error(err)
			}
			m.inbox.find()
			return nil
		}}
	}
}

// othersWaiting returns the approvals of all workspaces with active runs but that of path.
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

// moveInbox moves the selection.
func (m *model) moveInbox(key string) {
	m.inbox.Size = len(m.inbox.all())
	m.inbox.List.Move(key)
	m.inbox.wanted = ""
	if a := m.inbox.selected(); a != nil {
		m.inbox.wanted = approvalKey(*a)
	}
}

// markApproval marks the selected approval, or takes its mark off.
func (m *model) markApproval() {
	a := m.inbox.selected()
	if a == nil {
		return
	}
	if m.inbox.marked == nil {
		m.inbox.marked = map[string]bool{}
	}
	if key := approvalKey(*a); m.inbox.marked[key] {
		delete(m.inbox.marked, key)
	} else {
		m.inbox.marked[key] = true
	}
	m.moveInbox("down")
}

// openApproval goes to the node that asks, in its workfile.
func (m *model) openApproval() tea.Cmd {
	a := m.inbox.selected()
	if a == nil {
		return nil
	}
	if a.Workfile != m.flow.Status.Workfile {
		return m.openFile(a.Workfile)
	}
	m.page, m.pane = mainPage, drawingPane
	m.reveal(a.Node)
	return nil
}

// reveal selects a node by its id, or the row of an instance's node.
func (m *model) reveal(id string) {
	if i, known := m.flow.Index[id]; known {
		m.picture.goTo(i)
		return
	}
	name, ok := runview.SubFlowOf(id)
	if !ok {
		return
	}
	i := m.flow.SubFlowNamed(name)
	if i < 0 {
		return
	}
	m.picture.goTo(i)
	m.picture.openTo(id)
}

// inboxColumns are where the columns of the list begin.
var inboxColumns = []int{4, 12, 18, 46}

// drawInbox draws the list, and below it the details of the selected one.
func (m *model) drawInbox(a cells.Area) {
	v := &m.inbox
	all := v.all()
	if v.problem != "" {
		a.Put(2, a.Height-1, cells.Clip("other workfiles: "+v.problem, a.Width-2, m.opt.ASCII), cells.Bad)
	}
	if len(all) == 0 {
		v.Fit(0, a.Height)
		a.Put(2, 1, "nothing waits for a person: esc goes back", cells.Dimmed)
		return
	}
	below := min(9, a.Height/2)
	for i, title := range []string{"WAITS", "RUN", "NODE", "ASKS"} {
		a.Put(m.inboxColumn(i, a.Width), 0, title, cells.Dimmed)
	}
	rows := a.Part(0, 1, a.Width, a.Height-1-below)
	v.Fit(len(all), rows.Height)
	for y := range rows.Height {
		if v.Top+y < len(all) {
			m.approvalRow(rows.Row(y), all[v.Top+y], v.Top+y == v.At)
		}
	}
	cells.Rule(a.Row(a.Height-below), cells.Either(m.opt.ASCII, "-", "─"))
	if v.At < len(all) {
		m.drawApproval(a.Part(0, a.Height-below+1, a.Width, below-1), all[v.At])
	}
}

// inboxColumn returns where a column begins; in a narrow terminal the last one comes sooner.
func (m *model) inboxColumn(i, width int) int {
	if i == 3 && width < stackWidth {
		return inboxColumns[2] + 14
	}
	return inboxColumns[i]
}

func (m *model) approvalRow(row cells.Area, a api.Approval, selected bool) {
	look := words.LookOf(api.StateWaiting)
	row.Put(2, 0, look.Sign(m.opt.ASCII), stateStyle(api.StateWaiting))
	if m.inbox.marked[approvalKey(a)] {
		row.Put(0, 0, "*", cells.Strong)
	}
	ask := m.inboxColumn(3, row.Width)
	row.Put(inboxColumns[0], 0, clock(m.now.Sub(a.Since)), cells.Plain)
	row.Put(inboxColumns[1], 0, cells.Clip(a.Run, 5, m.opt.ASCII), cells.Dimmed)
	row.Put(inboxColumns[2], 0, cells.ClipMiddle(a.Name, ask-inboxColumns[2]-1, m.opt.ASCII), cells.Strong)
	text := plain.Line(a.Text)
	if until := untilText(a, m.now); until != "" {
		text = until + ": " + text
	}
	if a.Workfile != m.flow.Status.Workfile {
		text += "  (" + shortPath(a.Workfile) + ")"
	}
	row.Put(ask, 0, cells.Clip(text, row.Width-ask-1, m.opt.ASCII), cells.Plain)
	if selected {
		row.Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
	}
}

// untilText returns what happens when nobody answers, or "" for nothing.
func untilText(a api.Approval, now time.Time) string {
	if a.Until == nil {
		return ""
	}
	verdict := "rejected"
	if a.Default == "approve" {
		verdict = "approved"
	}
	return verdict + " in " + clock(a.Until.Sub(now))
}

// drawApproval draws the question, the command that would run, and the nodes before it.
func (m *model) drawApproval(a cells.Area, one api.Approval) {
	y := 0
	put := func(st cells.Style, text string) {
		for _, line := range cells.Wrap(text, a.Width-2) {
			if y < a.Height {
				a.Put(1, y, line, st)
			}
			y++
		}
	}
	put(cells.Strong, one.Text)
	put(cells.Dimmed, fmt.Sprintf("%s  run %s  %s  since %s", one.Name, one.Run, shortPath(one.Workfile), one.Since.Local().Format(time.DateTime)))
	if until := untilText(one, m.now); until != "" {
		put(cells.Note, until+" if nobody answers")
	}
	i := m.flow.NodeOf(one.Node)
	if i < 0 || one.Workfile != m.flow.Status.Workfile {
		return
	}
	n := &m.flow.Nodes[i]
	if command := plain.Command(n.Command, m.opt.ASCII); command != "" {
		put(cells.Plain, "then runs  "+command)
	}
	if wrapper := m.flow.Status.Wrapper; wrapper != "" {
		put(cells.Dimmed, "wrapper  "+plain.Line(wrapper))
	}
	if after := words.NameList(m.neighbours(n, false), 8); after != "" {
		put(cells.Dimmed, "after  "+after)
	}
}

// badge returns the number of approvals for the header, or "".
func (m *model) badge() string {
	if n := len(m.inbox.own) + len(m.inbox.others); n > 0 {
		return fmt.Sprintf("%s %d  ", words.LookOf(api.StateWaiting).Sign(m.opt.ASCII), n)
	}
	return ""
}
