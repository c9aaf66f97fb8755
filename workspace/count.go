package workspace

import (
	"wf/api"
	"wf/graph"
	"wf/scheduler"
)

// What api.Counts says about counting is done here, for runs that are going and for what they have left.

// countAll counts the nodes in scope by state.
func (r *runState) countAll() api.Counts {
	var c api.Counts
	blocked, present := r.sched.Blocked(), []bool(nil)
	if r.flow != nil {
		present = r.sched.Current()
	}
	for i := range r.nodes {
		switch {
		case present == nil:
			c.Add(r.counted(i, blocked[i]))
		case present[i]:
			r.countNode(&c, i, blocked[i])
		}
	}
	return c
}

// counted is stateIn as it is counted.
func (r *runState) counted(i int, blocked bool) api.State {
	s := r.stateIn(i, blocked)
	if s == api.StateFailed && r.sched.Handled(i) {
		return api.StateHandled
	}
	return s
}

// countNode counts a node of a run with control flow: of a sub-flow the instances that are still to begin, and
// a failure of its own. The nodes of the others are counted one by one.
func (r *runState) countNode(c *api.Counts, i int, blocked bool) {
	members := r.sched.Members(i)
	first, _ := r.sched.Instances(i)
	known := max(len(first), r.sched.Planned(i))
	s := r.counted(i, blocked)
	if members == 0 || known == 0 {
		c.Add(s)
		return
	}
	c.Idle += (known - len(first)) * members
	if s == api.StateFailed || s == api.StateHandled {
		switch r.sched.Reason(i) {
		case scheduler.ReasonCancelled:
		case scheduler.ReasonInstances:
			if !r.anyFailed(i, first) {
				c.Add(s)
			}
		default:
			c.Add(s)
		}
	}
}

// anyFailed says whether an instance of a sub-flow has failed: then its nodes tell of it.
func (r *runState) anyFailed(i int, first []int) bool {
	for k := range first {
		if r.sched.InstanceFailed(i, k) {
			return true
		}
	}
	return false
}

// growth is what watchers have heard of how many nodes a run has.
type growth struct {
	total     int  // in RunStarted, or in the latest RunGrew
	kept      int  // of these, how many a resume keeps
	beginning bool // the first step is being taken: RunStarted reports all of it
	recalled  bool // instances of an earlier run were added since
}

// grown publishes that the run has other nodes than watchers know, if it has.
func (r *run) grown(w *Workspace) {
	if r.flow == nil || r.growth.beginning {
		return
	}
	total := r.sched.Total()
	if total == r.growth.total && !r.growth.recalled {
		return
	}
	if r.growth.recalled {
		r.growth.recalled, r.growth.kept = false, r.countAll().Kept
	}
	r.growth.total = total
	w.publish(api.Event{Type: api.RunGrew, Run: r.id, Client: r.client, Nodes: total, Kept: r.growth.kept})
}

// countFile counts the nodes of the workfile by state.
func (w *Workspace) countFile(blocked []bool) api.Counts {
	var c api.Counts
	for _, r := range w.runs {
		c.AddAll(r.countAll())
	}
	c.OK, c.Kept = c.OK+c.Kept, 0 // that is what a run says
	for _, n := range w.g.Nodes() {
		if !n.Runnable() || n.Home() != nil || w.runOf(n) != nil {
			continue
		}
		if p, known := w.before[n.ID]; known && n.SubFlow() && p.Status == n.Status && p.Instances > 0 {
			w.countPast(&c, n, w.localName(n), p)
			continue
		}
		s := w.state(n, blocked[n.Pos()])
		if rec := w.record(n); s == api.StateFailed && rec != nil && rec.handled {
			s = api.StateHandled
		}
		c.Add(s)
	}
	return c
}

// countPast counts what earlier runs have made of a node and, if it is a sub-flow, of the nodes in it.
func (w *Workspace) countPast(c *api.Counts, n *graph.Node, path string, p scheduler.PriorNode) {
	if !n.SubFlow() || p.Instances == 0 {
		c.Add(countedPast(p, w.last[path].rec))
		return
	}
	members := w.members(n)
	c.Idle += (p.Total() - p.Instances) * len(members)
	failed := false
	for k := range p.Instances {
		for _, m := range members {
			at := instancePath(path, k) + "/" + w.localName(m)
			past := w.before[at]
			failed = failed || past.Status == graph.Failed && !past.Handled
			w.countPast(c, m, at, past)
		}
	}
	if p.Status == graph.Failed && !p.Handled && !failed && api.Reason(p.Reason) != api.ReasonCancelled {
		c.Failed++
	}
}

// countInto counts a node of an instance with all that is in it.
func (r *runState) countInto(c *api.Counts, i int) {
	r.countNode(c, i, false)
	first, _ := r.sched.Instances(i)
	for _, at := range first {
		for j := range r.sched.Members(i) {
			r.countInto(c, at+j)
		}
	}
}

func countedPast(p scheduler.PriorNode, rec *nodeRecord) api.State {
	s := stateOf(p.Status, rec, false)
	if s == api.StateFailed && p.Handled {
		return api.StateHandled
	}
	return s
}
