package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client/runview"
	"wf/tui/dialog"
	"wf/tui/words"
)

// unconfirmedNodes is how many nodes can be deleted without typing yes.
const unconfirmedNodes = 5

// mostEdges is the maximum number of edges in a menu. More edges are listed in a chooser.
const mostEdges = 9

// delete asks what to delete: the marked nodes or the selection, with or without connecting their neighbours, or only
// edges.
func (m menus) delete() tea.Msg {
	nodes := m.doc.objects()
	if len(nodes) == 0 {
		return nil
	}
	ids, names := m.doc.flow.IDs(nodes), m.doc.flow.Names(nodes)
	touching := m.doc.flow.Touching(nodes)
	choices := []dialog.Choice{{Key: "n", Label: "cancel"}}
	what := m.doc.called(nodes)
	only := "delete " + what
	if len(touching) > 0 {
		only += fmt.Sprintf(" and its %s", words.Plural(len(touching), "edge"))
		if len(nodes) > 1 {
			only = strings.Replace(only, " its ", " their ", 1)
		}
	}
	choices = append(choices, dialog.Choice{Key: "d", Label: only, Detail: m.line.of("edit remove-node", names...), Do: m.confirmDelete(ids, false)})
	if bridges := bridges(&m.doc.flow, nodes); len(bridges) > 0 {
		label := "delete " + what + ", connect the neighbours"
		choices = append(choices, dialog.Choice{Key: "b", Label: label, Detail: words.Plural(len(bridges), "new edge"), Do: m.confirmDelete(ids, true)})
	}
	if len(touching) > 1 {
		choices = append(choices, dialog.Choice{Key: "e", Label: "only " + words.Plural(len(touching), "edge"), Do: later(func() tea.Msg {
			return edit{removeEdges(&m.doc.flow, m.doc.flow.Touching(m.doc.flow.Find(ids))), nil}
		})})
	}
	switch {
	case len(nodes) > 1: // the edges of many nodes are too many to list
	case len(touching) > mostEdges:
		choices = append(choices, dialog.Choice{Key: "o", Label: "only one of its edges", Do: later(func() tea.Msg {
			return openDialog{dialog.NewChooser("Delete which edge of "+what+"?", m.edges(m.doc.flow.Touching(m.doc.flow.Find(ids))))}
		})})
	default:
		choices = append(choices, m.edges(touching)...)
	}
	return openDialog{&dialog.Menu{Title: "Delete?", Choices: choices}}
}

// edges returns the choices that delete one edge each.
func (m menus) edges(edges []int) (choices []dialog.Choice) {
	f := &m.doc.flow
	for i, e := range edges {
		from, to := f.Nodes[f.Edges[e].From], f.Nodes[f.Edges[e].To]
		remove := api.Edit{Op: api.OpRemoveEdge, Source: from.ID, Target: to.ID, Edge: f.EdgeNumber(e)}
		args := []string{from.Name, to.Name}
		if remove.Edge != "" {
			args = append(args, "--edge", remove.Edge)
		}
		choices = append(choices, dialog.Choice{Key: fmt.Sprint(i + 1), Label: "only the edge " + from.Name + m.arrow() + to.Name,
			Detail: m.line.of("edit remove-edge", args...), Do: edit{[]api.Edit{remove}, nil}})
	}
	return choices
}

// confirmDelete removes a few nodes at once; for many it first asks the user to type "yes".
func (m menus) confirmDelete(ids []string, bridge bool) tea.Msg {
	remove := later(func() tea.Msg { return m.doc.removeNodes(ids, bridge) })
	if len(ids) <= unconfirmedNodes {
		return remove
	}
	return openDialog{&dialog.Prompt{Label: fmt.Sprintf("delete %d nodes? type yes:", len(ids)), Enter: func(text string) tea.Msg {
		if strings.TrimSpace(text) != "yes" {
			return notice{"nothing was deleted", false}
		}
		return remove
	}}}
}

// removeNodes removes nodes; with bridge set it first connects their neighbours.
func (d *document) removeNodes(ids []string, bridge bool) tea.Msg {
	nodes := d.flow.Find(ids)
	if len(nodes) == 0 {
		return notice{"another client has deleted it already", false}
	}
	var edits []api.Edit
	if bridge {
		edits = bridges(&d.flow, nodes)
	}
	d.picture.unmarkAll()
	return edit{append(edits, api.Edit{Op: api.OpRemoveNode, Nodes: d.flow.IDs(nodes)}), nil}
}

// removeEdges returns edits that remove edges. Parallel edges between two nodes are removed together.
func removeEdges(f *runview.Workfile, edges []int) (edits []api.Edit) {
	seen := map[[2]int]bool{}
	for _, e := range edges {
		ends := [2]int{f.Edges[e].From, f.Edges[e].To}
		if !seen[ends] {
			seen[ends] = true
			edits = append(edits, api.Edit{Op: api.OpRemoveEdge, Source: f.Nodes[ends[0]].ID, Target: f.Nodes[ends[1]].ID, Edge: api.EveryEdge})
		}
	}
	return edits
}

// bridges returns the edits that keep the order of the neighbours when nodes are removed: an edge from each node
// before them to each node that a path through them leads to. The edge is blocking if all edges of such a path are.
// Existing edges stay unchanged.
func bridges(f *runview.Workfile, nodes []int) (edits []api.Edit) {
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
