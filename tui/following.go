package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client/runview"
	"wf/tui/drawing"
)

// followName is the name of the action that follows what runs.
const followName = "follow what runs"

// toggleFollowing makes the selection follow what runs, or stay where it is.
func toggleFollowing(m *model) tea.Msg {
	m.doc.following = !m.doc.following
	if !m.doc.following {
		return notice{"the selection stays where it is", false}
	}
	return notice{"the selection follows what runs, until you move it", false}
}

// unfollow ends the following, because the user has moved the selection.
func unfollow(m *model) { m.doc.following = false }

// moves reports whether an action moves the selection of the drawing. Opening something does not.
func (a *action) moves() bool {
	return a.group == groupMove && a.where == atDrawing && a.name != "open"
}

// keepUp selects what runs, if the selection follows it. A dialog is about the selection, which stays while it is open.
func keepUp(m *model) {
	if !m.doc.following || len(m.dialogs) > 0 || m.page != mainPage && m.page != logPage || m.doc.nothingOpen() {
		return
	}
	p := &m.doc.picture
	i := runningNode(m.doc.shown())
	if i < 0 || p.layout == nil || i == p.node() {
		return
	}
	if p.selected.Kind == drawing.ARow && p.graph.Rows[p.selected.Index].Node == i {
		return // a row below it is selected
	}
	if item := p.layout.Seen(drawing.NodeItem(i)); item != drawing.Nothing && item != p.selected {
		p.choose(item)
	}
}

// runningNode returns the node that has been running for the longest time. Without one it is a node that waits for a
// person, then the node that failed first in the latest run, then -1.
func runningNode(f *runview.Workfile) int {
	best, rank := -1, 0
	run := ""
	if r := f.Current(); r != nil {
		run = r.Run
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if !f.Outer(i) {
			continue
		}
		of := 0
		switch state := n.Counted(); {
		case state == api.StateRunning:
			of = 3
		case state == api.StateWaiting && n.Wait != nil && n.Wait.Kind == api.WaitApproval:
			of = 2
		case state == api.StateFailed && n.Run == run:
			of = 1
		}
		if of > rank || of == rank && of > 0 && earlierStart(n.Started, f.Nodes[best].Started) {
			best, rank = i, of
		}
	}
	return best
}

// earlierStart reports whether a is before b. A time that is unknown is after all others.
func earlierStart(a, b *time.Time) bool {
	return a != nil && (b == nil || a.Before(*b))
}

// isOn reports whether an action has switched something on that the footer shows.
func (a *action) isOn(m *model) bool { return a.name == followName && m.doc.following }

// hintText returns the hint of an action in the footer.
func (a *action) hintText(m *model) string {
	if a.isOn(m) {
		return "following"
	}
	return a.hint
}
