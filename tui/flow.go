package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/tui/plain"
	"wf/tui/words"
)

// A flow is a workfile as the daemon describes it: nodes, edges and runs. It folds a snapshot and events, and
// knows nothing of drawing.
type flow struct {
	known     bool // a snapshot has come
	status    api.Status
	nodes     []api.NodeStatus // commands and sub-flows, in file order; names and groups are plain
	inside    []int            // by node: the sub-flow that it lies in, or nowhere
	members   map[int][]int    // by sub-flow: the nodes that lie in it and in no other one within
	groups    map[string][]int // by id of a mere group: the nodes that lie in it
	edges     []edge
	out, in   [][]int // edges by node
	index     map[string]int
	left      map[int]map[int][]api.NodeStatus // of a past run: by sub-flow and instance the nodes; nil = it is now
	expected  map[string]expectation
	structure int // grows when nodes or edges come, go or change what a layout depends on
	cycles    cycleCheck
}

// An edge is an edge between two nodes of a flow.
type edge struct {
	key         int // of the workspace
	from, to    int
	nonBlocking bool
	marked      bool   // a token waits on it
	when        string // its condition, plain
	taken, dead bool   // it has fired in the run at hand, or never will
}

// An expectation is what earlier runs say about a node: how long it takes, and the longest path from its start
// to the end of the run.
type expectation struct{ own, path time.Duration }

// set applies a snapshot.
func (f *flow) set(s api.Status) {
	f.known = true
	containers := map[string]string{}
	for _, n := range s.Nodes {
		if n.Container && !isSubFlow(&n) {
			containers[n.ID] = plain.Line(n.Name)
		}
	}
	f.nodes, f.index = f.nodes[:0], make(map[string]int, len(s.Nodes))
	for _, n := range s.Nodes {
		if n.Container && !isSubFlow(&n) {
			continue
		}
		f.index[n.ID] = len(f.nodes)
		f.nodes = append(f.nodes, clean(n, containers))
	}
	f.settle(s.Nodes)
	f.link(s.Edges)
	f.structure++
	s.Nodes, s.Edges = nil, nil
	f.status = s
	f.block()
}

// clean makes the texts of a node fit for a terminal. A node without a group gets that of its container.
func clean(n api.NodeStatus, containers map[string]string) api.NodeStatus {
	n.Name, n.Group, n.Command = plain.Line(n.Name), plain.Line(n.Group), plain.Text(n.Command)
	if n.Group == "" {
		n.Group = containers[n.Parent]
	}
	n.Instances, n.Wait = cleanInstances(n.Instances), cleanWait(n.Wait)
	return n
}

// link takes the edges between nodes. An edge to or from a group becomes one for each of the group's ends.
func (f *flow) link(edges []api.EdgeStatus) {
	f.edges = f.edges[:0]
	f.out, f.in = make([][]int, len(f.nodes)), make([][]int, len(f.nodes))
	for _, e := range edges {
		for _, from := range f.ends(e.Source, true, edges) {
			for _, to := range f.ends(e.Target, false, edges) {
				f.out[from] = append(f.out[from], len(f.edges))
				f.in[to] = append(f.in[to], len(f.edges))
				f.edges = append(f.edges, edge{e.Key, from, to, e.Type == "non-blocking", e.Status == "to_run", plain.Line(e.When), e.Taken, e.Dead})
			}
		}
	}
}

// take applies a batch.
func (f *flow) take(b batch) {
	if b.snapshot != nil {
		f.set(b.snapshot.Status)
	}
	for _, ev := range b.events {
		f.event(ev)
	}
	for _, ev := range b.nodes {
		f.node(ev)
	}
	if len(b.nodes) > 0 || len(b.events) > 0 {
		f.block()
	}
}

// event applies an event that is not about one node.
func (f *flow) event(ev api.Event) {
	switch ev.Type {
	case api.RunStarted:
		if f.run(ev.Run) == nil {
			f.status.Runs = append(f.status.Runs, api.RunSummary{Run: ev.Run, Mode: ev.Mode, Resumes: ev.Resumes,
				Nodes: ev.Nodes, Client: ev.Client, Started: ev.Time})
		}
	case api.RunGrew:
		if r := f.run(ev.Run); r != nil {
			r.Nodes = ev.Nodes
		}
	case api.RunStopping:
		if r := f.run(ev.Run); r != nil {
			r.Stopping = true
		}
	case api.RunHeld:
		if r := f.run(ev.Run); r != nil {
			r.Held = plain.Line(ev.Message)
		}
	case api.RunShort:
		if r := f.run(ev.Run); r != nil {
			r.Short = ev.Short
		}
	case api.RunComplete:
		f.ended(ev)
	case api.GraphUpdated:
		f.updated(ev)
	case api.FileProblem:
		f.status.Problem = plain.Line(ev.Message)
	}
}

// ended moves a run from the active ones to the last one.
func (f *flow) ended(ev api.Event) {
	last := api.RunSummary{Run: ev.Run}
	if r := f.run(ev.Run); r != nil {
		last = *r
	}
	last.Result, last.DurationMS, last.Survivors, last.ExitCode = ev.Result, ev.DurationMS, ev.Survivors, ev.ExitCode
	if ev.Counts != nil {
		last.Counts = *ev.Counts
	}
	end := ev.Time
	last.Ended, last.Stopping, last.Held, last.Short = &end, false, "", nil
	f.status.LastRun = &last
	f.status.Runs = slices.DeleteFunc(f.status.Runs, func(r api.RunSummary) bool { return r.Run == ev.Run })
}

// updated applies an edit that changes no structure. Others come with a snapshot.
func (f *flow) updated(ev api.Event) {
	if ev.Structure {
		return
	}
	for _, n := range ev.Changed {
		i, known := f.index[n.ID]
		if !known {
			continue
		}
		was := f.nodes[i]
		n = clean(n, nil)
		if n.Group == "" {
			n.Group = was.Group // of the container, which edits like this do not change
		}
		if isSubFlow(&n) != isSubFlow(&was) {
			f.structure++
		}
		f.nodes[i] = n
		if n.Name != was.Name || n.Command != was.Command || n.Group != was.Group {
			f.structure++
		}
	}
	f.edgesChanged(ev.Edges)
}

// edgesChanged applies the new state of edges.
func (f *flow) edgesChanged(edges []api.EdgeStatus) {
	if len(edges) == 0 {
		return
	}
	at := make(map[int]api.EdgeStatus, len(edges))
	for _, e := range edges {
		at[e.Key] = e
	}
	for i := range f.edges {
		have := &f.edges[i]
		e, changed := at[have.key]
		if !changed {
			continue
		}
		have.marked, have.taken, have.dead = e.Status == "to_run", e.Taken, e.Dead
		if when := plain.Line(e.When); when != have.when {
			have.when = when
			f.structure++
		}
		if nb := e.Type == "non-blocking"; nb != have.nonBlocking {
			have.nonBlocking = nb
			f.structure++
		}
	}
}

// node applies the latest event of a node.
func (f *flow) node(ev api.Event) {
	i, known := f.index[ev.Node]
	if !known {
		return // removed from the file; its run goes on
	}
	n := &f.nodes[i]
	join(n, ev.Run)
	if ev.Type != api.NodeWaiting { // what waits for another attempt has failed before
		n.Reason, n.ExitCode, n.Signal, n.Message = "", nil, "", ""
	}
	n.Wait, n.Mocked, n.Handled, n.FromFile = nil, ev.Mocked, ev.Handled, false
	switch ev.Type {
	case api.NodeSkipped:
		n.State, n.Started, n.DurationMS, n.Executions = api.StateSkipped, nil, nil, 0
	case api.NodeWaiting:
		n.State, n.Wait, n.PID = waitingState(ev.Wait), cleanWait(ev.Wait), 0
		if ev.Reason != "" {
			n.Reason, n.ExitCode, n.Signal, n.DurationMS = ev.Reason, ev.ExitCode, ev.Signal, ev.DurationMS
		}
	case api.NodeDecided:
		n.State = api.StateQueued
	case api.NodeReady:
		n.State = api.StateQueued
	case api.NodeReset:
		n.State, n.Started, n.DurationMS, n.Executions = api.StateIdle, nil, nil, 0
	case api.NodeStarted:
		start := ev.Time
		n.State, n.Started, n.DurationMS, n.PID = api.StateRunning, &start, nil, ev.PID
	case api.NodeFinished:
		n.State, n.DurationMS, n.PID = api.StateOK, ev.DurationMS, 0
	case api.NodeFailed:
		n.State, n.DurationMS, n.PID = api.StateFailed, ev.DurationMS, 0
		n.Reason, n.ExitCode, n.Signal, n.Message = ev.Reason, ev.ExitCode, ev.Signal, ev.Message
		if ev.Reason == api.ReasonCancelled {
			n.State = api.StateCancelled
		}
	}
	if ev.DurationMS != nil { // the event that told of the start may have been left out
		start := ev.Time.Add(-time.Duration(*ev.DurationMS) * time.Millisecond)
		n.Started = &start
	}
	if ev.Execution > 0 {
		n.Executions = ev.Execution
	}
	f.decided(i)
}

// join makes a node part of a run, and restarts the count of its executions.
func join(n *api.NodeStatus, run string) {
	if n.Run != run {
		n.Run, n.Executions = run, 0
	}
}

// block finds the idle nodes that a failure upstream keeps from running, as the daemon does: those
// that are reachable from a failed node through idle ones of the same run.
func (f *flow) block() {
	var stack []int
	for i := range f.nodes {
		switch f.nodes[i].State {
		case api.StateBlocked:
			f.nodes[i].State = api.StateIdle
		case api.StateFailed:
			if !f.nodes[i].Handled { // an edge has fired for it
				stack = append(stack, i)
			}
		}
	}
	for len(stack) > 0 {
		from := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range f.out[from] {
			to := &f.nodes[f.edges[e].to]
			same := to.Run == f.nodes[from].Run || to.Run == "" || f.nodes[from].Run == ""
			if to.State == api.StateIdle && same {
				to.State = api.StateBlocked
				stack = append(stack, f.edges[e].to)
			}
		}
	}
}

// learn takes which nodes are part of a run, and how long each took before.
func (f *flow) learn(o api.RunOutlook) {
	f.expected = make(map[string]expectation, len(o.Nodes))
	for _, n := range o.Nodes {
		if i, known := f.index[n.Node]; known {
			join(&f.nodes[i], o.Run)
			if n.State == api.StateOK && n.Executions == 0 && f.nodes[i].State == api.StateOK {
				f.nodes[i].State = api.StateKept
			}
		}
		if n.ExpectedMS != nil {
			f.expected[n.Node] = expectation{time.Duration(*n.ExpectedMS) * time.Millisecond, time.Duration(n.PathMS) * time.Millisecond}
		}
	}
	f.block()
}

// run returns an active run, or nil.
func (f *flow) run(number string) *api.RunSummary {
	for i := range f.status.Runs {
		if f.status.Runs[i].Run == number {
			return &f.status.Runs[i]
		}
	}
	return nil
}

// current returns the run that the screen is about: the latest active one, otherwise the last one, otherwise
// nil.
func (f *flow) current() *api.RunSummary {
	if n := len(f.status.Runs); n > 0 {
		return &f.status.Runs[n-1]
	}
	return f.status.LastRun
}

// count counts nodes by state, instances included: those of a run, or all if run is "".
func (f *flow) count(run string) (c api.Counts) {
	for i := range f.nodes {
		n := &f.nodes[i]
		switch {
		case !f.outer(i) || run != "" && n.Run != run:
		case n.Instances != nil && n.Instances.Nodes.Total() > 0:
			c.AddAll(n.Instances.Nodes)
		default:
			c.Add(n.Counted())
		}
	}
	return c
}

// detail returns the text behind the name of a node: `running 12s`, `exit 1 after 1.2s`.
func detail(n *api.NodeStatus, now time.Time) string {
	text := string(n.State)
	switch n.State {
	case api.StateRunning:
		if n.Started != nil {
			text = "running " + clock(now.Sub(*n.Started))
		}
	case api.StateOK:
		text = words.SpanMS(n.DurationMS)
	case api.StateWaiting, api.StateRetrying:
		text = waitText(n, now)
	case api.StateFailed, api.StateCancelled:
		if cause := words.Cause(n.Reason, n.ExitCode, n.Signal, n.Message); cause != "" {
			text = strings.TrimPrefix(cause, ": ") // of a sub-flow the message says all
		}
		if took := words.SpanMS(n.DurationMS); took != "" {
			text += " after " + took
		}
	}
	if n.Mocked {
		text = strings.TrimSpace(text + " not executed")
	}
	if n.Handled {
		text += ", handled"
	}
	if n.FromFile {
		text = strings.TrimSpace(text + " from the file")
	}
	if n.Executions > 1 {
		text += fmt.Sprintf(" (execution %d)", n.Executions)
	}
	return text
}

// clock returns a time that goes on, in whole seconds: 12s, 1m04s, 1h03m.
func clock(d time.Duration) string {
	if d = max(0, d).Truncate(time.Second); d < time.Minute {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return words.Span(d)
}

// fromFile reports whether the state of a node came with the file, from no run of this machine.
func (f *flow) fromFile(node int) bool { return node < len(f.nodes) && f.nodes[node].FromFile }

// fromFileText returns a remark about the nodes whose state came with the file, or "".
func (f *flow) fromFileText() string {
	n := 0
	for i := range f.nodes {
		if f.nodes[i].FromFile {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" here, the state of %s is from the file", words.Plural(n, "node"))
}
