package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/cells"
	"wf/tui/plain"
	"wf/tui/words"
)

// A whyView is the state of the inspector: why the selected node is as it is, in the words of wf why.
type whyView struct {
	of   string // what was asked for: node, run and state
	node string
	run  string
	text []string
	err  error

	outputs map[string]any
	lines   []cells.Span
	top     int
	height  int // of the latest drawing
}

// showInspector changes the side pane between the inspector and the log.
func (m *model) showInspector() tea.Cmd {
	m.inspect = !m.inspect
	m.why.top = 0
	return nil
}

// explain asks for the reasons of the selected node if they may have changed.
func (m *model) explain() tea.Cmd {
	n := m.selectedNode()
	if n == nil || m.link == nil || m.link.ws == nil {
		return nil
	}
	run := ""
	if m.past != nil {
		run = m.past.run
	}
	of := fmt.Sprintln(n.ID, run, n.State, n.Executions, n.Attempt, n.Wait != nil, m.asking.decided[n.ID])
	if m.why.of == of {
		return m.explainRun(n.Run)
	}
	if m.why.node != n.ID {
		m.why = whyView{}
	}
	m.why.of, m.why.node, m.why.run = of, n.ID, run
	id := n.ID
	return requestFor(m, requestTime, func(ctx context.Context, ws *client.Workspace) (whyAnswer, error) {
		a := whyAnswer{}
		a.why, a.err = ws.Why(ctx, id, run)
		if out, err := ws.Outputs(ctx, id, run); err == nil { // without any there is nothing to show
			a.outputs = out.Outputs
		}
		return a, nil
	}, func(m *model, a whyAnswer) tea.Cmd {
		if m.why.of == of {
			m.why.text, m.why.err, m.why.outputs = a.why.Text, a.err, a.outputs
		}
		return nil
	})
}

type whyAnswer struct {
	why     api.Why
	outputs map[string]any
	err     error
}

// drawWhy draws the inspector.
func (m *model) drawWhy(a cells.Area) {
	lines := m.whyLines(a.Width)
	m.why.lines, m.why.height = lines, a.Height
	m.why.top = min(m.why.top, max(0, len(lines)-a.Height))
	for y, line := range lines[m.why.top:] {
		if y >= a.Height {
			break
		}
		a.Put(0, y, line.Text, line.Style)
	}
}

// whyLines returns the lines of the inspector.
func (m *model) whyLines(width int) []cells.Span {
	n := m.selectedNode()
	if n == nil {
		return m.stageLines(width)
	}
	var out []cells.Span
	add := func(st cells.Style, text string) {
		for _, line := range cells.Wrap(text, width) {
			out = append(out, cells.Span{Text: line, Style: st})
		}
	}
	field := func(name, text string) {
		if text != "" {
			add(cells.Dimmed, name)
			add(cells.Plain, "  "+strings.ReplaceAll(text, "\n", "\n  "))
		}
	}
	for _, text := range m.why.text {
		add(cells.Plain, plain.Line(text))
	}
	if m.why.err != nil {
		add(cells.Bad, words.Error(m.why.err))
	}
	m.controlLines(n, field)
	field("command", n.Command)
	field("group", n.Group)
	field("after", words.NameList(m.neighbours(n, false), 12))
	field("before", words.NameList(m.neighbours(n, true), 12))
	field("times", m.times(n))
	field("id", plain.Line(n.ID))
	if m.ranWith.run != "" && m.ranWith.run == n.Run {
		field("run "+n.Run, m.ranWith.text)
	}
	return out
}

// neighbours returns the names of the nodes before a node, or after it.
func (m *model) neighbours(n *api.NodeStatus, after bool) []string {
	f := m.shown()
	i, known := f.Index[n.ID]
	if !known {
		if i = m.picture.node(); i < 0 { // of an instance
			return nil
		}
	}
	edges := f.In[i]
	if after {
		edges = f.Out[i]
	}
	var names []string
	for _, e := range edges {
		other := f.Edges[e].From
		if after {
			other = f.Edges[e].To
		}
		name := f.Nodes[other].Name
		if f.Edges[e].NonBlocking {
			name += " (non-blocking)"
		}
		name += wayText(&f.Edges[e])
		names = append(names, name)
	}
	return names
}

// times returns when a node ran, and how long it takes.
func (m *model) times(n *api.NodeStatus) string {
	var parts []string
	if n.Started != nil {
		parts = append(parts, "started "+n.Started.Local().Format(time.TimeOnly))
	}
	if took := words.SpanMS(n.DurationMS); took != "" {
		parts = append(parts, "took "+took)
	}
	if x, known := m.flow.Expected[n.ID]; known {
		parts = append(parts, "usually "+words.Span(x.Own))
	}
	if n.Executions > 1 {
		parts = append(parts, words.Plural(n.Executions, "execution"))
	}
	return strings.Join(parts, ", ")
}

// stageLines returns the nodes of a stage.
func (m *model) stageLines(width int) []cells.Span {
	f := m.shown()
	var c api.Counts
	nodes := m.picture.nodes()
	for _, i := range nodes {
		c.Add(f.Nodes[i].Counted())
	}
	if len(nodes) == 0 {
		return nil
	}
	var out []cells.Span
	for _, line := range cells.Wrap(strings.Join(words.CountParts(c, "idle"), ", "), width) {
		out = append(out, cells.Span{Text: line, Style: cells.Plain})
	}
	for _, i := range nodes {
		n := &f.Nodes[i]
		out = append(out, cells.Span{Text: words.LookOf(n.Counted()).Sign(m.opt.ASCII) + " " + n.Name + "  " + detail(n, m.now), Style: stateStyle(n.Counted())})
	}
	return out
}
