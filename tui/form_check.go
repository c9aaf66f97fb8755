package tui

import (
	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/plain"
)

// again opens the form of a node anew where something is wrong with what has just been saved.
func (d *form) again(m *model, notes []string) tea.Cmd {
	if len(notes) == 0 {
		return nil
	}
	return m.fetch([]string{d.id}, func(m *model, now []api.NodeStatus) tea.Cmd {
		if len(now) != 1 {
			return nil
		}
		next := newForm(now[0])
		next.at, next.top, next.problem = d.at, d.top, "saved, but "+plain.Line(notes[0])
		m.open(next)
		return nil
	})
}
