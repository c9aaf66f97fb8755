package workspace

import (
	"time"

	"wf/api"
	"wf/executor"
	"wf/graph"
)

// memory is what is known of a node's past.
type memory struct {
	run   int         // the last run it took part in, executed or not; 0 = none is known
	rec   *nodeRecord // its latest execution, maybe of an earlier run; nil = none is known
	known bool        // its status is that of this machine, even if no run is known any more
}

// nodeRecord is what is known about a node's latest execution, or about a failure without one.
type nodeRecord struct {
	run        int
	executions int         // begun in that run
	live       bool        // handed to the executor and not over
	begun      bool        // its process exists, or has existed
	before     *nodeRecord // what was known before it; nil once it has begun
	pid        int         // while live
	lastPID    int
	started    time.Time
	ended      time.Time
	reason     api.Reason // of a failure
	exitCode   int
	signal     int
	message    string
	command    string // the line after wrapping
	out, err   executor.Range
	status     graph.Status // it led to: a file that says otherwise makes the record void
	mocked     bool         // it was not executed: its end was given
	handled    bool         // it failed, and an edge fired for that
	outputs    map[string]any
	inputs     *api.Inputs // of the execution; nil for a plain command
	ending     *ending     // for those who follow its output; nil = nobody
}

// state is what people see of a node now. blocked says that a failure upstream keeps it idle.
func (w *Workspace) state(n *graph.Node, blocked bool) api.State {
	if n.Status == graph.Queued {
		if !w.covered(n) { // a run that is gone, or never was here, has left it so: nobody will start it
			return stateOf(graph.Idle, nil, blocked)
		}
		if r := w.controlling(n); r != nil {
			i, _ := r.sched.Index(n.ID)
			if s, _ := r.waitingState(i); s != "" {
				return s
			}
		}
		for _, r := range w.runs {
			if s := r.templateWaits(n.ID); s != "" {
				return s
			}
		}
	}
	return stateOf(n.Status, w.record(n), blocked)
}

// stateOf derives what people see from a status and the record, if any, of the execution that led to it.
func stateOf(status graph.Status, rec *nodeRecord, blocked bool) api.State {
	switch status {
	case graph.Queued:
		return api.StateQueued
	case graph.Running:
		return api.StateRunning
	case graph.Ran:
		return api.StateOK
	case graph.Failed:
		if rec != nil && rec.reason == api.ReasonCancelled {
			return api.StateCancelled
		}
		return api.StateFailed
	case graph.Skipped:
		return api.StateSkipped
	}
	if blocked {
		return api.StateBlocked
	}
	return api.StateIdle
}

// record is the node's record if it still explains the node's status.
func (w *Workspace) record(n *graph.Node) *nodeRecord {
	rec := w.last[n.ID].rec
	if rec == nil || rec.status != n.Status {
		return nil
	}
	return rec
}

// blocked finds the idle nodes that a failed node upstream keeps from running (a cancelled one does
// not: what lies behind it was not started either): those reachable
// from it through idle nodes, as far as they took part in the same run. Of the nodes of a run that is going the
// scheduler knows better: what else may activate them. The result is indexed by Node.Pos.
func (w *Workspace) blocked() []bool {
	nodes := w.g.Nodes()
	blocked := make([]bool, len(nodes))
	type visit struct {
		n   *graph.Node
		run int // 0 = unknown
	}
	var stack []visit
	for _, n := range nodes {
		if rec := w.record(n); w.state(n, false) == api.StateFailed && (rec == nil || !rec.handled) {
			stack = append(stack, visit{n, w.lastRun(n)})
		}
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range v.n.Out {
			t := e.Target
			run := w.lastRun(t)
			same := run == v.run || run == 0 || v.run == 0
			if t.Status == graph.Idle && t.Runnable() && same && !blocked[t.Pos()] {
				blocked[t.Pos()] = true
				stack = append(stack, visit{t, v.run})
			}
		}
	}
	for _, r := range w.runs {
		for i, is := range r.sched.Blocked()[:r.outer()] {
			if n := r.liveNode(i); n != nil {
				blocked[n.Pos()] = is
			}
		}
	}
	return blocked
}

func (w *Workspace) lastRun(n *graph.Node) int { return w.last[n.ID].run }

// nodeStatus describes a node for clients.
func (w *Workspace) nodeStatus(n *graph.Node, blocked bool) api.NodeStatus {
	s := api.NodeStatus{ID: n.ID, Name: w.handle(n), Command: n.Label, Status: n.Status.String(),
		State: w.state(n, blocked), Group: n.Group, Container: n.Container}
	if n.Parent != nil {
		s.Parent = n.Parent.ID
	}
	if x, y, ok := n.Position(); ok {
		s.X, s.Y = &x, &y
	}
	s.Run = runID(w.lastRun(n))
	if rec := w.record(n); rec != nil {
		rec.describe(&s)
		if rec.run == w.lastRun(n) {
			s.Executions = rec.executions
		}
	}
	_, s.FromFile = w.foreign[n.ID]
	w.describeControl(n, &s)
	return s
}

func (rec *nodeRecord) describe(s *api.NodeStatus) {
	s.Message, s.Mocked, s.Handled = rec.message, rec.mocked, rec.handled
	if rec.live {
		s.PID = rec.pid
	} else {
		s.Reason = rec.reason
	}
	if !rec.started.IsZero() {
		s.Started = ptr(rec.started)
	}
	if rec.over() {
		s.DurationMS = ptr(took(rec.started, rec.ended))
		s.ExitCode, s.Signal = rec.exit(), signalName(rec.signal)
	}
}

// over reports whether an execution has begun and ended.
func (rec *nodeRecord) over() bool { return !rec.live && !rec.ended.IsZero() }

// exit is the exit code where there is one.
func (rec *nodeRecord) exit() *int {
	switch {
	case rec.signal != 0 || rec.reason == api.ReasonStart || rec.reason == api.ReasonLost:
		return nil
	case rec.executions == 0 && !rec.mocked && rec.reason != "": // it ended without having run
		return nil
	}
	return ptr(rec.exitCode)
}

func ptr[T any](v T) *T { return &v }

// handle is the short unique name of a node.
func (w *Workspace) handle(n *graph.Node) string { return w.table().Of(n) }

func (w *Workspace) table() *graph.HandleTable {
	if w.handles == nil {
		w.handles = graph.Handles(w.g)
	}
	return w.handles
}

// find resolves one node named by a client.
func (w *Workspace) find(text string) (*graph.Node, error) {
	nodes, err := w.sel([]string{text})
	if err != nil {
		return nil, err
	}
	if len(nodes) != 1 {
		return nil, invalid("%q names %d nodes, one is needed", text, len(nodes))
	}
	return nodes[0], nil
}

// sel resolves selectors to nodes in file order.
func (w *Workspace) sel(exprs []string) ([]*graph.Node, error) {
	picks, err := w.picks(exprs)
	if err != nil {
		return nil, err
	}
	nodes := make([]*graph.Node, len(picks))
	for i, p := range picks {
		nodes[i] = p.Node
	}
	return nodes, nil
}

// picks is sel with the reason for each node.
func (w *Workspace) picks(exprs []string) ([]graph.Pick, error) {
	var blocked []bool
	state := func(n *graph.Node) string {
		if blocked == nil {
			blocked = w.blocked()
		}
		return string(w.state(n, blocked[n.Pos()]))
	}
	picks, err := graph.Picks(w.g, w.table(), exprs, state)
	if err != nil {
		return nil, w.selectorError(err)
	}
	return picks, nil
}
