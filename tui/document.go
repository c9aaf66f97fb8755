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

// A document is the open workfile and how the screen shows it: its current state or its state after an earlier run,
// the drawing with the selection and the marks, and the filter.
type document struct {
	flow    runview.Workfile // the current state
	earlier *earlierRun      // the earlier run that is shown; nil = the current state is shown
	picture picture
	filter  filter
	quick   int // index into quickFilters

	changed    changed        // since the run started
	lastParams map[string]any // parameters of the last run that was started here
	seen       string         // number of a run that was active while it was shown
	following  bool           // the selection follows what runs
	lens       lens
	noStrip    bool // the user has hidden the strip of times beside the list
}

func newDocument() document { return document{picture: newPicture()} }

// An earlierRun is an earlier run that is shown, with the states that it left in the workfile, or those of a moment of it.
type earlierRun struct {
	run    string
	detail api.RunDetail
	flow   runview.Workfile
	replay replay
}

// earlierFlow returns the workfile with the states that a run left, with texts that are safe for a terminal.
func earlierFlow(now *runview.Workfile, d api.RunDetail) runview.Workfile {
	f := runview.LeftBy(now, d)
	for _, instances := range f.InstancesLeft {
		for _, nodes := range instances {
			cleanNodes(nodes)
		}
	}
	return f
}

// hidden returns, by node, whether the active filter hides it.
func (d *document) hidden(now time.Time) []bool {
	f := parseFilter(d.activeFilter())
	return f.hide(d.shown(), now)
}

// activeFilter combines the filter that the user typed with the one of the key f.
func (d *document) activeFilter() string {
	return strings.TrimSpace(d.filter.text + " " + quickFilters[d.quick])
}

// invalidateLayout makes the next screen compute a new layout.
func (d *document) invalidateLayout() { d.picture.built.at = time.Time{} }

// nextQuick goes from failed to running to all.
func (d *document) nextQuick() {
	d.quick = (d.quick + 1) % len(quickFilters)
	d.invalidateLayout()
}

// emptyText returns why the drawing is empty, and what to do about it.
func (d *document) emptyText() string {
	switch {
	case d.activeFilter() != "":
		return "no node matches " + d.activeFilter() + ": esc shows all"
	case d.flow.Status.Problem != "":
		return d.flow.Status.Problem
	case d.earlier != nil:
		return "the workfile had no nodes then"
	}
	return "the workfile has no nodes: a adds the first one"
}

// showEarlier shows the workfile with the states that an earlier run left.
func (d *document) showEarlier(run api.RunDetail) {
	d.earlier = &earlierRun{run: run.Run, detail: run, flow: earlierFlow(&d.flow, run)}
	d.flow.Structure++ // same nodes, other states
	d.earlier.flow.Structure = d.flow.Structure
	d.picture.pages = nil
}

// earlierNumber returns the number of the earlier run that is shown, or "".
func (d *document) earlierNumber() string {
	if d.earlier == nil {
		return ""
	}
	return d.earlier.run
}

// refresh updates the drawing from the workfile and the filter.
func (d *document) refresh(now time.Time) {
	if f := d.shown(); f.Known {
		now = d.earlier.time(now)
		d.picture.update(f, d.hidden(now), now)
		d.lens.apply(f, &d.picture, now)
	}
}

// leaveEarlier shows the current state of the workfile again.
func (d *document) leaveEarlier() {
	if d.earlier != nil {
		d.earlier, d.picture.pages = nil, nil
		d.flow.Structure++
	}
}

// neighbours returns the names of the predecessors of a node, or of its successors if after is set.
func (d *document) neighbours(n *api.NodeStatus, after bool) []string {
	f := d.shown()
	i, known := f.Index[n.ID]
	if !known {
		if i = d.picture.node(); i < 0 { // n is a node of an instance
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

// selectedNode returns the selected node or nil. A node of an instance has its state in that instance.
func (d *document) selectedNode() *api.NodeStatus {
	if in := d.picture.innerOf(); in != nil && in.node != nil {
		return in.node
	}
	if i := d.picture.node(); i >= 0 && i < len(d.shown().Nodes) {
		return &d.shown().Nodes[i]
	}
	return nil
}

// editedNode returns the node of the workfile that an edit of the selection changes, or nil. For a node of an
// instance it is the node in the sub-flow.
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

// shown returns the flow of the main screen: the current one, or the one that an earlier run left.
func (d *document) shown() *runview.Workfile {
	if d.earlier != nil {
		return &d.earlier.flow
	}
	return &d.flow
}

// running reports whether a run is active.
func (d *document) running() bool { return len(d.flow.Status.Runs) > 0 }

// runCounts counts the nodes of a run by state. An ended run has the counts of its end, because a later run may have
// changed its nodes.
func (d *document) runCounts(run *api.RunSummary) api.Counts {
	if run.Ended != nil {
		return run.Counts
	}
	c := d.flow.Count(run.Run)
	c.Idle += max(0, run.Nodes-c.Total()) // nodes of the run that no event has named yet
	return c
}

// nothingOpen reports whether there is no drawing: no workfile is open, or it is not loaded yet.
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
