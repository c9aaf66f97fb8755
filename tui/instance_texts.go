package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"wf/api"
	"wf/client/runview"
	"wf/tui/cells"
	"wf/tui/drawing"
	"wf/tui/logview"
	"wf/tui/plain"
	"wf/tui/words"
)

// nodesOf returns the loaded nodes of an instance.
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

// instancesText returns the counts of the instances of a sub-flow.
func instancesText(n *api.NodeStatus) string {
	if n.Instances == nil {
		return "it has not begun"
	}
	text := fmt.Sprintf("%d begun", n.Instances.Begun)
	if n.Instances.Total > 0 {
		text += fmt.Sprintf(" of %d", n.Instances.Total)
	}
	return text + ", " + strings.Join(words.CountParts(n.Instances.Counts, "idle"), ", ")
}

// outputsText returns outputs, one per line.
func outputsText(outputs map[string]any) string {
	var lines []string
	for key, value := range outputs {
		lines = append(lines, plain.Line(key)+" = "+plain.Text(words.Value(value)))
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

// addInner adds the selection in a sub-flow to the nodes whose log is shown.
func (p *picture) addInner(t *logview.Target, in *innerRow) {
	add := func(n *api.NodeStatus) {
		if n.Instances == nil {
			addTarget(t, n)
		}
	}
	switch {
	case in.node != nil:
		add(in.node)
	case in.kind == anInstance:
		for _, n := range p.nodesOf(in.path) {
			add(&n)
		}
	}
}

// innerHint returns why the selection in a sub-flow has no log, or "".
func (d *document) innerHint(ascii bool) string {
	enter := cells.Either(ascii, "Enter", "⏎")
	if in := d.picture.innerOf(); in != nil {
		switch {
		case in.kind == aTemplate:
			return "it runs in each instance: the instances have the output"
		case in.kind == anInstance && d.picture.nodesOf(in.path) == nil:
			return enter + " shows its nodes and what they wrote"
		case in.kind == aPage:
			return enter + " shows them"
		}
		return ""
	}
	if n := d.selectedNode(); n != nil && n.SubFlow != "" {
		return enter + " shows its instances, which have the output"
	}
	return ""
}

// innerTitle draws the title of the side pane for an instance, a page or a template, and returns its number of rows.
func (d *document) innerTitle(a cells.Area, in *innerRow, st cells.Style) int {
	ascii := a.ASCII()
	row := &d.picture.graph.Rows[d.picture.selected.Index]
	if in.kind == aTemplate {
		n := &d.shown().Nodes[in.member]
		a.Put(0, 0, cells.Clip(n.Name+"  in each instance of "+d.shown().Nodes[row.Node].Name, a.Width, ascii), st)
		a.Put(0, 1, cells.Clip(plain.Command(n.Command, ascii), a.Width, ascii), cells.Dimmed)
		return 2
	}
	x := 0
	if row.Note == drawing.NoNote {
		x = a.Put(0, 0, words.LookOf(in.state).Sign(ascii)+" ", stateStyle(in.state))
	}
	x = a.Put(x, 0, cells.ClipMiddle(plain.Line(cmp.Or(in.name, in.path)), max(8, a.Width/2), ascii), st)
	text := row.Detail
	if row.Note != drawing.NoNote {
		text = row.Name
	}
	a.Put(x, 0, cells.Clip("  "+text, a.Width-x, ascii), cells.Dimmed)
	return 1
}
