package nodestate

import (
	"wf/api"
	"wf/graph"
	"wf/workspace/history"
	"wf/workspace/runstate"
	"wf/workspace/workfile"
)

// Latest is the latest run and the latest execution of a node.
type Latest struct {
	Run       int                 // the last run that covered the node; 0 if none is known
	Execution *runstate.Execution // its latest execution, possibly of an earlier run; nil if none is known
}

// State returns the state of a node as people see it. blocked means that a failure upstream keeps the node idle.
func (ns *Table) State(n *graph.Node, blocked bool) api.State {
	if n.Status == graph.Queued {
		if !ns.Covered(n) { // its run is lost or was on another machine, so nothing will start it
			return runstate.StateOf(graph.Idle, nil, blocked)
		}
		if r := ns.controlling(n); r != nil {
			i, _ := r.Sched.Index(n.ID)
			if s, _ := r.WaitingState(i); s != "" {
				return s
			}
		}
		for _, r := range ns.Runs {
			if s := r.TemplateWaits(n.ID); s != "" {
				return s
			}
		}
	}
	return runstate.StateOf(n.Status, ns.Record(n), blocked)
}

// Record returns the latest execution of a node if it explains the node's status, otherwise nil.
func (ns *Table) Record(n *graph.Node) *runstate.Execution {
	rec := ns.Latest[n.ID].Execution
	if rec == nil || rec.Status != n.Status {
		return nil
	}
	return rec
}

// Blocked finds the idle nodes that cannot run because of a failure: those that a failed node reaches through idle nodes of
// the same run. Cancelled nodes do not count, because the stop itself also keeps later nodes from running. For nodes of an
// active run the scheduler decides, because it takes other activations into account. The result is indexed by Node.Pos.
func (ns *Table) Blocked() []bool {
	nodes := ns.File.Graph().Nodes()
	blocked := make([]bool, len(nodes))
	type visit struct {
		n   *graph.Node
		run int // 0 = unknown
	}
	var stack []visit
	for _, n := range nodes {
		if rec := ns.Record(n); ns.State(n, false) == api.StateFailed && (rec == nil || !rec.Handled) {
			stack = append(stack, visit{n, ns.LastRun(n)})
		}
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range v.n.Out {
			t := e.Target
			run := ns.LastRun(t)
			same := run == v.run || run == 0 || v.run == 0
			if t.Status == graph.Idle && t.Runnable() && same && !blocked[t.Pos()] {
				blocked[t.Pos()] = true
				stack = append(stack, visit{t, v.run})
			}
		}
	}
	for _, r := range ns.Runs {
		for i, is := range r.Sched.Blocked()[:r.OuterNodes()] {
			if n := r.LiveNode(i); n != nil {
				blocked[n.Pos()] = is
			}
		}
	}
	return blocked
}

// LastRun returns the number of the last run that covered a node, or 0 if none is known.
func (ns *Table) LastRun(n *graph.Node) int { return ns.Latest[n.ID].Run }

// NodeStatus describes a node for clients.
func (ns *Table) NodeStatus(n *graph.Node, blocked bool) api.NodeStatus {
	s := api.NodeStatus{ID: n.ID, Name: ns.File.Handle(n), Command: n.Label, Status: n.Status.String(),
		State: ns.State(n, blocked), Group: n.Group, Container: n.Container}
	if n.Parent != nil {
		s.Parent = n.Parent.ID
	}
	if x, y, ok := n.Position(); ok {
		s.X, s.Y = &x, &y
	}
	s.Run = history.RunID(ns.LastRun(n))
	if rec := ns.Record(n); rec != nil {
		rec.Describe(&s)
		if rec.Run == ns.LastRun(n) {
			s.Executions = rec.Number
		}
	}
	s.FromFile = ns.File.Statuses().FromFile(n.ID)
	workfile.DescribeRules(n, &s)
	ns.describeControl(n, &s)
	return s
}
