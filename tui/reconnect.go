package tui

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/client"
)

// firstLook and lastLook are the first and the longest wait between two attempts to find a daemon. Each is
// twice the one before, so that a screen that stays open over night costs next to nothing.
const (
	firstLook = time.Second
	lastLook  = time.Minute
)

// A look is the message that it is time to look for the daemon of a link.
type look struct{ link *link }

// giveUp takes the error with which the client has stopped looking for the daemon. If there is none, the model
// goes on looking, because one may be started at any time. A daemon that has refused will refuse again.
func (m *model) giveUp(err error) tea.Cmd {
	l := m.link
	l.lost, l.ended = nil, err
	var nobody *client.UnreachableError
	if !errors.As(err, &nobody) {
		l.wait = 0
		return nil
	}
	l.wait = min(max(2*l.wait, firstLook), lastLook)
	return tea.Tick(l.wait, func(time.Time) tea.Msg { return look{l} })
}

// lookAgain looks for the daemon. It starts none: the user may have stopped it on purpose.
func (m *model) lookAgain(msg look) tea.Cmd {
	if msg.link != m.link {
		return nil
	}
	return m.relink(false)
}

// reconnect opens the workfile again, with a new daemon if there is none.
func (m *model) reconnect() tea.Cmd {
	m.say("connecting", false)
	return m.relink(true)
}

// relink makes a new link to the open workfile. The screen stays as it is until the link is there.
func (m *model) relink(start bool) tea.Cmd {
	old := m.link
	l := &link{path: old.path, id: old.id, ended: old.ended, wait: old.wait}
	m.link = l
	return func() tea.Msg {
		old.close()
		return m.connect(l, start)
	}
}
