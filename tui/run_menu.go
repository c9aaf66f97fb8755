package tui

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/dialog"
	"wf/tui/words"
)

// shell returns a wf command for a shell in the working directory. It quotes args where needed, and names the
// workfile if it is not ./Workfile.
func (m *model) shell(command string, args ...string) string {
	text := "wf " + command
	for _, arg := range args {
		text += " " + words.Quote(arg)
	}
	if m.link == nil {
		return text
	}
	path := m.link.path
	if rel, err := filepath.Rel(m.opt.Dir, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	if path != "Workfile" {
		text += " --file " + words.Quote(path)
	}
	return text
}

// handles returns the names of nodes, as a selector.
func (m *model) handles(nodes []int) []string {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = m.flow.Nodes[n].Name
	}
	return names
}

// selection returns a selector of the selected nodes: the handle of one, g: of a whole group, otherwise
// several handles; what describes it for the user.
func (m *model) selection() (selector []string, what string) {
	if path := m.picture.again(); path != "" {
		return []string{path}, path
	}
	nodes := m.picture.nodes()
	names := m.handles(nodes)
	switch {
	case len(names) == 0:
		return nil, ""
	case len(names) == 1:
		return names, names[0]
	}
	what = words.Plural(len(names), "node") + " of " + m.picture.layout.Name(m.picture.selected)
	if group := m.flow.Nodes[nodes[0]].Group; group != "" && m.isGroup(nodes, group) {
		return []string{"g:" + group}, what
	}
	return names, what
}

// isGroup reports whether nodes are exactly those of a group.
func (m *model) isGroup(nodes []int, group string) bool {
	if strings.ContainsAny(group, " ,*?[+") {
		return false
	}
	size := 0
	for i := range m.flow.Nodes {
		if m.flow.Nodes[i].Group == group {
			size++
		}
	}
	for _, i := range nodes {
		if m.flow.Nodes[i].Group != group {
			return false
		}
	}
	return size == len(nodes)
}

// runMenu offers what can be run, each with the command that does the same.
func (m *model) runMenu() {
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
		choices = append(choices, dialog.Choice{Key: key, Label: label, Detail: m.shell(command, args...),
			Do: func() tea.Cmd { return m.startRun(nodes, mode) }})
	}
	if marked := m.picture.markedNodes(); len(marked) > 0 {
		add("m", words.Plural(len(marked), "marked node"), m.handles(marked), "")
	}
	failed := m.flow.Count("").Failed + m.flow.Count("").Cancelled
	if failed > 0 {
		add("f", "resume: "+words.Plural(failed, "failed node"), nil, api.ModeResume)
	}
	if selector, what := m.selection(); len(selector) > 0 {
		add("s", what, selector, "")
		if m.picture.again() == "" { // an instance has nothing around it that a run could name
			add("d", what+" and what follows", around(selector, "", "+"), "")
			add("u", what+" and what leads to it", around(selector, "+", ""), "")
		}
	}
	add("a", "everything, "+words.Plural(len(m.flow.Nodes), "node"), nil, api.ModeFresh)
	choices = append(choices, m.partLine()...)
	m.open(&dialog.Menu{Title: "Run", Choices: choices})
}

// around puts texts before and after each name.
func around(names []string, before, after string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = before + name + after
	}
	return out
}

// stopMenu asks what to stop. Its first choice does nothing.
func (m *model) stopMenu() {
	choices := []dialog.Choice{{Key: "n", Label: "nothing", Detail: "", Do: nil}}
	if n := m.selectedNode(); n != nil && m.past == nil && goes(n.State) {
		id, run := n.ID, n.Run
		choices = append(choices, dialog.Choice{Key: "s", Label: "only " + n.Name, Detail: m.shell("stop", run, "--node", n.Name),
			Do: func() tea.Cmd { return m.stop(run, id, nil) }})
	}
	for i := range m.flow.Status.Runs {
		run := m.flow.Status.Runs[i].Run
		key := ""
		if i == 0 {
			key = "r"
		}
		choices = append(choices, dialog.Choice{Key: key, Label: "run " + run, Detail: m.shell("stop", run),
			Do: func() tea.Cmd { return m.stop(run, "", nil) }})
	}
	if len(m.flow.Status.Runs) > 1 {
		choices = append(choices, dialog.Choice{Key: "a", Label: "all runs", Detail: m.shell("stop", "--all"),
			Do: func() tea.Cmd { return m.stopAll(nil) }})
	}
	m.open(&dialog.Menu{Title: "Stop what?", Choices: choices})
}

// goes reports whether a stop ends a node in this state.
func goes(s api.State) bool {
	switch s {
	case api.StateRunning, api.StateQueued, api.StateWaiting, api.StateRetrying:
		return true
	}
	return false
}

// leaveMenu asks for a confirmation before it stops all runs and leaves.
func (m *model) leaveMenu() {
	m.open(&dialog.Menu{Title: "Stop what runs, and leave?", Choices: []dialog.Choice{
		{Key: "n", Label: "no, stay", Detail: "", Do: nil},
		{Key: "l", Label: "leave; runs go on", Detail: "", Do: func() tea.Cmd { m.leave(); return nil }},
		{Key: "s", Label: "stop all runs of this workfile, then leave", Detail: m.shell("stop", "--all"),
			Do: func() tea.Cmd { return m.stopAll((*model).leave) }},
	}})
}

// resetMenu asks whose state to remove.
func (m *model) resetMenu() {
	choices := []dialog.Choice{{Key: "n", Label: "nothing", Detail: "", Do: nil}}
	add := func(key, label string, nodes []string) {
		args := []string{}
		if len(nodes) > 0 {
			args = []string{"--nodes", strings.Join(nodes, ",")}
		}
		choices = append(choices, dialog.Choice{Key: key, Label: label, Detail: m.shell("reset", args...),
			Do: func() tea.Cmd { return m.reset(nodes) }})
	}
	if marked := m.picture.markedNodes(); len(marked) > 0 {
		add("m", words.Plural(len(marked), "marked node"), m.handles(marked))
	}
	if selector, what := m.selection(); len(selector) > 0 && m.picture.again() == "" {
		add("s", what, selector)
	}
	add("a", "all "+words.Plural(len(m.flow.Nodes), "node"), nil)
	m.open(&dialog.Menu{Title: "Clear the state of what?", Choices: choices})
}

// command shows and copies the command for what the screen shows.
func (m *model) command() tea.Cmd {
	text := m.equivalent()
	m.say(text+"   (copied)", false)
	return tea.SetClipboard(text)
}

// equivalent returns the command for what the screen shows.
func (m *model) equivalent() string {
	n := m.selectedNode()
	run := ""
	if m.past != nil {
		run = m.past.run + "/"
	}
	switch {
	case (m.page == logPage || m.pane == sidePane && !m.inspect) && n != nil:
		return m.shell("logs", run+n.Name)
	case m.inspect && n != nil:
		return m.shell("why", run+n.Name)
	case len(m.picture.markedNodes()) > 0:
		return m.shell("run", "--nodes", strings.Join(m.handles(m.picture.markedNodes()), ","))
	case m.past != nil:
		return m.shell("runs show", m.past.run)
	case m.running():
		return m.shell("attach", m.flow.Current().Run)
	}
	return m.shell("status")
}

// copyCommand copies the command of the selected node.
func (m *model) copyCommand() tea.Cmd {
	n := m.selectedNode()
	if n == nil {
		m.say("no single node is selected", false)
		return nil
	}
	m.say("copied the command of "+n.Name, false)
	return tea.SetClipboard(n.Command)
}
