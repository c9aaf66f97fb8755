package tui

import (
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/words"
)

// partChoices offer to run only a part of the workfile, or to run it without executing some nodes: the
// marked ones, else those of the selection.
func (m *model) partChoices() []choice {
	names, what := m.partNames()
	if len(names) == 0 {
		return nil
	}
	list := strings.Join(names, ",")
	run := func(change func(*api.RunRequest)) func(*model) tea.Cmd {
		return func(m *model) tea.Cmd {
			req := m.opt.Request
			change(&req)
			return m.beginRun(req)
		}
	}
	skip := []api.Mock{{Nodes: list, Skip: true}}
	return []choice{
		{"t", "everything before " + what, m.shell("run", "--until", list), run(func(r *api.RunRequest) { r.Until = names })},
		{"b", what + " and on from there", m.shell("run", "--from", list), run(func(r *api.RunRequest) { r.From = names })},
		{"k", "everything, but skip " + what, m.shell("run", "--fresh", "--skip", list),
			run(func(r *api.RunRequest) { r.Mode, r.Mocks = api.ModeFresh, skip })},
		{"o", "everything, with a made-up end of " + what, m.shell("run", "--fresh", "--mock", list+"=RESULT"),
			func(m *model) tea.Cmd { m.mockPrompt(list, what); return nil }},
	}
}

// partNames are the nodes that a part of a run begins or ends with.
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

// mockPrompt asks how nodes are to end that are not executed.
func (m *model) mockPrompt(nodes, what string) {
	m.open(&prompt{label: what + " ends with:", line: newLine("exit:0"), hint: func(_ *model, text string) (string, bool) {
		if _, err := mockOf(nodes, text); err != nil {
			return err.Error(), true
		}
		return `exit:N, or outputs as {"key": value}`, false
	}, enter: func(m *model, text string) tea.Cmd {
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

// mockOf reads how a node ends.
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

// partMenu offers them.
func (m *model) partMenu() {
	choices := m.partChoices()
	_, what := m.partNames()
	m.open(&menu{title: "Run a part, or not all of it: " + what, choices: choices})
}

// partLine leads to partMenu.
func (m *model) partLine() []choice {
	names, what := m.partNames()
	if len(names) == 0 {
		return nil
	}
	return []choice{{"p", "until, from, skip or mock " + what, "", func(m *model) tea.Cmd {
		m.partMenu()
		return nil
	}}}
}
