package tui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/words"
)

// A commandLine returns wf commands for a shell in the working directory.
type commandLine struct {
	dir  string
	path string // of the workfile; "" = none
}

// of returns a wf command. It quotes args where necessary and names the workfile unless it is ./Workfile.
func (c commandLine) of(command string, args ...string) string {
	text := "wf " + command
	for _, arg := range args {
		text += " " + words.Quote(arg)
	}
	if c.path == "" {
		return text
	}
	path := c.path
	if rel, err := filepath.Rel(c.dir, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	if path != "Workfile" {
		text += " --file " + words.Quote(path)
	}
	return text
}

// Menus builds the menus of actions for the marked nodes or the selection. Each choice shows the equivalent command.
// If a choice could lose something, the first choice does nothing.
type menus struct {
	doc     *document
	line    commandLine
	request api.RunRequest // defaults for the runs that are started here
	ascii   bool
}

func (m *model) menus() menus {
	return menus{&m.doc, m.opt.commandLine(m.link), m.opt.Request, m.opt.ASCII}
}

// commandLine returns the commands for a workfile; l may be nil.
func (o *Options) commandLine(l *link) commandLine {
	if l == nil {
		return commandLine{}
	}
	return commandLine{o.Dir, l.path}
}

// start returns a message that starts a run with the request that change has adjusted.
func (m menus) start(change func(*api.RunRequest)) tea.Msg {
	req := m.request
	change(&req)
	return later(func() tea.Msg { return m.doc.start(req) })
}

// choice returns a choice that starts a run with the request that change has adjusted, and whose plan is shown while it is selected.
func (m menus) choice(key, label, command string, change func(*api.RunRequest)) dialog.Choice {
	req := m.request
	change(&req)
	return dialog.Choice{Key: key, Label: label, Detail: command, Do: m.start(change), Preview: &req}
}

// resume returns a message that resumes the last run.
func (m menus) resume() tea.Msg {
	return m.start(func(r *api.RunRequest) { r.Mode = api.ModeResume })
}

// run opens the menu of what can be run.
func (m menus) run() tea.Msg {
	var choices []dialog.Choice
	add := func(key, label string, nodes []string, mode string) {
		args := []string{}
		switch {
		case len(nodes) > 0:
			args = []string{"--nodes", strings.Join(nodes, ",")}
		case mode == api.ModeFresh:
			args = []string{"--fresh"}
		}
		command := "run"
		if mode == api.ModeResume {
			command, args = "resume", nil
		}
		choices = append(choices, m.choice(key, label, m.line.of(command, args...), func(r *api.RunRequest) { r.Nodes, r.Mode = nodes, mode }))
	}
	if marked := m.doc.picture.markedNodes(); len(marked) > 0 {
		add("m", words.Plural(len(marked), "marked node"), m.doc.flow.Names(marked), "")
	}
	failed := m.doc.flow.Count("").Failed + m.doc.flow.Count("").Cancelled
	if failed > 0 {
		add("f", "resume: "+words.Plural(failed, "failed node"), nil, api.ModeResume)
	}
	if selector, what := m.doc.selection(); len(selector) > 0 {
		add("s", what, selector, "")
		if m.doc.picture.repeatable() == "" { // a run cannot name the neighbours of an instance
			add("d", what+" and what follows", around(selector, "", "+"), "")
			add("u", what+" and what leads to it", around(selector, "+", ""), "")
		}
	}
	add("a", "everything, "+words.Plural(len(m.doc.flow.Nodes), "node"), nil, api.ModeFresh)
	if names, what := m.doc.partNames(); len(names) > 0 {
		choices = append(choices, dialog.Choice{Key: "p", Label: "until, from, skip or mock " + what, Do: later(m.part)})
	}
	return openDialog{&dialog.Menu{Title: "Run", Low: true, Choices: choices}}
}

// around puts texts before and after each name.
func around(names []string, before, after string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = before + name + after
	}
	return out
}

// part opens the menu for running a part of the workfile, or for running it without executing some nodes.
func (m menus) part() tea.Msg {
	names, what := m.doc.partNames()
	if len(names) == 0 {
		return nil
	}
	list := strings.Join(names, ",")
	skip := []api.Mock{{Nodes: list, Skip: true}}
	return openDialog{&dialog.Menu{Title: "Run only a part: " + what, Low: true, Choices: []dialog.Choice{
		m.choice("t", "everything before "+what, m.line.of("run", "--until", list), func(r *api.RunRequest) { r.Until = names }),
		m.choice("b", what+" and on from there", m.line.of("run", "--from", list), func(r *api.RunRequest) { r.From = names }),
		m.choice("k", "everything, but skip "+what, m.line.of("run", "--fresh", "--skip", list), func(r *api.RunRequest) { r.Mode, r.Mocks = api.ModeFresh, skip }),
		{Key: "o", Label: "everything, with a mocked result of " + what, Detail: m.line.of("run", "--fresh", "--mock", list+"=RESULT"),
			Do: m.mockPrompt(list, what)},
	}}}
}

// mockPrompt asks for the result of nodes that are not executed.
func (m menus) mockPrompt(nodes, what string) tea.Msg {
	return openDialog{&dialog.Prompt{Label: what + " ends with:", Line: dialog.NewLine("exit:0"), Hint: func(text string) (string, bool) {
		if _, err := mockOf(nodes, text); err != nil {
			return err.Error(), true
		}
		return `exit:N, or outputs as {"key": value}`, false
	}, Enter: func(text string) tea.Msg {
		mock, err := mockOf(nodes, text)
		if err != nil {
			return failed{err}
		}
		return m.start(func(r *api.RunRequest) { r.Mode, r.Mocks = api.ModeFresh, []api.Mock{mock} })
	}}}
}

// stop asks what to stop.
func (m menus) stop() tea.Msg {
	choices := []dialog.Choice{{Key: "n", Label: "nothing"}}
	if n := m.doc.selectedNode(); n != nil && m.doc.earlier == nil && stoppable(n.State) {
		choices = append(choices, dialog.Choice{Key: "s", Label: "only " + n.Name, Detail: m.line.of("stop", n.Run, "--node", n.Name), Do: stopRun(n.Run, n.ID)})
	}
	for i, r := range m.doc.flow.Status.Runs {
		key := ""
		if i == 0 {
			key = "r"
		}
		choices = append(choices, dialog.Choice{Key: key, Label: "run " + r.Run, Detail: m.line.of("stop", r.Run), Do: stopRun(r.Run, "")})
	}
	if len(m.doc.flow.Status.Runs) > 1 {
		choices = append(choices, dialog.Choice{Key: "a", Label: "all runs", Detail: m.line.of("stop", "--all"), Do: stopAll(nil)})
	}
	return openDialog{&dialog.Menu{Title: "Stop what?", Choices: choices}}
}

// stoppable reports whether a stop affects a node in this state.
func stoppable(s api.State) bool {
	switch s {
	case api.StateRunning, api.StateQueued, api.StateWaiting, api.StateRetrying:
		return true
	}
	return false
}

// leave asks for a confirmation before it stops all runs and leaves.
func (m menus) leave() tea.Msg {
	return openDialog{&dialog.Menu{Title: "Stop what runs, and leave?", Choices: []dialog.Choice{
		{Key: "n", Label: "no, stay"},
		{Key: "l", Label: "leave; runs go on", Do: leave{}},
		{Key: "s", Label: "stop all runs of this workfile, then leave", Detail: m.line.of("stop", "--all"), Do: stopAll(leave{})},
	}}}
}

// reset asks which nodes' state to clear.
func (m menus) reset() tea.Msg {
	choices := []dialog.Choice{{Key: "n", Label: "nothing"}}
	add := func(key, label string, nodes []string) {
		args := []string{}
		if len(nodes) > 0 {
			args = []string{"--nodes", strings.Join(nodes, ",")}
		}
		choices = append(choices, dialog.Choice{Key: key, Label: label, Detail: m.line.of("reset", args...), Do: reset(nodes)})
	}
	if marked := m.doc.picture.markedNodes(); len(marked) > 0 {
		add("m", words.Plural(len(marked), "marked node"), m.doc.flow.Names(marked))
	}
	if selector, what := m.doc.selection(); len(selector) > 0 && m.doc.picture.repeatable() == "" {
		add("s", what, selector)
	}
	add("a", "all "+words.Plural(len(m.doc.flow.Nodes), "node"), nil)
	return openDialog{&dialog.Menu{Title: "Clear the state of what?", Choices: choices}}
}

// status asks for the status to give to nodes without running them.
func (m menus) status() tea.Msg {
	nodes := m.doc.objects()
	if len(nodes) == 0 {
		return nil
	}
	ids, name := m.doc.flow.IDs(nodes), strings.Join(m.doc.flow.Names(nodes), ",")
	set := func(key, label, value string) dialog.Choice {
		return dialog.Choice{Key: key, Label: label, Detail: m.line.of("edit status", name, value),
			Do: edit{[]api.Edit{{Op: api.OpStatus, Nodes: ids, Value: value}}, nil}}
	}
	return openDialog{&dialog.Menu{Title: "Status of " + m.doc.called(nodes), Choices: []dialog.Choice{{Key: "n", Label: "as it is"},
		set("o", "done: it was done by hand", "ran"), set("f", "failed", "fail"), set("i", "none: it has not run", "")}}}
}

// conditions opens the menu of the edges of the selected node, to change their conditions.
func (m menus) conditions() tea.Msg {
	n := m.doc.editedNode()
	if n == nil {
		return notice{"no single node is selected", false}
	}
	f := &m.doc.flow
	i := f.Index[n.ID]
	var choices []dialog.Choice
	for _, e := range slices.Concat(f.Out[i], f.In[i]) {
		between := f.Edges[e]
		label := f.Nodes[between.From].Name + " -> " + f.Nodes[between.To].Name
		when := between.When
		if when == "" {
			when = "after a success"
		}
		// Identify the edge by ids, because the graph may have changed when the user chooses.
		change := api.Edit{Source: f.Nodes[between.From].ID, Target: f.Nodes[between.To].ID, Edge: f.EdgeNumber(e)}
		choices = append(choices, dialog.Choice{Key: fmt.Sprint(len(choices) + 1), Label: label, Detail: when, Do: whenPrompt(change, label, between.When)})
	}
	const title = "When does an edge fire?"
	switch {
	case len(choices) == 0:
		return notice{"no edge begins or ends at " + n.Name, false}
	case len(choices) > mostEdges:
		return openDialog{dialog.NewChooser(title, choices)}
	}
	return openDialog{&dialog.Menu{Title: title, Choices: choices}}
}

// whenHint lists the possible conditions.
const whenHint = "success failure done exit:2,10-20 case:NAME if:EXPR else"

// whenPrompt asks for the condition of the edge that e identifies.
func whenPrompt(e api.Edit, label, was string) tea.Msg {
	return openDialog{&dialog.Prompt{Label: label + " when:", Line: dialog.NewLine(was), Hint: func(string) (string, bool) { return whenHint, false },
		Enter: func(text string) tea.Msg {
			if text == was {
				return nil
			}
			e.Op, e.Key, e.Value, e.Was = api.OpSetEdge, "when", text, &was
			if text == "" {
				e.Op = api.OpUnsetEdge
			}
			return edit{[]api.Edit{e}, nil}
		}}}
}

// arrow returns the sign between the ends of an edge.
func (m menus) arrow() string { return cells.Either(m.ascii, " -> ", " → ") }
