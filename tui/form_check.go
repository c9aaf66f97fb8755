package tui

import (
	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/plain"
)

// again opens the form of a node anew where something is wrong with what has just been saved.
func (d *form) again(notes []string) tea.Cmd {
	if len(notes) == 0 {
		return nil
	}
	return d.m.fetch([]string{d.id}, func(_ *model, now []api.NodeStatus) tea.Cmd {
		if len(now) != 1 {
			return nil
		}
		next := newForm(d.m, now[0])
		next.at, next.top, next.problem = d.at, d.top, "saved, but "+plain.Line(notes[0])
		d.m.open(next)
		return nil
	})
}
