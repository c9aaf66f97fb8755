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

// An inspector explains the state of the selected node, like wf why.
type inspector struct {
	of         string // node, run and state that were asked about
	node       string
	text       []string
	err        error
	outputs    map[string]any
	runOptions runOptions

	lines  []cells.Span // of the latest drawing
	top    int
	height int
}

// A runOptions describes how a run was started.
type runOptions struct {
	run  string
	text string // "" = without options
}

// explain requests the reasons of the selected node if they may have changed. decisions is the number of decisions by
// node.
func (v *inspector) explain(doc *document, decisions map[string]int) tea.Msg {
	n := doc.selectedNode()
	if n == nil {
		return nil
	}
	run := doc.earlierNumber()
	of := fmt.Sprintln(n.ID, run, n.State, n.Executions, n.Attempt, n.Wait != nil, decisions[n.ID], engineOf(n))
	if v.of == of {
		return v.explainRun(n.Run)
	}
	if v.node != n.ID {
		*v = inspector{runOptions: v.runOptions}
	}
	v.of, v.node = of, n.ID
	id := n.ID
	type reasons struct {
		why     api.Why
		err     error
		outputs map[string]any
	}
	return ask(func(ctx context.Context, ws *client.Workspace) (r reasons, _ error) {
		r.why, r.err = ws.Why(ctx, id, run)
		if out, err := ws.Outputs(ctx, id, run); err == nil { // on an error there are no outputs to show
			r.outputs = out.Outputs
		}
		return r, nil
	}, func(r reasons) tea.Msg {
		if v.of == of {
			v.text, v.err, v.outputs = r.why.Text, r.err, r.outputs
		}
		return nil
	})
}

// explainRun requests once how a run was started.
func (v *inspector) explainRun(run string) tea.Msg {
	if run == "" || v.runOptions.run == run {
		return nil
	}
	v.runOptions = runOptions{run: run}
	return ask(func(ctx context.Context, ws *client.Workspace) (api.RunDetail, error) {
		d, err := ws.Run(ctx, run)
		if err != nil {
			return api.RunDetail{}, nil // the run was removed from the history
		}
		return d, nil
	}, func(d api.RunDetail) tea.Msg {
		if d.Run == v.runOptions.run {
			v.runOptions.text = givenText(d)
		}
		return nil
	})
}

// givenText describes the parameters of a run, its selected part, and the nodes that were not executed.
func givenText(d api.RunDetail) string {
	var lines []string
	if text := outputsText(d.Params); text != "" {
		lines = append(lines, "with "+strings.ReplaceAll(text, "\n", "\nwith "))
	}
	if len(d.Until) > 0 {
		lines = append(lines, "until "+plain.Line(strings.Join(d.Until, ",")))
	}
	if len(d.From) > 0 {
		lines = append(lines, "from "+plain.Line(strings.Join(d.From, ",")))
	}
	for _, mock := range d.Mocks {
		what := fmt.Sprintf("exit:%d", mock.Exit)
		switch {
		case mock.Skip:
			what = "skipped"
		case len(mock.Outputs) > 0:
			what = strings.ReplaceAll(outputsText(mock.Outputs), "\n", ", ")
		}
		lines = append(lines, "not executed: "+plain.Line(mock.Nodes)+" ("+what+")")
	}
	return strings.Join(lines, "\n")
}

// scroll scrolls by n lines.
// engineOf returns the job of a node at its engine; zero if it has none.
func engineOf(n *api.NodeStatus) api.EngineJob {
	if n.Engine == nil {
		return api.EngineJob{}
	}
	return *n.Engine
}

func (v *inspector) scroll(n int) { v.top = max(0, v.top+n) }

// draw draws the reasons and the details of the node.
func (v *inspector) draw(a cells.Area, doc *document, now time.Time) {
	v.lines, v.height = v.content(doc, a.Width, now, a.ASCII()), a.Height
	v.top = min(v.top, max(0, len(v.lines)-a.Height))
	for y, line := range v.lines[v.top:] {
		if y >= a.Height {
			break
		}
		a.Put(0, y, line.Text, line.Style)
	}
}

// content returns the lines of the inspector.
func (v *inspector) content(doc *document, width int, now time.Time, ascii bool) []cells.Span {
	n := doc.selectedNode()
	if n == nil {
		return doc.stageLines(width, now, ascii)
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
	add(cells.Dimmed, words.LookOf(n.Counted()).Sign(ascii)+" "+words.MeaningOf(n.Counted()))
	for _, text := range v.text {
		add(cells.Plain, plain.Line(text))
	}
	if v.err != nil {
		add(cells.Bad, words.Error(v.err))
	}
	controlLines(n, now, field)
	field("outputs", outputsText(v.outputs))
	field("command", n.Command)
	field("group", n.Group)
	field("after", words.NameList(doc.neighbours(n, false), 12))
	field("before", words.NameList(doc.neighbours(n, true), 12))
	field("times", doc.times(n))
	field("id", plain.Line(n.ID))
	if v.runOptions.run != "" && v.runOptions.run == n.Run {
		field("run "+n.Run, v.runOptions.text)
	}
	return out
}

// controlLines adds the control flow of a node.
func controlLines(n *api.NodeStatus, now time.Time, field func(name, text string)) {
	if n.Wait != nil {
		text := countdownText(n, now)
		if n.Wait.Until != nil {
			text += ", until " + n.Wait.Until.Local().Format(time.DateTime)
		}
		field("waits", text)
	}
	field("executor", strings.TrimSpace(words.Engine(n.Engine, n.State)+"  "+words.Peak(n.PeakBytes)))
	field("attempts", words.Attempt(n))
	field("rules", words.Traits(n))
	if n.Handled {
		field("failure", "handled: an edge leads on from it")
	}
	if n.Mocked {
		field("not executed", "its result was given with the request for the run")
	}
	field("not executed", words.UpToDate(n))
	if n.SubFlow != "" {
		field("sub-flow", n.SubFlow+": "+instancesText(n))
	}
	field("item", n.Item)
}

// times returns when a node ran, and how long it takes.
func (d *document) times(n *api.NodeStatus) string {
	var parts []string
	if n.Started != nil {
		parts = append(parts, "started "+n.Started.Local().Format(time.TimeOnly))
	}
	if took := words.SpanMS(n.DurationMS); took != "" {
		parts = append(parts, "took "+took)
	}
	if x, known := d.flow.Expected[n.ID]; known {
		parts = append(parts, "usually "+words.Span(x.Own))
	}
	if n.Executions > 1 {
		parts = append(parts, words.Plural(n.Executions, "execution"))
	}
	return strings.Join(parts, ", ")
}
