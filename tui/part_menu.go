package tui

import (
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/dialog"
	"wf/tui/words"
)

// partChoices returns choices to run a part of the workfile, or to run it without executing some nodes: the
// marked ones, otherwise those of the selection.
func (m *model) partChoices() []dialog.Choice {
	names, what := m.partNames()
	if len(names) == 0 {
		return nil
	}
	list := strings.Join(names, ",")
	run := func(change func(*api.RunRequest)) func() tea.Cmd {
		return func() tea.Cmd {
			req := m.opt.Request
			change(&req)
			return m.beginRun(req)
		}
	}
	skip := []api.Mock{{Nodes: list, Skip: true}}
	return []dialog.Choice{
		{Key: "t", Label: "everything before " + what, Detail: m.shell("run", "--until", list), Do: run(func(r *api.RunRequest) { r.Until = names })},
		{Key: "b", Label: what + " and on from there", Detail: m.shell("run", "--from", list), Do: run(func(r *api.RunRequest) { r.From = names })},
		{Key: "k", Label: "everything, but skip " + what, Detail: m.shell("run", "--fresh", "--skip", list),
			Do: run(func(r *api.RunRequest) { r.Mode, r.Mocks = api.ModeFresh, skip })},
		{Key: "o", Label: "everything, with a made-up end of " + what, Detail: m.shell("run", "--fresh", "--mock", list+"=RESULT"),
			Do: func() tea.Cmd { m.mockPrompt(list, what); return nil }},
	}
}

// partNames returns the nodes that a partial run begins or ends with.
func (m *model) partNames() (names []string, what string) {
	marked := m.picture.markedNodes()
	if len(marked) > 0 {
		return m.handles(marked), words.Plural(len(marked), "marked node")
	}
	if in := m.picture.innerOf(); in != nil && in.node != nil {
		name := cmp.Or(in.name, in.path)
		return []string{name}, name
	}
	if m.picture.again() != "" { // an instance is no part of the workfile: its sub-flow is
		names = m.handles(m.picture.nodes())
		return names, strings.Join(names, ", ")
	}
	return m.selection()
}

// mockPrompt asks how nodes that are not executed shall end.
func (m *model) mockPrompt(nodes, what string) {
	m.open(&dialog.Prompt{Label: what + " ends with:", Line: dialog.NewLine("exit:0"), Hint: func(text string) (string, bool) {
		if _, err := mockOf(nodes, text); err != nil {
			return err.Error(), true
		}
		return `exit:N, or outputs as {"key": value}`, false
	}, Enter: func(text string) tea.Cmd {
		mock, err := mockOf(nodes, text)
		if err != nil {
			m.fail(err)
			return nil
		}
		req := m.opt.Request
		req.Mode, req.Mocks = api.ModeFresh, []api.Mock{mock}
		return m.beginRun(req)
	}})
}

// mockOf reads the end of a node.
func mockOf(nodes, text string) (api.Mock, error) {
	mock := api.Mock{Nodes: nodes}
	if code, ok := strings.CutPrefix(strings.TrimSpace(text), "exit:"); ok {
		n, err := strconv.Atoi(code)
		if err != nil || n < 0 || n > 255 {
			return mock, errors.New("an exit code is a number from 0 to 255")
		}
		mock.Exit = n
		return mock, nil
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&mock.Outputs); err != nil || mock.Outputs == nil || dec.More() {
		return mock, errors.New("must be exit:N or a JSON object")
	}
	return mock, nil
}

// partMenu opens the menu of partChoices.
func (m *model) partMenu() {
	choices := m.partChoices()
	_, what := m.partNames()
	m.open(&dialog.Menu{Title: "Run a part, or not all of it: " + what, Choices: choices})
}

// partLine returns the choice that opens partMenu.
func (m *model) partLine() []dialog.Choice {
	names, what := m.partNames()
	if len(names) == 0 {
		return nil
	}
	return []dialog.Choice{{Key: "p", Label: "until, from, skip or mock " + what, Detail: "", Do: func() tea.Cmd {
		m.partMenu()
		return nil
	}}}
}
