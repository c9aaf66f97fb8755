package planning

import (
	"fmt"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/workspace/nodestate"
	"wf/workspace/runstate"
)

// A reasoner explains why each node of a plan would run: a selector names it, a resume repeats or reaches it, or everything
// runs.
type reasoner struct {
	nodes   *nodestate.Table
	mode    scheduler.Mode
	picks   map[*graph.Node]graph.Pick // nil if there are no selectors
	after   []*graph.Node              // by position, for a resume: the repeated node that leads there
	blocked []bool                     // by position
}

// planReasons returns the reasoner for a request.
func (pl *Planner) planReasons(req api.RunRequest, scope scheduler.Scope) (reasoner, error) {
	rs := reasoner{nodes: pl.Nodes, mode: scope.Mode, blocked: pl.Nodes.Blocked()}
	again, holders, err := pl.Nodes.InstancePaths(req.Nodes)
	if err != nil {
		return rs, err
	}
	if again != nil {
		req.Nodes = pl.Nodes.Names(nodestate.IDsOf(holders))
	}
	if len(req.Nodes) > 0 {
		picks, err := pl.File.Picks(req.Nodes)
		if err != nil {
			return rs, err
		}
		rs.picks = make(map[*graph.Node]graph.Pick, len(picks))
		for _, p := range picks {
			rs.picks[p.Node] = p
		}
	}
	if scope.Mode == scheduler.Resume {
		rs.after = downstream(pl.File.Graph(), scope.Failed)
	}
	return rs, nil
}

// downstream returns, by position, the nearest of the given nodes that leads to each node, or nil if none does.
func downstream(g *graph.Graph, from []*graph.Node) []*graph.Node {
	leader := make([]*graph.Node, len(g.Nodes()))
	queue := append([]*graph.Node(nil), from...)
	for _, n := range from {
		leader[n.Pos()] = n
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, e := range queue[0].Out {
			if leader[e.Target.Pos()] == nil {
				leader[e.Target.Pos()] = leader[queue[0].Pos()]
				queue = append(queue, e.Target)
			}
		}
	}
	return leader
}

// explain adds the reason of a step. trigger is the handle of the node whose non-blocking edge activates the node; "" if
// none does.
func (rs *reasoner) explain(step *api.PlanStep, n *graph.Node, trigger string) {
	switch {
	case rs.mode == scheduler.Resume:
		rs.resumed(step, n, trigger)
	case rs.picks != nil:
		rs.picked(step, n)
	case rs.nodes.Latest[n.ID].Execution == nil && n.Status == graph.Idle:
		step.Reason, step.Why = api.PlanNeverRan, "never ran"
		if step.State == api.StateBlocked {
			step.Reason, step.Why = api.PlanNotReached, "not reached"+in(step.Run)
		}
	default:
		step.Reason, step.Why = api.PlanAgain, lastEnd(step, rs.nodes.Record(n))
	}
}

// picked gives the reason for a node that a selector names.
func (rs *reasoner) picked(step *api.PlanStep, n *graph.Node) {
	p, known := rs.picks[n]
	step.Of = p.By
	switch {
	case !known: // a selector names a container around it
		step.Reason, step.Why, step.Of = api.PlanSelected, "selected", ""
	case p.Way == graph.Upstream:
		step.Reason, step.Why = api.PlanUpstream, "upstream of "+p.By
	case p.Way == graph.Downstream:
		step.Reason, step.Why = api.PlanDownstream, "downstream of "+p.By
	case p.By == step.Name || p.By == n.ID:
		step.Reason, step.Why = api.PlanSelected, "selected"
	default:
		step.Reason, step.Why = api.PlanSelected, "selected by "+p.By
	}
}

// resumed gives the reason for a node that a resume executes.
func (rs *reasoner) resumed(step *api.PlanStep, n *graph.Node, trigger string) {
	leader := rs.after[n.Pos()]
	switch {
	case step.State == api.StateCancelled:
		step.Reason, step.Why = api.PlanCancelled, "cancelled"+in(step.Run)
	case leader == n: // failed, or interrupted when a daemon died
		step.Reason, step.Why = api.PlanFailed, "failed"+in(step.Run)
		if rec := rs.nodes.Record(n); rec != nil {
			step.Why += ": " + rec.Cause()
		} else if n.Status != graph.Failed {
			step.Why = fmt.Sprintf("was left %q", n.Status)
		}
	case n.Status == graph.Ran && trigger != "":
		step.Reason, step.Of, step.Why = api.PlanTriggered, trigger, "triggered by "+trigger
	case leader != nil:
		step.Reason, step.Of = api.PlanDownstream, rs.nodes.File.Handle(leader)
		step.Why = "downstream of " + step.Of
	default:
		step.Reason, step.Why = api.PlanNotReached, "not reached"+in(step.Run)
	}
}

// lastEnd returns how the last execution of a node ended, for a fresh run that repeats it. rec may be nil.
func lastEnd(step *api.PlanStep, rec *runstate.Execution) string {
	switch step.State {
	case api.StateOK:
		return "ran" + in(step.Run)
	case api.StateFailed:
		if rec != nil {
			text := "failed" + in(step.Run) + ": " + rec.Cause()
			if rec.Handled {
				text += ", handled"
			}
			return text
		}
		return "failed" + in(step.Run)
	case api.StateIdle:
		return "not reached" + in(step.Run)
	}
	return string(step.State) + in(step.Run)
}

// in returns " in run N", or "" if the run is not known.
func in(run string) string {
	if run == "" {
		return ""
	}
	return " in run " + run
}
