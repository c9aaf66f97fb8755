package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/dialog"
	"wf/tui/logview"
)

// A told is a message with a sentence for the user.
type told struct {
	text string
	bad  bool
}

// A failed is a message with the error of a request.
type failed struct{ err error }

// A toasted is the message that the time of a toast is over.
type toasted struct{ id int }

// A tick is a message once a second while a run is active.
type tick struct{}

// Update handles a message. It never blocks: what takes time is a command.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.now = m.clock()
	cmd := m.handle(msg)
	if m.dead {
		return m, tea.Quit
	}
	if _, key := msg.(tea.KeyPressMsg); key && len(m.dialogs) > 0 {
		m.stale = true // typing goes on: what it changes in the drawing, a filter for instance, can wait for the frame
	} else {
		m.refresh()
	}
	return m, tea.Batch(cmd, m.follow(), m.inquire(), m.ticker(), m.toaster(), m.memorize(msg))
}

// handle is the one switch over all messages.
func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.picture.free = false // what was in sight may be so no more
		return tea.ClearScreen // a terminal that gets wider keeps cells that the renderer takes for blank
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.MouseMsg:
		return m.mouseEvent(msg)
	case opened:
		return m.opened(msg)
	case look:
		return m.lookAgain(msg)
	case news:
		return m.news(msg)
	case logview.Message:
		return m.sayNote(m.log.Update(msg))
	case tick:
		m.ticking = false
	case inquiry:
		m.asking.waits = false
	case toasted:
		if msg.id == m.toast.id {
			m.hush()
		}
	case told:
		if msg.text != "" {
			m.say(msg.text, msg.bad)
		}
	case failed:
		m.fail(msg.err)
	case answer:
		return msg.apply(m)
	}
	return nil
}

// An answer is the result of a request: a change of the model.
type answer struct{ apply func(*model) tea.Cmd }

// opened takes an opened workfile.
func (m *model) opened(msg opened) tea.Cmd {
	if msg.asked != m.link { // another one was asked for meanwhile
		msg.link.close()
		return nil
	}
	if msg.err != nil {
		return m.giveUp(msg.err)
	}
	m.log.Close() // it has read from the connection before
	m.link = msg.link
	if !m.flow.Known { // else it was open before, and is looked at as it was
		m.known = msg.sight
		m.look(msg.sight)
	}
	return m.link.feed.next
}

// news takes a batch of the feed.
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
	m.flow.Apply(n.status(), n.events, n.nodes)
	m.asking.note(m, n.batch)
	cmds := []tea.Cmd{m.link.feed.next, m.heard(n.batch)}
	if n.ended != nil {
		cmds = []tea.Cmd{m.giveUp(n.ended)}
	}
	for _, ev := range n.events {
		switch ev.Type {
		case api.RunStarted:
			cmds = append(cmds, m.learn(ev.Run))
		case api.RunComplete:
			m.sayEnd(ev)
		}
	}
	if n.snapshot != nil {
		for _, r := range m.flow.Status.Runs {
			cmds = append(cmds, m.learn(r.Run))
		}
	}
	if m.running() {
		m.seen = m.flow.Current().Run
	}
	return tea.Batch(cmds...)
}

// ticker keeps the clock going while a run is active: once a minute if nothing visible changes every second.
func (m *model) ticker() tea.Cmd {
	if !m.running() || m.ticking {
		return nil
	}
	m.ticking = true
	every := time.Second
	if m.idles() {
		every = time.Minute
	}
	return tea.Tick(every, func(time.Time) tea.Msg { return tick{} })
}

// toaster removes a toast in time.
func (m *model) toaster() tea.Cmd {
	if m.toast.text == "" || m.toast.timed {
		return nil
	}
	m.toast.timed = true
	id := m.toast.id
	return tea.Tick(toastTime, func(time.Time) tea.Msg { return toasted{id} })
}

// key passes a key to the open dialog, or does the action that the registry has for it.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	m.hush()
	if n := len(m.dialogs); n > 0 {
		return m.apply(m.dialogs[n-1], m.dialogs[n-1].Key(k))
	}
	name := k.String()
	if a := m.action(name); a != nil {
		return a.do(m, name)
	}
	if a := m.unable(name); a != nil {
		m.say(a.name+": "+m.whyNot(a), false)
	}
	return nil
}

// action returns what a key means here, or nil.
func (m *model) action(key string) *action {
	for i := range m.keys {
		if a := &m.keys[i]; a.has(key) && a.fits(m) {
			return a
		}
	}
	return nil
}

// paste passes a paste to the open dialog. Without one it does nothing: a paste presses no keys.
func (m *model) paste(text string) tea.Cmd {
	if n := len(m.dialogs); n > 0 {
		return m.apply(m.dialogs[n-1], m.dialogs[n-1].Paste(text))
	}
	return nil
}

// open puts a dialog over the screen.
func (m *model) open(d dialog.Dialog) { m.dialogs = append(m.dialogs, d) }

// apply does what a dialog asks for.
func (m *model) apply(d dialog.Dialog, r dialog.Result) tea.Cmd {
	if r.Close {
		m.shut(d)
	}
	if r.Do == nil {
		return nil
	}
	return r.Do()
}

// done closes the top dialog.
func (m *model) done() {
	if n := len(m.dialogs); n > 0 {
		m.dialogs = m.dialogs[:n-1]
	}
}

// shut closes a dialog wherever it is: another one may have opened over it while an answer was on its way.
func (m *model) shut(d dialog.Dialog) {
	m.dialogs = slices.DeleteFunc(m.dialogs, func(other dialog.Dialog) bool { return other == d })
}
