package tui

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/client/runview"
	"wf/tui/cells"
	"wf/tui/drawing"
	"wf/tui/logview"
	"wf/tui/plain"
	"wf/tui/words"
)

// innerTarget sets what the log shows of a selection in a sub-flow; it returns false for any other selection.
func (m *model) innerTarget(t *logview.Target) bool {
	in := m.picture.innerOf()
	if in == nil || m.page == logPage && len(m.picture.marked) > 0 {
		return false
	}
	add := func(n *api.NodeStatus) {
		if hasOutput(n.State) && n.Instances == nil && len(t.Nodes) < logview.MaxSources {
			t.Nodes, t.Names = append(t.Nodes, n.ID), append(t.Names, n.Name)
			t.Started += fmt.Sprint(n.Run, "/", n.Executions, " ")
		}
	}
	switch {
	case in.node != nil:
		add(in.node)
	case in.kind == anInstance:
		for _, n := range m.picture.nodesOf(in.path) {
			add(&n)
		}
	}
	if len(t.Nodes) == 1 && t.Nodes[0] == m.pick.node {
		t.Execution = m.pick.execution
	}
	return true
}

// nodesOf returns the known nodes of an instance.
func (p *picture) nodesOf(instance string) []api.NodeStatus {
	if own := p.pages[instance]; own != nil && own.known {
		return own.nodes[0]
	}
	open := strings.LastIndexByte(instance, '[')
	if page := p.pages[instance[:max(open, 0)]]; page != nil {
		return page.nodes[runview.InstanceNumber(instance)]
	}
	return nil
}

// innerHint returns why there is no log of a selection in a sub-flow, or "".
func (m *model) innerHint() string {
	if in := m.picture.innerOf(); in != nil {
		switch {
		case in.kind == aTemplate:
			return "it runs in each instance: these have the output"
		case in.kind == anInstance && m.picture.nodesOf(in.path) == nil:
			return cells.Either(m.opt.ASCII, "Enter", "⏎") + " shows its nodes and what they said"
		case in.kind == aCount:
			return ""
		case in.kind == aPage:
			return cells.Either(m.opt.ASCII, "Enter", "⏎") + " shows them"
		}
		return ""
	}
	if n := m.selectedNode(); n != nil && n.SubFlow != "" {
		return cells.Either(m.opt.ASCII, "Enter", "⏎") + " shows its instances: these have the output"
	}
	return ""
}

// innerTitle draws the title of the side pane for an instance, a page or a template.
func (m *model) innerTitle(a cells.Area, in *innerRow, st cells.Style) int {
	row := &m.picture.graph.Rows[m.picture.selected.Index]
	if in.kind == aTemplate {
		n := &m.shown().Nodes[in.member]
		a.Put(0, 0, cells.Clip(n.Name+"  in each instance of "+m.shown().Nodes[row.Node].Name, a.Width, m.opt.ASCII), st)
		a.Put(0, 1, cells.Clip(plain.Command(n.Command, m.opt.ASCII), a.Width, m.opt.ASCII), cells.Dimmed)
		return 2
	}
	x := 0
	if row.Note == drawing.NoNote {
		x = a.Put(0, 0, words.LookOf(in.state).Sign(m.opt.ASCII)+" ", stateStyle(in.state))
	}
	x = a.Put(x, 0, cells.ClipMiddle(plain.Line(cmp.Or(in.name, in.path)), max(8, a.Width/2), m.opt.ASCII), st)
	text := row.Detail
	if row.Note != drawing.NoNote {
		text = row.Name
	}
	a.Put(x, 0, cells.Clip("  "+text, a.Width-x, m.opt.ASCII), cells.Dimmed)
	return 1
}

// controlLines adds the control flow of a node to the inspector.
func (m *model) controlLines(n *api.NodeStatus, field func(name, text string)) {
	if n.Wait != nil {
		text := waitText(n, m.now)
		if n.Wait.Until != nil {
			text += ", until " + n.Wait.Until.Local().Format(time.DateTime)
		}
		field("waits", text)
	}
	if n.Attempt > 0 {
		field("attempts", words.Plural(n.Attempt, "repetition")+" so far")
	}
	if n.Handled {
		field("failure", "handled: an edge leads on from it")
	}
	if n.Mocked {
		field("not executed", "its end was given when the run was asked for")
	}
	if n.SubFlow != "" {
		field("sub-flow", n.SubFlow+": "+m.instancesText(n))
	}
	field("item", n.Item)
	field("outputs", outputsText(m.why.outputs))
}

// instancesText returns the counts of the instances of a sub-flow.
func (m *model) instancesText(n *api.NodeStatus) string {
	if n.Instances == nil {
		return "it has not begun"
	}
	text := fmt.Sprintf("%d begun", n.Instances.Begun)
	if n.Instances.Total > 0 {
		text += fmt.Sprintf(" of %d", n.Instances.Total)
	}
	return text + ", " + strings.Join(words.CountParts(n.Instances.Counts, "idle"), ", ")
}

// outputsText returns outputs, one in a line.
func outputsText(outputs map[string]any) string {
	var lines []string
	for key, value := range outputs {
		text, isText := value.(string)
		if !isText {
			data, err := json.Marshal(value)
			if err != nil {
				continue // nothing that came as JSON
			}
			text = string(data)
		}
		lines = append(lines, plain.Line(key)+" = "+plain.Text(text))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// wayText returns the condition of an edge, and whether it has fired.
func wayText(e *runview.Edge) string {
	var parts []string
	if e.When != "" {
		parts = append(parts, "when "+e.When)
	}
	switch {
	case e.Taken:
		parts = append(parts, "taken")
	case e.Dead:
		parts = append(parts, "not taken")
	}
	if parts == nil || e.When == "" && !e.Dead {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
