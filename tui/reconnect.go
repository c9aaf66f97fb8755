package tui

import (
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"

	"wf/client"
)

// The waits between two looks for a daemon that is gone. Each is twice the one before, so that a screen
// that stays open over night costs next to nothing.
const (
	firstLook = time.Second
	lastLook  = time.Minute
)

// look is the message that it is time to look for the daemon of a link.
type look struct{ link *link }

// giveUp takes over why the daemon of the open workfile is looked for no more by its client. The model
// goes on looking when there is just nobody: a daemon may come back at any time. What answered and
// refused will do so again.
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

// lookAgain looks for the daemon. It starts none: somebody may have stopped it on purpose.
func (m *model) lookAgain(msg look) tea.Cmd {
	if msg.link != m.link {
		return nil
	}
	return m.relink(false)
}

// disconnected says whether the daemon has been given up.
func (m *model) disconnected() bool { return m.link != nil && m.link.ended != nil }

// reconnect opens the workfile anew, with a new daemon if there is none.
func (m *model) reconnect() tea.Cmd {
	m.say("connecting", false)
	return m.relink(true)
}

// relink makes a new link to the open workfile. Everything on the screen stays until it is there.
func (m *model) relink(start bool) tea.Cmd {
	old := m.link
	l := &link{path: old.path, id: old.id, ended: old.ended, wait: old.wait}
	m.link = l
	return func() tea.Msg {
		old.close()
		return m.connect(l, start)
	}
}

// gone is the heading of a screen whose daemon is not there, or has refused to open the workfile.
func (m *model) gone() string {
	var refused *api.Error
	switch {
	case errors.As(m.link.ended, &refused) && !m.flow.known:
		return "not open: C tries again"
	case m.link.wait > 0 && m.width >= besideWidth:
		return fmt.Sprintf("no daemon, looks every %s: C connects", m.link.wait)
	case m.link.wait > 0:
		return fmt.Sprintf("no daemon (%s): C connects", m.link.wait)
	}
	return "no daemon: C connects"
}
