package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/dialog"
)

// conditions lists the edges of the selected node, to change their conditions.
func (m *model) conditions() {
	n := m.editedNode()
	if n == nil {
		m.say("no single node is selected", false)
		return
	}
	i := m.flow.Index[n.ID]
	var choices []dialog.Choice
	for _, e := range slices.Concat(m.flow.Out[i], m.flow.In[i]) {
		edge := m.flow.Edges[e]
		label := m.flow.Nodes[edge.From].Name + " -> " + m.flow.Nodes[edge.To].Name
		when := edge.When
		if when == "" {
			when = "after a success"
		}
		edit := api.Edit{Source: m.flow.Nodes[edge.From].ID, Target: m.flow.Nodes[edge.To].ID, Edge: m.flow.EdgeNumber(e)}
		choices = append(choices, dialog.Choice{Key: fmt.Sprint(len(choices) + 1), Label: label, Detail: when, Do: func() tea.Cmd {
			m.whenPrompt(edit, label, edge.When) // the graph may be another one by then
			return nil
		}})
	}
	if len(choices) == 0 {
		m.say("no edge begins or ends at "+n.Name, false)
		return
	}
	if len(choices) > 9 {
		m.open(dialog.NewChooser("When does an edge fire?", choices))
		return
	}
	m.open(&dialog.Menu{Title: "When does an edge fire?", Choices: choices})
}

// whenHint names the conditions there are.
const whenHint = "success failure done exit:2,10-20 case:NAME if:EXPR else"

// whenPrompt asks for the condition of the edge that e names.
func (m *model) whenPrompt(e api.Edit, label, was string) {
	m.open(&dialog.Prompt{Label: label + " when:", Line: dialog.NewLine(was), Hint: func(string) (string, bool) { return whenHint, false },
		Enter: func(text string) tea.Cmd {
			if text == was {
				return nil
			}
			e.Op, e.Key, e.Value, e.Was = api.OpSetEdge, "when", text, &was
			if text == "" {
				e.Op = api.OpUnsetEdge
			}
			return m.change([]api.Edit{e})
		}})
}
