package runview

import (
	"slices"
	"time"

	"wf/api"
)

// A Workfile is the state of a workfile: nodes, edges and runs, from a snapshot and events of the daemon. The zero value
// is a workfile without a snapshot yet.
type Workfile struct {
	Known         bool // a snapshot has been applied
	Status        api.Status
	Nodes         []api.NodeStatus // commands and sub-flows, in file order; a node without a group has that of its container
	inside        []int            // by node: its sub-flow, or noSubFlow
	Members       map[int][]int    // by sub-flow: its nodes, without those of sub-flows in it
	groups        map[string][]int // by id of a plain group: its nodes
	Edges         []Edge
	Groups        []Group // containers that are no nodes of the drawing, because they do not repeat
	Out, In       [][]int // edges by node
	Index         map[string]int
	InstancesLeft map[int]map[int][]api.NodeStatus // of an earlier run: nodes by sub-flow and instance; nil = the present state
	Expected      map[string]Expectation
	Structure     int // grows when nodes or edges are added, removed, or change in a way that affects the layout
	cycles        cycleCheck
}

// A Group is a container whose nodes belong to the flow around it.
type Group struct{ ID, Name string }

// An Edge is an edge between two nodes of a Workfile.
type Edge struct {
	key         int // of the workspace
	From, To    int
	NonBlocking bool
	Marked      bool   // it has a token
	When        string // its condition
	Taken, Dead bool   // it has fired in the current run, or never will
}

// set applies a snapshot.
func (f *Workfile) set(s api.Status) {
	f.Known = true
	containers := map[string]string{}
	f.Groups = nil
	for _, n := range s.Nodes {
		if n.Container && !isSubFlow(&n) {
			containers[n.ID] = n.Name
			f.Groups = append(f.Groups, Group{n.ID, n.Name})
		}
	}
	f.Nodes, f.Index = f.Nodes[:0], make(map[string]int, len(s.Nodes))
	for _, n := range s.Nodes {
		if n.Container && !isSubFlow(&n) {
			continue
		}
		f.Index[n.ID] = len(f.Nodes)
		if n.Group == "" {
			n.Group = containers[n.Parent]
		}
		f.Nodes = append(f.Nodes, n)
	}
	f.setSubFlows(s.Nodes)
	f.link(s.Edges)
	f.Structure++
	s.Nodes, s.Edges = nil, nil
	f.Status = s
	f.block()
}

// link sets the edges between nodes. An edge to or from a group becomes one edge for each end of the group.
func (f *Workfile) link(edges []api.EdgeStatus) {
	f.Edges = f.Edges[:0]
	f.Out, f.In = make([][]int, len(f.Nodes)), make([][]int, len(f.Nodes))
	for _, e := range edges {
		for _, from := range f.ends(e.Source, true, edges) {
			for _, to := range f.ends(e.Target, false, edges) {
				f.Out[from] = append(f.Out[from], len(f.Edges))
				f.In[to] = append(f.In[to], len(f.Edges))
				f.Edges = append(f.Edges, Edge{e.Key, from, to, e.Type == "non-blocking", e.Status == "to_run", e.When, e.Taken, e.Dead})
			}
		}
	}
}

// Apply applies the changes since the previous call: a snapshot if there is one, then events in their order, then the
// latest event of each node.
func (f *Workfile) Apply(snapshot *api.Status, events []api.Event, nodes map[string]api.Event) {
	if snapshot != nil {
		f.set(*snapshot)
	}
	for _, ev := range events {
		f.event(ev)
	}
	for _, ev := range nodes {
		f.node(ev)
	}
	if len(nodes) > 0 || len(events) > 0 {
		f.block()
	}
}

// ApplyFrame applies a frame: its snapshot if it has one, then its events in their order. structure reports that nodes or
// edges were added or removed, so that the caller needs a new snapshot. inner lists the names of the sub-flows whose
// instances have changed, which no event summarizes: see SetSummary.
func (f *Workfile) ApplyFrame(frame api.Frame) (structure bool, inner []string) {
	if frame.Snapshot != nil {
		f.set(frame.Snapshot.Status)
	}
	for _, ev := range frame.Events {
		switch {
		case ev.Node == "":
			structure = structure || ev.Type == api.GraphUpdated && ev.Structure
			f.event(ev)
		case isInner(ev.Node):
			name, _ := SubFlowOf(ev.Node)
			if len(inner) == 0 || inner[len(inner)-1] != name {
				inner = append(inner, name)
			}
		default:
			f.node(ev)
		}
	}
	if len(frame.Events) > 0 {
		f.block()
	}
	return structure, inner
}

// isInner reports whether a node belongs to an instance of a sub-flow.
func isInner(node string) bool {
	_, ok := SubFlowOf(node)
	return ok
}

// event applies an event that is not about one node.
func (f *Workfile) event(ev api.Event) {
	switch ev.Type {
	case api.RunStarted:
		if f.Run(ev.Run) == nil {
			f.Status.Runs = append(f.Status.Runs, api.RunSummary{Run: ev.Run, Mode: ev.Mode, Resumes: ev.Resumes,
				Nodes: ev.Nodes, Client: ev.Client, Started: ev.Time})
		}
	case api.RunGrew:
		if r := f.Run(ev.Run); r != nil {
			r.Nodes = ev.Nodes
		}
	case api.RunStopping:
		if r := f.Run(ev.Run); r != nil {
			r.Stopping = true
		}
	case api.RunHeld:
		if r := f.Run(ev.Run); r != nil {
			r.Held = ev.Message
		}
	case api.RunShort:
		if r := f.Run(ev.Run); r != nil {
			r.Short = ev.Short
		}
	case api.RunComplete:
		f.ended(ev)
	case api.GraphUpdated:
		f.updated(ev)
	case api.FileProblem:
		f.Status.Problem = ev.Message
	}
}

// ended moves a run from the active ones to the last one.
func (f *Workfile) ended(ev api.Event) {
	last := api.RunSummary{Run: ev.Run}
	if r := f.Run(ev.Run); r != nil {
		last = *r
	}
	last.Result, last.DurationMS, last.Survivors, last.ExitCode = ev.Result, ev.DurationMS, ev.Survivors, ev.ExitCode
	if ev.Counts != nil {
		last.Counts = *ev.Counts
	}
	end := ev.Time
	last.Ended, last.Stopping, last.Held, last.Short = &end, false, "", nil
	f.Status.LastRun = &last
	f.Status.Runs = slices.DeleteFunc(f.Status.Runs, func(r api.RunSummary) bool { return r.Run == ev.Run })
}

// updated applies an edit that does not change the structure. After other edits a snapshot follows.
func (f *Workfile) updated(ev api.Event) {
	if ev.Structure {
		return
	}
	for _, n := range ev.Changed {
		i, known := f.Index[n.ID]
		if !known {
			continue
		}
		was := f.Nodes[i]
		if n.Group == "" {
			n.Group = was.Group // the group of the container, which such an edit does not change
		}
		if isSubFlow(&n) != isSubFlow(&was) {
			f.Structure++
		}
		f.Nodes[i] = n
		if n.Retries != was.Retries || n.Approve != was.Approve || n.Name != was.Name || n.Command != was.Command || n.Group != was.Group {
			f.Structure++
		}
	}
	f.edgesChanged(ev.Edges)
}

// edgesChanged applies the new state of edges.
func (f *Workfile) edgesChanged(edges []api.EdgeStatus) {
	if len(edges) == 0 {
		return
	}
	at := make(map[int]api.EdgeStatus, len(edges))
	for _, e := range edges {
		at[e.Key] = e
	}
	for i := range f.Edges {
		have := &f.Edges[i]
		e, changed := at[have.key]
		if !changed {
			continue
		}
		have.Marked, have.Taken, have.Dead = e.Status == "to_run", e.Taken, e.Dead
		if e.When != have.When {
			have.When = e.When
			f.Structure++
		}
		if nb := e.Type == "non-blocking"; nb != have.NonBlocking {
			have.NonBlocking = nb
			f.Structure++
		}
	}
}

// node applies the latest event of a node.
func (f *Workfile) node(ev api.Event) {
	i, known := f.Index[ev.Node]
	if !known {
		return // removed from the file while its run continues
	}
	n := &f.Nodes[i]
	join(n, ev.Run)
	if ev.Type == api.NodeEngine {
		n.Engine = ev.Engine
		return
	}
	if ev.Type != api.NodeWaiting { // a waiting node may have failed before
		n.Reason, n.ExitCode, n.Signal, n.Message = "", nil, "", ""
	}
	noteAttempt(n, ev)
	n.Wait, n.Mocked, n.Handled, n.FromFile = nil, ev.Mocked, ev.Handled, false
	n.UpToDate = ev.UpToDate
	n.Engine, n.PeakBytes = ev.Engine, ev.PeakBytes
	switch ev.Type {
	case api.NodeSkipped:
		n.State, n.Started, n.DurationMS, n.Executions = api.StateSkipped, nil, nil, 0
	case api.NodeWaiting:
		n.State, n.Wait, n.PID = WaitState(ev.Wait), ev.Wait, 0
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
		if ev.UpToDate {
			n.Message = ev.Message
		}
	case api.NodeFailed:
		n.State, n.DurationMS, n.PID = api.StateFailed, ev.DurationMS, 0
		n.Reason, n.ExitCode, n.Signal, n.Message = ev.Reason, ev.ExitCode, ev.Signal, ev.Message
		switch {
		case ev.Reason == api.ReasonCancelled:
			n.State = api.StateCancelled
		case ev.Retry != nil:
			n.State = api.StateRetrying
		}
	}
	if ev.DurationMS != nil { // the event of the start may be missing
		start := ev.Time.Add(-time.Duration(*ev.DurationMS) * time.Millisecond)
		n.Started = &start
	}
	if ev.Execution > 0 {
		n.Executions = ev.Execution
	}
	f.decideEdges(i)
}

// noteAttempt counts the repetitions of the latest activation of a node, before an event changes its state.
func noteAttempt(n *api.NodeStatus, ev api.Event) {
	switch {
	case ev.Retry != nil:
		n.Attempt = ev.Retry.Attempt
	case ev.Type == api.NodeReset, ev.Type == api.NodeSkipped:
		n.Attempt = 0
	case (ev.Type == api.NodeReady || ev.Type == api.NodeStarted) && settled(n.State):
		n.Attempt = 0 // a new activation
	}
}

// join makes a node part of a run and resets the count of its executions.
func join(n *api.NodeStatus, run string) {
	if n.Run != run {
		n.Run, n.Executions, n.Attempt = run, 0, 0
	}
}

// block marks the nodes that a failure blocks, like the daemon: the idle nodes that are reachable from a failed node
// through idle nodes of the same run.
func (f *Workfile) block() {
	var stack []int
	for i := range f.Nodes {
		switch f.Nodes[i].State {
		case api.StateBlocked:
			f.Nodes[i].State = api.StateIdle
		case api.StateFailed:
			if !f.Nodes[i].Handled { // an edge has fired for it
				stack = append(stack, i)
			}
		}
	}
	for len(stack) > 0 {
		from := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range f.Out[from] {
			to := &f.Nodes[f.Edges[e].To]
			same := to.Run == f.Nodes[from].Run || to.Run == "" || f.Nodes[from].Run == ""
			if to.State == api.StateIdle && same {
				to.State = api.StateBlocked
				stack = append(stack, f.Edges[e].To)
			}
		}
	}
}

// Learn applies an outlook: the nodes of a run and their expected durations.
func (f *Workfile) Learn(o api.RunOutlook) {
	f.Expected = make(map[string]Expectation, len(o.Nodes))
	for _, n := range o.Nodes {
		if i, known := f.Index[n.Node]; known {
			join(&f.Nodes[i], o.Run)
			if n.State == api.StateOK && n.Executions == 0 && f.Nodes[i].State == api.StateOK {
				f.Nodes[i].State = api.StateKept
			}
		}
		if x, known := expect(n); known {
			f.Expected[n.Node] = x
		}
	}
	f.block()
}

// Run returns an active run, or nil.
func (f *Workfile) Run(number string) *api.RunSummary {
	for i := range f.Status.Runs {
		if f.Status.Runs[i].Run == number {
			return &f.Status.Runs[i]
		}
	}
	return nil
}

// NeverRan reports whether no run of the workfile is known and no node has a state of its own.
func (f *Workfile) NeverRan() bool {
	return f.Known && f.Current() == nil &&
		!slices.ContainsFunc(f.Nodes, func(n api.NodeStatus) bool { return n.State != api.StateIdle })
}

// Current returns the run to show: the latest active run, otherwise the last run, otherwise nil.
func (f *Workfile) Current() *api.RunSummary {
	if n := len(f.Status.Runs); n > 0 {
		return &f.Status.Runs[n-1]
	}
	return f.Status.LastRun
}

// Count counts nodes by state, instances included: those of a run, or all if run is "".
func (f *Workfile) Count(run string) (c api.Counts) {
	for i := range f.Nodes {
		n := &f.Nodes[i]
		switch {
		case !f.Outer(i) || run != "" && n.Run != run:
		case n.Instances != nil && n.Instances.Nodes.Total() > 0:
			c.AddAll(n.Instances.Nodes)
		default:
			c.Add(n.Counted())
		}
	}
	return c
}
