package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/plain"
)

// checked is what there is to say about a node after an edit.
type checked struct {
	node     api.NodeStatus
	problems []api.Problem
}

// checkNode asks what is wrong with a node of the workfile.
func (m *model) checkNode(id string, then func(*model, checked) tea.Cmd) tea.Cmd {
	return request(m, func(ctx context.Context, ws *client.Workspace) (checked, error) {
		list, err := ws.Select(ctx, []string{id})
		if err != nil || len(list.Nodes) != 1 {
			return checked{}, nil // it has been removed meanwhile
		}
		found := checked{node: list.Nodes[0]}
		all, err := ws.Check(ctx)
		if err != nil {
			return found, nil // whoever runs it hears of it
		}
		for _, p := range all.Problems {
			if slices.Contains(p.Nodes, found.node.Name) {
				found.problems = append(found.problems, p)
			}
		}
		return found, nil
	}, then)
}

// check asks what is wrong with what has just been saved, and opens the form again where something is.
func (d *form) check(m *model) tea.Cmd {
	return m.checkNode(d.id, func(m *model, c checked) tea.Cmd {
		if len(c.problems) == 0 {
			return nil
		}
		again := newForm(c.node)
		again.at, again.top = d.at, d.top
		again.problem = "saved, but " + plain.Line(c.problems[0].Message)
		m.open(again)
		return nil
	})
}
