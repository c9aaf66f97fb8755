package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// equivalent returns the wf command that shows the same as the screen.
func (m *model) equivalent() string {
	n, line := m.doc.selectedNode(), m.opt.commandLine(m.link)
	run := m.doc.earlierNumber()
	if run != "" {
		run += "/"
	}
	marked := m.doc.picture.markedNodes()
	switch {
	case (m.page == logPage || m.panes.active == sidePane && !m.side.inspect) && n != nil:
		if m.side.log.Times {
			return line.of("logs", "--timestamps", run+n.Name)
		}
		return line.of("logs", run+n.Name)
	case m.side.inspect && n != nil:
		return line.of("why", run+n.Name)
	case len(marked) > 0:
		return line.of("run", "--nodes", strings.Join(m.doc.flow.Names(marked), ","))
	case m.doc.earlier != nil:
		return line.of("runs show", m.doc.earlier.run)
	case m.doc.running():
		return line.of("attach", m.doc.flow.Current().Run)
	}
	return line.of("status")
}

// copied copies a text to the clipboard and shows a sentence about it.
func copied(said, text string) tea.Msg {
	return messages{notice{said, false}, tea.SetClipboard(text)}
}

// copyCommand copies the command of the selected node.
func (d *document) copyCommand() tea.Msg {
	n := d.selectedNode()
	if n == nil {
		return notice{"no single node is selected", false}
	}
	return copied("copied the command of "+n.Name, n.Command)
}
