package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/words"
)

// follow keeps the side pane on what is selected. It is called after each message, and asks the daemon
// only when the selection, or what it has done, has changed.
func (m *model) follow() tea.Cmd {
	if m.link == nil || m.link.ws == nil || m.nothingOpen() || m.page != mainPage && m.page != logPage {
		return nil
	}
	if inspects(m) {
		return m.explain()
	}
	m.log.hint = "it has not run yet"
	if len(m.picture.nodes()) > 1 {
		m.log.hint = "nothing of it runs or has failed"
	}
	if nodes := m.picture.nodes(); len(nodes) == 1 && m.flow.fromFile(nodes[0]) {
		m.log.hint = "it has not run here: its state came with the file"
	}
	if hint := m.innerHint(); hint != "" {
		m.log.hint = hint
	}
	return tea.Batch(m.log.show(m.link.ws, m.target()), m.log.more())
}

// target is what the log is to show: of the marked nodes on the whole screen, else of the selection;
// of a stage what failed and what runs.
func (m *model) target() logTarget {
	f := m.shown()
	nodes := m.picture.nodes()
	if m.page == logPage {
		if marked := m.picture.markedNodes(); len(marked) > 0 {
			nodes = marked
		}
	}
	t := logTarget{}
	if m.past != nil {
		t.run = m.past.run
	}
	if m.innerTarget(&t) {
		return t
	}
	for _, i := range nodes {
		n := &f.nodes[i]
		if !hasOutput(n.State) || n.SubFlow != "" || !f.outer(i) {
			continue
		}
		if len(nodes) > 1 && len(m.picture.marked) == 0 && n.State != api.StateFailed && n.State != api.StateRunning {
			continue
		}
		if len(t.nodes) == maxSources {
			break
		}
		t.nodes, t.names = append(t.nodes, n.ID), append(t.names, n.Name)
		t.started += fmt.Sprint(n.Run, "/", n.Executions, " ")
	}
	if len(t.nodes) == 1 && t.nodes[0] == m.pick.node {
		t.execution = m.pick.execution
	}
	return t
}

// hasOutput says whether a node in a state has been executed: while it waits, its output is of before.
func hasOutput(s api.State) bool {
	switch s {
	case api.StateRunning, api.StateOK, api.StateFailed, api.StateCancelled, api.StateKept, api.StateRetrying:
		return true
	}
	return false
}

// picked is an execution that a person chose to see, instead of the latest.
type picked struct {
	node      string
	execution int
}

// otherExecution shows the execution before or after.
func (m *model) otherExecution(next bool) {
	if len(m.log.infos) != 1 {
		m.say("several nodes: each with its latest execution", false)
		return
	}
	info := m.log.infos[0]
	of := info.Execution
	if n := m.selectedNode(); n != nil {
		of = max(of, n.Executions)
	}
	at := info.Execution - 1
	if next {
		at = info.Execution + 1
	}
	if at >= 1 && at <= of {
		m.pick = picked{m.log.target.nodes[0], at}
	} else {
		at = info.Execution
	}
	m.say(fmt.Sprintf("execution %d of %d", at, of), false)
}

// searchPrompt asks what to look for in the log.
func (m *model) searchPrompt() {
	p := &prompt{label: "/", line: line{most: longestWord}}
	p.history = &m.searches
	p.enter = func(m *model, text string) tea.Cmd {
		m.log.search(text)
		if text == "" {
			m.say("nothing is searched for any more", false)
			return nil
		}
		return m.nextMatch(!m.log.follow) // at the end, the latest is what people look for
	}
	m.open(p)
}

// nextMatch goes to the next line that matches, or to the one before, anywhere in the output.
func (m *model) nextMatch(forward bool) tea.Cmd {
	v := &m.log
	if v.pattern == nil {
		m.say("nothing is searched for: / begins", false)
		return nil
	}
	if v.jump(forward) {
		v.looking, v.turn = nil, nil
		return nil
	}
	cmd, ok := v.lookOn(forward)
	if !ok {
		m.say("no more lines with "+v.term, false)
	}
	return cmd
}

// onlyMatches leaves out the lines of this log that do not match, or shows all again.
func (m *model) onlyMatches() tea.Cmd {
	v := &m.log
	switch {
	case v.pattern == nil:
		m.searchPrompt()
		return nil
	case v.only:
		v.showOnly(false)
		m.say("all lines are shown", false)
		return nil
	case v.matches() == 0 && !v.unsearched():
		m.say("no line with "+v.term+" here: all lines are shown", true)
		return nil
	}
	m.say("only lines with "+v.term+" are shown: & shows all", false)
	if v.showOnly(true) {
		return nil
	}
	cmd, _ := v.lookOn(false) // all matches are before what is followed
	return cmd
}

// nextStream goes from both streams to standard output to standard error.
func (m *model) nextStream() {
	if infos := m.log.infos; len(infos) > 0 && !slices.ContainsFunc(infos, func(i api.LogInfo) bool { return !i.Merged }) {
		m.say("standard output and standard error are one output here (output=split keeps them apart)", false)
		return
	}
	m.log.stream = map[string]string{"": stdout, stdout: stderr, stderr: ""}[m.log.stream]
	m.log.recount()
	m.log.toEnd()
	m.say("showing "+map[string]string{"": "both streams", stdout: "standard output", stderr: "standard error"}[m.log.stream], false)
}

// copyBytes bounds what is copied: terminals take no more.
const copyBytes = 64 << 10

func (m *model) copyLog() tea.Cmd {
	text := m.log.text()
	what := words.Plural(len(text), "byte")
	if len(text) > copyBytes {
		text = text[len(text)-copyBytes:]
		what = "the last 64 KB"
	}
	m.say("copied "+what+" of the log", false)
	return tea.SetClipboard(text)
}
