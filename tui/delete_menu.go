package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/words"
)

// sureNodes is how many nodes can be deleted without typing yes.
const sureNodes = 5

// mostEdges is the most edges that the menu of D lists; for more there is a chooser.
const mostEdges = 9

// deleteMenu asks what to delete: the marked nodes, otherwise the selection, with or without edges between
// their neighbours, or only edges. Its first choice does nothing.
func (m *model) deleteMenu() {
	nodes := m.objects()
	if len(nodes) == 0 {
		return
	}
	ids, names := m.ids(nodes), m.handles(nodes)
	touching := m.touching(nodes)
	choices := []dialog.Choice{{Key: "n", Label: "cancel", Detail: "", Do: nil}}
	what := m.called(nodes)
	only := "delete " + what
	if len(touching) > 0 {
		only += fmt.Sprintf(" and its %s", words.Plural(len(touching), "edge"))
		if len(nodes) > 1 {
			only = strings.Replace(only, " its ", " their ", 1)
		}
	}
	choices = append(choices, dialog.Choice{Key: "d", Label: only, Detail: m.shell("edit remove-node", names...), Do: func() tea.Cmd {
		return m.sure(ids, func() tea.Cmd { return m.removeNodes(ids, false) })
	}})
	if bridges := m.bridges(nodes); len(bridges) > 0 {
		label := "delete " + what + ", connect the neighbours"
		choices = append(choices, dialog.Choice{Key: "b", Label: label, Detail: words.Plural(len(bridges), "new edge"), Do: func() tea.Cmd {
			return m.sure(ids, func() tea.Cmd { return m.removeNodes(ids, true) })
		}})
	}
	if len(touching) > 1 {
		choices = append(choices, dialog.Choice{Key: "e", Label: "only " + words.Plural(len(touching), "edge"), Detail: "", Do: func() tea.Cmd {
			return m.change(m.removeEdges(m.touching(m.still(ids))))
		}})
	}
	switch {
	case len(nodes) > 1: // nobody looks for one edge among those of many nodes
	case len(touching) > mostEdges:
		choices = append(choices, dialog.Choice{Key: "o", Label: "only one of its edges", Detail: "", Do: func() tea.Cmd {
			m.open(dialog.NewChooser("Delete which edge of "+what+"?", m.edgeChoices(m.touching(m.still(ids)))))
			return nil
		}})
	default:
		choices = append(choices, m.edgeChoices(touching)...)
	}
	m.open(&dialog.Menu{Title: "Delete?", Choices: choices})
}

// edgeChoices returns the choices that delete one edge each.
func (m *model) edgeChoices(edges []int) (choices []dialog.Choice) {
	for i, e := range edges {
		from, to := m.flow.Nodes[m.flow.Edges[e].From], m.flow.Nodes[m.flow.Edges[e].To]
		edit := api.Edit{Op: api.OpRemoveEdge, Source: from.ID, Target: to.ID, Edge: m.flow.EdgeNumber(e)}
		words := []string{from.Name, to.Name}
		if edit.Edge != "" {
			words = append(words, "--edge", edit.Edge)
		}
		choices = append(choices, dialog.Choice{Key: fmt.Sprint(i + 1), Label: "only the edge " + from.Name + cells.Either(m.opt.ASCII, " -> ", " → ") + to.Name,
			Detail: m.shell("edit remove-edge", words...), Do: func() tea.Cmd { return m.change([]api.Edit{edit}) }})
	}
	return choices
}

// sure calls do: at once for a few nodes, and for many after "yes" was typed.
func (m *model) sure(ids []string, do func() tea.Cmd) tea.Cmd {
	if len(ids) <= sureNodes {
		return do()
	}
	m.open(&dialog.Prompt{Label: fmt.Sprintf("delete %d nodes? type yes:", len(ids)), Enter: func(text string) tea.Cmd {
		if strings.TrimSpace(text) != "yes" {
			m.say("nothing was deleted", false)
			return nil
		}
		return do()
	}})
	return nil
}

// touching returns the edges of nodes, each once.
func (m *model) touching(nodes []int) (edges []int) {
	seen := map[int]bool{}
	for _, n := range nodes {
		for _, list := range [][]int{m.flow.In[n], m.flow.Out[n]} {
			for _, e := range list {
				if !seen[e] {
					seen[e] = true
					edges = append(edges, e)
				}
			}
		}
	}
	return edges
}

// removeEdges returns edits that remove edges. Several between the same two nodes go together.
func (m *model) removeEdges(edges []int) (edits []api.Edit) {
	seen := map[[2]int]bool{}
	for _, e := range edges {
		ends := [2]int{m.flow.Edges[e].From, m.flow.Edges[e].To}
		if !seen[ends] {
			seen[ends] = true
			edits = append(edits, api.Edit{Op: api.OpRemoveEdge, Source: m.flow.Nodes[ends[0]].ID, Target: m.flow.Nodes[ends[1]].ID, Edge: api.EveryEdge})
		}
	}
	return edits
}

// removeNodes removes nodes; with bridge set it first connects their neighbours.
func (m *model) removeNodes(ids []string, bridge bool) tea.Cmd {
	nodes := m.still(ids)
	if len(nodes) == 0 {
		m.say("somebody has deleted it already", false)
		return nil
	}
	var edits []api.Edit
	if bridge {
		edits = m.bridges(nodes)
	}
	m.picture.forget()
	return m.change(append(edits, api.Edit{Op: api.OpRemoveNode, Nodes: m.ids(nodes)}))
}

// bridges returns edits that keep the order of the neighbours of nodes when these go: an edge from each node
// before them to each node that a path through them leads to. It is blocking if all edges of such a path are.
// Existing edges stay as they are.
func (m *model) bridges(nodes []int) (edits []api.Edit) {
	f := &m.flow
	gone := map[int]bool{}
	for _, n := range nodes {
		gone[n] = true
	}
	var sources []int
	seen := map[int]bool{}
	for _, n := range nodes {
		for _, e := range f.In[n] {
			if from := f.Edges[e].From; !gone[from] && !seen[from] {
				seen[from] = true
				sources = append(sources, from)
			}
		}
	}
	for _, from := range sources {
		blocking, any := f.Through(from, gone, true), f.Through(from, gone, false)
		has := map[int]bool{}
		for _, to := range blocking {
			has[to] = true
		}
		for _, to := range any {
			if to == from || f.Between(from, to) >= 0 {
				continue
			}
			kind := "non-blocking"
			if has[to] {
				kind = "blocking"
			}
			edits = append(edits, api.Edit{Op: api.OpAddEdge, Source: f.Nodes[from].ID, Target: f.Nodes[to].ID, Type: kind})
		}
	}
	return edits
}
