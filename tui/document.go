package tui

import (
	"fmt"
	"strings"
	"time"

	"wf/api"
	"wf/client/runview"
	"wf/tui/cells"
	"wf/tui/words"
)

// A document is the open workfile as it is looked at: its state, or how an earlier run left it; the drawing with the
// selection and the marks; the filter.
type document struct {
	flow    runview.Workfile // now
	past    *past            // an earlier run that is shown; nil = now is
	picture picture
	filter  filter
	quick   int // of quickFilters

	changed    changed        // since the run began
	lastParams map[string]any // with which a run was started here
	seen       string         // a run that was active while it was shown
}

func newDocument() document { return document{picture: newPicture()} }

// A past is an earlier run that is shown, and the workfile as it left it.
type past struct {
	run    string
	detail api.RunDetail
	flow   runview.Workfile
}

// pastFlow returns the workfile as a run left it, with texts that are fit for a terminal.
func pastFlow(now *runview.Workfile, d api.RunDetail) runview.Workfile {
	f := runview.LeftBy(now, d)
	for _, instances := range f.InstancesLeft {
		for _, nodes := range instances {
			cleanNodes(nodes)
		}
	}
	return f
}

// hidden returns which nodes the active filter leaves out.
func (d *document) hidden(now time.Time) []bool {
	f := parseFilter(d.activeFilter())
	return f.hide(d.shown(), now)
}

// activeFilter returns the filter that was typed together with that of the key f.
func (d *document) activeFilter() string {
	return strings.TrimSpace(d.filter.text + " " + quickFilters[d.quick])
}

// relay makes the next screen compute a new layout.
func (d *document) relay() { d.picture.built.at = time.Time{} }

// nextQuick goes from failed to running to all.
func (d *document) nextQuick() {
	d.quick = (d.quick + 1) % len(quickFilters)
	d.relay()
}

// emptyText returns why the drawing is empty, and what to do about it.
func (d *document) emptyText() string {
	switch {
	case d.activeFilter() != "":
		return "no node is " + d.activeFilter() + ": esc shows all"
	case d.flow.Status.Problem != "":
		return d.flow.Status.Problem
	case d.past != nil:
		return "the workfile had no nodes then"
	}
	return "the workfile has no nodes: a adds the first one"
}

// showPast shows the workfile as an earlier run left it.
func (d *document) showPast(run api.RunDetail) {
	d.past = &past{run: run.Run, detail: run, flow: pastFlow(&d.flow, run)}
	d.flow.Structure++ // the past one has the same nodes, and its own states
	d.past.flow.Structure = d.flow.Structure
	d.picture.pages = nil
}

// pastRun returns the number of the earlier run that is shown, or "".
func (d *document) pastRun() string {
	if d.past == nil {
		return ""
	}
	return d.past.run
}

// refresh updates the drawing from the workfile and the filter.
func (d *document) refresh(now time.Time) {
	if f := d.shown(); f.Known {
		d.picture.update(f, d.hidden(now), now)
	}
}

// leavePast shows the workfile as it is now.
func (d *document) leavePast() {
	if d.past != nil {
		d.past, d.picture.pages = nil, nil
		d.flow.Structure++
	}
}

// neighbours returns the names of the nodes before a node, or after it.
func (d *document) neighbours(n *api.NodeStatus, after bool) []string {
	f := d.shown()
	i, known := f.Index[n.ID]
	if !known {
		if i = d.picture.node(); i < 0 { // of an instance
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

// stageLines returns the nodes of a stage.
func (d *document) stageLines(width int, now time.Time, ascii bool) []cells.Span {
	f := d.shown()
	var c api.Counts
	nodes := d.picture.nodes()
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
		out = append(out, cells.Span{Text: words.LookOf(n.Counted()).Sign(ascii) + " " + n.Name + "  " + detail(n, now), Style: stateStyle(n.Counted())})
	}
	return out
}

// selectedNode returns the selected node, in an instance with the state there, or nil.
func (d *document) selectedNode() *api.NodeStatus {
	if in := d.picture.innerOf(); in != nil && in.node != nil {
		return in.node
	}
	if i := d.picture.node(); i >= 0 && i < len(d.shown().Nodes) {
		return &d.shown().Nodes[i]
	}
	return nil
}

// editedNode returns the node of the workfile that is selected, or from which the selected node of an instance
// comes, or nil.
func (d *document) editedNode() *api.NodeStatus {
	if i := d.picture.node(); i >= 0 && i < len(d.flow.Nodes) {
		return &d.flow.Nodes[i]
	}
	return nil
}

// subFlowAt returns the path of the selected sub-flow and the number of its instances, or "".
func (d *document) subFlowAt() (path string, begun int) {
	if in := d.picture.innerOf(); in != nil && in.kind != aTemplate {
		if in.node != nil && in.node.Instances != nil {
			return in.path, in.node.Instances.Begun
		}
		row := d.picture.graph.Rows[d.picture.selected.Index]
		path = d.shown().Nodes[row.Node].Name
	} else if n := d.selectedNode(); n != nil && n.SubFlow != "" {
		path = n.Name
	}
	if i := d.shown().SubFlowNamed(path); i >= 0 && d.shown().Nodes[i].Instances != nil {
		return path, d.shown().Nodes[i].Instances.Begun
	}
	return "", 0
}

// shown returns the flow of the main screen: that of now, or as an earlier run left it.
func (d *document) shown() *runview.Workfile {
	if d.past != nil {
		return &d.past.flow
	}
	return &d.flow
}

// running reports whether a run is active.
func (d *document) running() bool { return len(d.flow.Status.Runs) > 0 }

// runCounts counts the nodes of a run. For a run that is over it returns the counts of its end: the nodes may
// have been part of another run since.
func (d *document) runCounts(run *api.RunSummary) api.Counts {
	if run.Ended != nil {
		return run.Counts
	}
	c := d.flow.Count(run.Run)
	c.Idle += max(0, run.Nodes-c.Total()) // nodes of the run that no event has named yet
	return c
}

// nothingOpen reports whether there is no drawing: no workfile is open, or it has not come yet.
func (d *document) nothingOpen() bool { return !d.flow.Known }

// stateLine returns the state of the workfile in a few words.
func (d *document) stateLine(name string) string {
	if d.nothingOpen() {
		return name
	}
	run := d.flow.Current()
	if run == nil {
		return name + ": never run" + fromFileText(&d.flow)
	}
	c := d.runCounts(run)
	done, of := progressOf(c)
	text := fmt.Sprintf("run %s %s %d/%d", run.Run, words.ResultWord(run.Result), done, of)
	if c.Failed > 0 {
		text += fmt.Sprintf(" %d failed", c.Failed)
	}
	return text
}
