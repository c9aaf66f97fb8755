package nodestate

import (
	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/workspace/runstate"
)

// Count returns the number of nodes of the workfile in each state. blocked is the result of Blocked.
func (ns *Table) Count(blocked []bool) api.Counts {
	var c api.Counts
	for _, r := range ns.Runs {
		c.AddAll(r.CountAll())
	}
	c.OK, c.Kept = c.OK+c.Kept, 0 // only runs count kept nodes
	for _, n := range ns.File.Graph().Nodes() {
		if !n.Runnable() || n.Home() != nil || ns.RunOf(n) != nil {
			continue
		}
		if p, known := ns.Prior[n.ID]; known && n.SubFlow() && p.Status == n.Status && p.Instances > 0 {
			ns.countPrior(&c, n, ns.LocalName(n), p)
			continue
		}
		s := ns.State(n, blocked[n.Pos()])
		if rec := ns.Record(n); s == api.StateFailed && rec != nil && rec.Handled {
			s = api.StateHandled
		}
		c.Add(s)
	}
	return c
}

// countPrior counts a node by its prior state and, for a sub-flow, the nodes in its instances.
func (ns *Table) countPrior(c *api.Counts, n *graph.Node, path string, p scheduler.PriorNode) {
	if !n.SubFlow() || p.Instances == 0 {
		c.Add(priorState(p, ns.Latest[path].Execution))
		return
	}
	members := ns.members(n)
	c.Idle += (p.Total() - p.Instances) * len(members)
	failed := false
	for k := range p.Instances {
		for _, m := range members {
			at := instancePath(path, k) + "/" + ns.LocalName(m)
			past := ns.Prior[at]
			failed = failed || past.Status == graph.Failed && !past.Handled
			ns.countPrior(c, m, at, past)
		}
	}
	if p.Status == graph.Failed && !p.Handled && !failed && api.Reason(p.Reason) != api.ReasonCancelled {
		c.Failed++
	}
}

func priorState(p scheduler.PriorNode, rec *runstate.Execution) api.State {
	s := runstate.StateOf(p.Status, rec, false)
	if s == api.StateFailed && p.Handled {
		return api.StateHandled
	}
	return s
}
