package tui

import (
	tea "charm.land/bubbletea/v2"

	"wf/tui/dialog"
	"wf/tui/drawing"
)

// Hints that the footer shows only in certain situations.
const (
	approvalsHint = "approvals"   // something waits for a person
	resumeHint    = "resume"      // no run is active and a node has failed
	nextHint      = "next failed" // a node has failed
	failuresHint  = "failures"    // several nodes have failed
	replayHint    = "replay"      // a run is shown that has ended
	followHint    = "follow"      // a run is active, or the selection follows already
	containerHint = "container"   // nodes are marked
)

// pressing reports whether the footer should show an action that has one of these hints. It is true for all others.
func (a *action) pressing(m *model) bool {
	switch a.hint {
	case approvalsHint:
		return someWait(m)
	case resumeHint:
		c := m.doc.flow.Status.Counts
		return !m.doc.running() && c.Failed+c.Cancelled > 0
	case nextHint:
		return m.doc.shown().Count("").Failed > 0
	case failuresHint:
		return m.doc.shown().Count("").Failed > 1
	case replayHint:
		return m.doc.earlier != nil
	case followHint:
		return m.doc.running() || m.doc.following
	case containerHint:
		return len(m.doc.picture.markedNodes()) > 0
	}
	return true
}

// forNodes reports whether an action needs nodes. The footer of an empty workfile omits such actions.
func (a *action) forNodes() bool {
	return a.where&atDrawing != 0 && a.group != groupEdit && a.group != groupAll && a.group != groupList
}

// whyNot returns why an action with a key on this screen is not available now.
func (a *action) whyNot(m *model) string {
	switch {
	case m.doc.nothingOpen():
		return "no workfile is open"
	case a.name == "stop" || a.name == "leave and stop":
		return "nothing is running"
	case m.doc.earlier != nil:
		return "this is an earlier run: Esc goes back to now"
	case m.doc.picture.view != drawing.Chart && (a.name == "zoom" || a.name == "fit" || a.name == "overview"):
		return "only the graph has this: v changes the view"
	case a.group == groupAsk:
		return "nothing waits for a person"
	case a.name == "instance by number":
		return "the selection is not a sub-flow that has instances"
	}
	return "not possible here"
}

// unable returns the action that a key has on this screen but that is not available now, or nil.
func (m *model) unable(key string) *action {
	for i := range m.keys {
		if a := &m.keys[i]; a.has(key) && a.where&m.place() != 0 && !a.fits(m) {
			return a
		}
	}
	return nil
}

// contextActions are the names of the actions in the menu of the right mouse button.
var contextActions = []string{"open", "whole log", "inspector", "approvals", "run", "resume", "stop", "mark", "edit commands", "node form", "add", "connect",
	"container", "delete", "copy the command", "view", "filter", "runs"}

// contextMenu opens the menu of actions for the selection.
func (m *model) contextMenu() {
	title := m.link.name()
	if m.doc.picture.layout != nil && !m.doc.nothingOpen() {
		title = m.doc.picture.layout.Name(m.doc.picture.selected)
	}
	d := &dialog.Menu{Title: title}
	for _, name := range contextActions {
		for i := range m.keys {
			a := &m.keys[i]
			if a.name != name || !a.fits(m) || !a.pressing(m) {
				continue
			}
			d.Choices = append(d.Choices, dialog.Choice{Key: a.keyHint(m.opt.ASCII), Label: a.name, Do: a.doing(m)})
			break
		}
	}
	d.Choices = append(d.Choices, dialog.Choice{Key: ":", Label: "all commands", Do: later(func() tea.Msg { m.palette(); return nil })})
	m.open(d)
}

// A hintSpot is the place of an action in the footer, in columns.
type hintSpot struct {
	from, to int
	act      *action
}

// clickHint does the action at a point of the footer.
func (m *model) clickHint(x, y int) (cmd tea.Cmd, done bool) {
	if y != m.term.height-1 || m.toast.text != "" {
		return nil, false
	}
	for _, s := range m.term.spots {
		if x >= s.from && x < s.to && s.act.fits(m) {
			return m.handle(s.act.do(m, s.act.keys[0])), true
		}
	}
	return nil, false
}
