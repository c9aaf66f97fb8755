package workspace

import (
	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/workspace/runstate"
)

// Counting follows the description at api.Counts, for active runs and for what earlier runs have left.

// growth is what watchers have heard of how many nodes a run has.
type growth struct {
	total     int  // in RunStarted, or in the latest RunGrew
	kept      int  // of these, how many a resume keeps
	beginning bool // the first step is being taken: RunStarted reports all of it
	recalled  bool // instances of an earlier run were added since
}

// grown publishes that the run has other nodes than watchers know, if it has.
func (r *run) grown(w *Workspace) {
	if r.Flow == nil || r.growth.beginning {
		return
	}
	total := r.Sched.Total()
	if total == r.growth.total && !r.growth.recalled {
		return
	}
	if r.growth.recalled {
		r.growth.recalled, r.growth.kept = false, r.CountAll().Kept
	}
	r.growth.total = total
	w.publish(api.Event{Type: api.RunGrew, Run: r.ID, Client: r.Request.Client, Nodes: total, Kept: r.growth.kept})
}

// countFile counts the nodes of the workfile by state.
func (ns *nodeTable) countFile(blocked []bool) api.Counts {
	var c api.Counts
	for _, r := range ns.runs {
		c.AddAll(r.CountAll())
	}
	c.OK, c.Kept = c.OK+c.Kept, 0 // only runs count what they kept
	for _, n := range ns.file.Graph().Nodes() {
		if !n.Runnable() || n.Home() != nil || ns.runOf(n) != nil {
			continue
		}
		if p, known := ns.before[n.ID]; known && n.SubFlow() && p.Status == n.Status && p.Instances > 0 {
			ns.countPast(&c, n, ns.localName(n), p)
			continue
		}
		s := ns.state(n, blocked[n.Pos()])
		if rec := ns.record(n); s == api.StateFailed && rec != nil && rec.Handled {
			s = api.StateHandled
		}
		c.Add(s)
	}
	return c
}

// countPast counts what earlier runs have left of a node and, for a sub-flow, of the nodes in it.
func (ns *nodeTable) countPast(c *api.Counts, n *graph.Node, path string, p scheduler.PriorNode) {
	if !n.SubFlow() || p.Instances == 0 {
		c.Add(countedPast(p, ns.last[path].rec))
		return
	}
	members := ns.members(n)
	c.Idle += (p.Total() - p.Instances) * len(members)
	failed := false
	for k := range p.Instances {
		for _, m := range members {
			at := instancePath(path, k) + "/" + ns.localName(m)
			past := ns.before[at]
			failed = failed || past.Status == graph.Failed && !past.Handled
			ns.countPast(c, m, at, past)
		}
	}
	if p.Status == graph.Failed && !p.Handled && !failed && api.Reason(p.Reason) != api.ReasonCancelled {
		c.Failed++
	}
}

func countedPast(p scheduler.PriorNode, rec *runstate.Execution) api.State {
	s := runstate.StateOf(p.Status, rec, false)
	if s == api.StateFailed && p.Handled {
		return api.StateHandled
	}
	return s
}
