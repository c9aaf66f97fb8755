package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/dialog"
	"wf/tui/logview"
)

// A toastExpired is the message that a toast has expired.
type toastExpired struct{ id int }

// A tick is sent once a second while a run is active.
type tick struct{}

// Update handles a message. It never blocks: slow work is a command.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.now = m.clock()
	cmd := m.handle(msg)
	if m.quitting {
		return m, tea.Quit
	}
	if _, key := msg.(tea.KeyPressMsg); key && len(m.dialogs) > 0 {
		m.stale = true // View updates the drawing once, after all pending keys
	} else {
		m.refresh()
		keepUp(m)
	}
	return m, tea.Batch(cmd, m.follow(), m.inquire(), m.handle(requestRecord(m)), m.handle(requestPlan(m)), m.ticker(), m.toaster(), m.storeView(msg), m.doc.picture.awaitDrawing())
}

// handle is the switch over all messages: those of the terminal, of goroutines, and those in messages.go.
func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.term.width, m.term.height = msg.Width, msg.Height
		m.doc.picture.free = false // the selection may not be visible any more
		return tea.ClearScreen     // a terminal that gets wider keeps cells that the renderer believes to be blank
	case tea.BackgroundColorMsg, tea.ColorProfileMsg:
		m.term.look.note(msg)
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.MouseMsg:
		return m.mouseEvent(msg)
	case opened:
		return m.opened(msg)
	case retryConnection:
		return m.retryConnection(msg)
	case news:
		return m.news(msg)
	case logview.Message:
		return m.handle(noted(m.side.log.Update(msg)))
	case tick:
		m.ticking = false
	case drawn: // the refresh after each message takes it
	case inquiry:
		m.inquirer.waits = false
	case toastExpired:
		if msg.id == m.toast.id {
			m.toast.clear()
		}
	default:
		return m.carryOut(msg)
	}
	return nil
}

// carryOut carries out a message of a screen, a menu or a form.
func (m *model) carryOut(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.Cmd:
		return msg
	case func() tea.Msg:
		return msg
	case messages:
		cmds := make([]tea.Cmd, len(msg))
		for i, one := range msg {
			cmds[i] = m.handle(one)
		}
		return tea.Batch(cmds...)
	case later:
		return m.handle(msg())
	case notice:
		if msg.text != "" {
			m.say(msg.text, msg.bad)
		}
	case failed:
		m.fail(msg.err)
	case openDialog:
		m.open(msg.Dialog)
	case closeDialog:
		m.removeDialog(msg.Dialog)
	case openWorkfile:
		return m.openFile(msg.path)
	case showNode:
		m.page, m.panes.active = mainPage, drawingPane
		m.doc.reveal(msg.id)
	case showPage:
		m.page = msg.page
	case showLog:
		m.side.inspect, m.panes.active = false, sidePane
	case announce:
		return m.announce(msg)
	case approvalsChanged:
		m.inquirer.approvals = true
		return m.inbox.askOthers(m.ctx, m.link)
	case decide:
		return msg.send(m.ctx, m.link, &m.inbox, m.doc.flow.Status.Workfile, m.opt.Request.User)
	case leave:
		m.quitting = true
	case request:
		return m.send(msg)
	case answer:
		if msg.link == nil || msg.link == m.link {
			return m.handle(msg.apply())
		}
	case edit:
		return m.inTurn(msg.request())
	case inTurn:
		return m.inTurn(msg.msg)
	case compose:
		return m.opt.compose(m.ctx, msg.draft)
	case rejected:
		m.open(msg.sheet(m.term.width))
	}
	return nil
}

// send sends a request to the daemon in another goroutine.
func (m *model) send(r request) tea.Cmd {
	fail := r.fail
	if fail == nil {
		fail = func(err error) tea.Msg { return failed{err} }
	}
	l := m.link
	if !l.connected() {
		if l != nil && l.ended != nil {
			return m.handle(fail(errNoDaemon))
		}
		return nil
	}
	parent := m.ctx
	return func() tea.Msg {
		ctx, cancel := parent, func() {}
		if r.limit > 0 {
			ctx, cancel = context.WithTimeout(parent, r.limit)
		}
		defer cancel()
		reply, err := r.ask(ctx, l.ws)
		if err != nil {
			reply = func() tea.Msg { return fail(err) }
		}
		return answer{l, reply}
	}
}

// opened handles the result of opening a workfile.
func (m *model) opened(msg opened) tea.Cmd {
	if msg.asked != m.link { // the user has opened another one in the meantime
		msg.link.close()
		return nil
	}
	if msg.err != nil {
		return m.giveUp(msg.err)
	}
	m.side.log.Close() // it reads from the old connection
	m.link = msg.link
	m.inquirer.busy = false  // an answer from the old connection is dropped
	if m.doc.nothingOpen() { // otherwise the workfile was open before and keeps its display settings
		m.savedViews.known = msg.view
		msg.view.restore(&m.doc, &m.panes, &m.side)
	}
	return m.link.feed.next
}

// news handles a batch of the feed.
func (m *model) news(n news) tea.Cmd {
	if m.link == nil || n.from != m.link.feed {
		return nil
	}
	for _, note := range n.notes {
		m.say(note, false)
	}
	if n.lost != nil {
		m.link.lost = n.lost
	}
	if n.snapshot != nil {
		m.link.lost, m.link.ended, m.link.wait = nil, nil, 0
	}
	n.clean()
	m.doc.flow.Apply(n.status(), n.events, n.nodes)
	m.inquirer.note(&m.doc.flow, len(m.inbox.own) > 0, n.batch)
	cmds := []tea.Cmd{m.link.feed.next, m.handle(othersEdits(n.batch, m.link.client))}
	if n.ended != nil {
		cmds = []tea.Cmd{m.giveUp(n.ended)}
	}
	return tea.Batch(append(cmds, m.handle(m.doc.followRuns(n.batch)))...)
}

// ticker sends ticks while a run is active: once a minute if nothing visible changes every second.
func (m *model) ticker() tea.Cmd {
	if !m.doc.running() || m.ticking {
		return nil
	}
	m.ticking = true
	every := time.Second
	if m.doc.idles(m.page) {
		every = time.Minute
	}
	return tea.Tick(every, func(time.Time) tea.Msg { return tick{} })
}

// toaster removes a toast after its time.
func (m *model) toaster() tea.Cmd {
	if m.toast.text == "" || m.toast.timed {
		return nil
	}
	m.toast.timed = true
	id := m.toast.id
	return tea.Tick(toastTime, func(time.Time) tea.Msg { return toastExpired{id} })
}

// key passes a key to the open dialog, or does the action of the key.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	m.toast.clear()
	if n := len(m.dialogs); n > 0 {
		return m.apply(m.dialogs[n-1], m.dialogs[n-1].Key(k))
	}
	name := k.String()
	if a := m.action(name); a != nil {
		if a.moves() {
			unfollow(m)
		}
		return m.handle(a.do(m, name))
	}
	if a := m.unable(name); a != nil {
		m.say(a.name+": "+a.whyNot(m), false)
	}
	return nil
}

// paste passes a paste to the open dialog. Without a dialog it does nothing: pasted text is not a key.
func (m *model) paste(text string) tea.Cmd {
	if n := len(m.dialogs); n > 0 {
		return m.apply(m.dialogs[n-1], m.dialogs[n-1].Paste(text))
	}
	return nil
}

// open puts a dialog over the screen.
func (m *model) open(d dialog.Dialog) { m.dialogs = append(m.dialogs, d) }

// apply carries out the result of a dialog.
func (m *model) apply(d dialog.Dialog, r dialog.Result) tea.Cmd {
	if r.Close {
		m.removeDialog(d)
	}
	return m.handle(r.Do)
}

// removeDialog closes a dialog at any position: another dialog may have been opened over it before an answer arrived.
func (m *model) removeDialog(d dialog.Dialog) {
	m.dialogs = slices.DeleteFunc(m.dialogs, func(other dialog.Dialog) bool { return other == d })
}

// followRuns handles the runs that started or ended in a batch: it requests estimates for new runs and the edits
// since their start, and reports how runs ended.
func (d *document) followRuns(b batch) tea.Msg {
	var msgs messages
	if b.snapshot != nil {
		msgs = append(msgs, d.compare())
	}
	for _, ev := range b.events {
		switch ev.Type {
		case api.RunStarted:
			msgs = append(msgs, d.requestEstimates(ev.Run))
		case api.RunComplete:
			msgs = append(msgs, endText(ev))
		}
	}
	if b.snapshot != nil {
		for _, r := range d.flow.Status.Runs {
			msgs = append(msgs, d.requestEstimates(r.Run))
		}
	}
	if d.running() {
		d.seen = d.flow.Current().Run
	}
	return msgs
}
