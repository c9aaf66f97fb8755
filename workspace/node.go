package workspace

import (
	"wf/api"
	"wf/graph"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// memory is what is known of the last run of a node.
type memory struct {
	run int                 // the last run that covered it; 0 = none is known
	rec *runstate.Execution // its latest execution, maybe of an earlier run; nil = none is known
}

// state returns the state of a node for people. blocked means that a failure upstream keeps it idle.
func (ns *nodeTable) state(n *graph.Node, blocked bool) api.State {
	if n.Status == graph.Queued {
		if !ns.covered(n) { // its run is gone or was never here, so nothing will start it
			return runstate.StateOf(graph.Idle, nil, blocked)
		}
		if r := ns.controlling(n); r != nil {
			i, _ := r.Sched.Index(n.ID)
			if s, _ := r.WaitingState(i); s != "" {
				return s
			}
		}
		for _, r := range ns.runs {
			if s := r.TemplateWaits(n.ID); s != "" {
				return s
			}
		}
	}
	return runstate.StateOf(n.Status, ns.record(n), blocked)
}

// record returns the latest execution of a node if it explains the node's status, else nil.
func (ns *nodeTable) record(n *graph.Node) *runstate.Execution {
	rec := ns.last[n.ID].rec
	if rec == nil || rec.Status != n.Status {
		return nil
	}
	return rec
}

// blocked finds the idle nodes that a failed node upstream keeps from running: those that it reaches through idle nodes of the same
// run. A cancelled node does not count: the stop also keeps what lies behind it from running. For the nodes of an active run
// the scheduler decides, which knows what else may activate them. The result is indexed by Node.Pos.
func (ns *nodeTable) blocked() []bool {
	nodes := ns.file.Graph().Nodes()
	blocked := make([]bool, len(nodes))
	type visit struct {
		n   *graph.Node
		run int // 0 = unknown
	}
	var stack []visit
	for _, n := range nodes {
		if rec := ns.record(n); ns.state(n, false) == api.StateFailed && (rec == nil || !rec.Handled) {
			stack = append(stack, visit{n, ns.lastRun(n)})
		}
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range v.n.Out {
			t := e.Target
			run := ns.lastRun(t)
			same := run == v.run || run == 0 || v.run == 0
			if t.Status == graph.Idle && t.Runnable() && same && !blocked[t.Pos()] {
				blocked[t.Pos()] = true
				stack = append(stack, visit{t, v.run})
			}
		}
	}
	for _, r := range ns.runs {
		for i, is := range r.Sched.Blocked()[:r.OuterNodes()] {
			if n := r.liveNode(i); n != nil {
				blocked[n.Pos()] = is
			}
		}
	}
	return blocked
}

func (ns *nodeTable) lastRun(n *graph.Node) int { return ns.last[n.ID].run }

// nodeStatus describes a node for clients.
func (ns *nodeTable) nodeStatus(n *graph.Node, blocked bool) api.NodeStatus {
	s := api.NodeStatus{ID: n.ID, Name: ns.file.Handle(n), Command: n.Label, Status: n.Status.String(),
		State: ns.state(n, blocked), Group: n.Group, Container: n.Container}
	if n.Parent != nil {
		s.Parent = n.Parent.ID
	}
	if x, y, ok := n.Position(); ok {
		s.X, s.Y = &x, &y
	}
	s.Run = history.RunID(ns.lastRun(n))
	if rec := ns.record(n); rec != nil {
		rec.Describe(&s)
		if rec.Run == ns.lastRun(n) {
			s.Executions = rec.Number
		}
	}
	s.FromFile = ns.file.Statuses().FromFile(n.ID)
	ns.describeControl(n, &s)
	return s
}
