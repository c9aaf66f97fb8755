package tui

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/client"
)

// firstRetry and longestRetry are the first and the longest wait between two attempts to find a daemon. Each wait is twice
// the previous one, so that a screen that stays open overnight costs almost nothing.
const (
	firstRetry   = time.Second
	longestRetry = time.Minute
)

// A retryConnection is the message to look for the daemon of a link again.
type retryConnection struct{ link *link }

// giveUp handles the error with which the client stopped reconnecting. If there was no daemon, the model keeps
// looking, because one may be started at any time. If a daemon refused, it would refuse again.
func (m *model) giveUp(err error) tea.Cmd {
	l := m.link
	l.lost, l.ended = nil, err
	var nobody *client.UnreachableError
	if !errors.As(err, &nobody) {
		l.wait = 0
		return nil
	}
	l.wait = min(max(2*l.wait, firstRetry), longestRetry)
	return tea.Tick(l.wait, func(time.Time) tea.Msg { return retryConnection{l} })
}

// retryConnection looks for the daemon. It does not start one, because the user may have stopped it on purpose.
func (m *model) retryConnection(msg retryConnection) tea.Cmd {
	if msg.link != m.link {
		return nil
	}
	return m.relink(false)
}

// reconnect opens the workfile again, and starts a daemon if there is none.
func (m *model) reconnect() tea.Cmd {
	m.say("connecting", false)
	return m.relink(true)
}

// relink makes a new link to the open workfile. The screen does not change until the link is ready.
func (m *model) relink(start bool) tea.Cmd {
	old := m.link
	l := &link{path: old.path, id: old.id, ended: old.ended, wait: old.wait}
	m.link = l
	return func() tea.Msg {
		old.close()
		return m.connect(l, start)
	}
}
