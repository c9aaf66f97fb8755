package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/dialog"
	"wf/tui/logview"
	"wf/tui/words"
)

// follow keeps the side pane on the selection. It is called after each message, and asks the daemon only if
// the selection or its state has changed.
func (m *model) follow() tea.Cmd {
	if m.link == nil || m.link.ws == nil || m.nothingOpen() || m.page != mainPage && m.page != logPage {
		return nil
	}
	if inspects(m) {
		return m.explain()
	}
	m.log.Hint = "it has not run yet"
	if len(m.picture.nodes()) > 1 {
		m.log.Hint = "nothing of it runs or has failed"
	}
	if nodes := m.picture.nodes(); len(nodes) == 1 && fromFile(&m.flow, nodes[0]) {
		m.log.Hint = "it has not run here: its state came with the file"
	}
	if hint := m.innerHint(); hint != "" {
		m.log.Hint = hint
	}
	return tea.Batch(m.log.Show(m.link.ws, m.target()), m.log.More())
}

// target returns what the log is to show: on the whole screen the marked nodes, otherwise the selection; of a
// stage what failed and what runs.
func (m *model) target() logview.Target {
	f := m.shown()
	nodes := m.picture.nodes()
	if m.page == logPage {
		if marked := m.picture.markedNodes(); len(marked) > 0 {
			nodes = marked
		}
	}
	t := logview.Target{}
	if m.past != nil {
		t.Run = m.past.run
	}
	if m.innerTarget(&t) {
		return t
	}
	for _, i := range nodes {
		n := &f.Nodes[i]
		if !hasOutput(n.State) || n.SubFlow != "" || !f.Outer(i) {
			continue
		}
		if len(nodes) > 1 && len(m.picture.marked) == 0 && n.State != api.StateFailed && n.State != api.StateRunning {
			continue
		}
		if len(t.Nodes) == logview.MaxSources {
			break
		}
		t.Nodes, t.Names = append(t.Nodes, n.ID), append(t.Names, n.Name)
		t.Started += fmt.Sprint(n.Run, "/", n.Executions, " ")
	}
	if len(t.Nodes) == 1 && t.Nodes[0] == m.pick.node {
		t.Execution = m.pick.execution
	}
	return t
}

// hasOutput reports whether a node in this state has output of its latest execution.
func hasOutput(s api.State) bool {
	switch s {
	case api.StateRunning, api.StateOK, api.StateFailed, api.StateCancelled, api.StateKept, api.StateRetrying:
		return true
	}
	return false
}

// A picked is an execution that the user chose instead of the latest.
type picked struct {
	node      string
	execution int
}

// otherExecution shows the execution before or after.
func (m *model) otherExecution(next bool) {
	info, ok := m.log.Info()
	if !ok {
		m.say("several nodes: each with its latest execution", false)
		return
	}
	of := info.Execution
	if n := m.selectedNode(); n != nil {
		of = max(of, n.Executions)
	}
	at := info.Execution - 1
	if next {
		at = info.Execution + 1
	}
	if at >= 1 && at <= of {
		m.pick = picked{m.log.Target().Nodes[0], at}
	} else {
		at = info.Execution
	}
	m.say(fmt.Sprintf("execution %d of %d", at, of), false)
}

// searchPrompt asks what to look for in the log.
func (m *model) searchPrompt() {
	p := &dialog.Prompt{Label: "/", Line: dialog.Line{Max: dialog.LongestWord}}
	p.History = &m.searches
	p.Enter = func(text string) tea.Cmd {
		m.log.Search(text)
		if text == "" {
			m.say("nothing is searched for any more", false)
			return nil
		}
		return m.sayNote(m.log.Next(!m.log.Following())) // at the end the latest match is the interesting one
	}
	m.open(p)
}

// sayNote shows a note of the log and returns its command.
func (m *model) sayNote(n logview.Note, cmd tea.Cmd) tea.Cmd {
	if n.Text != "" {
		m.say(n.Text, n.Bad)
	}
	return cmd
}

// onlyMatches leaves out the lines of the log that do not match, or shows all again. It asks first what to search
// for if that is not known.
func (m *model) onlyMatches() tea.Cmd {
	if !m.log.Searching() {
		m.searchPrompt()
		return nil
	}
	return m.sayNote(m.log.ToggleOnly())
}

// copyBytes is the most bytes that are copied: terminals take no more.
const copyBytes = 64 << 10

func (m *model) copyLog() tea.Cmd {
	text := m.log.Text()
	what := words.Plural(len(text), "byte")
	if len(text) > copyBytes {
		text = text[len(text)-copyBytes:]
		what = "the last 64 KB"
	}
	m.say("copied "+what+" of the log", false)
	return tea.SetClipboard(text)
}
