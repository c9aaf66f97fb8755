package runstate

import (
	"wf/api"
	"wf/graph"
	"wf/scheduler"
)

// StateIn returns the state of a node as people see it. A node that an earlier run has completed is "kept".
func (r *State) StateIn(i int, blocked bool) api.State {
	rec := r.Nodes[i].Execution
	if s, _ := r.WaitingState(i); s != "" {
		return s
	}
	s := StateOf(r.Sched.Status(i), rec, blocked)
	if rec == nil && (s == api.StateOK || s == api.StateFailed && r.Sched.Handled(i)) {
		return api.StateKept
	}
	return s
}

// CountAll counts the nodes in scope by state.
func (r *State) CountAll() api.Counts {
	var c api.Counts
	blocked, present := r.Sched.Blocked(), []bool(nil)
	if r.Flow != nil {
		present = r.Sched.Current()
	}
	for i := range r.Nodes {
		switch {
		case present == nil:
			c.Add(r.counted(i, blocked[i]))
		case present[i]:
			r.countNode(&c, i, blocked[i])
			if rec := r.Nodes[i].Execution; rec != nil && rec.UpToDate && rec.Status == graph.Ran && r.Sched.Status(i) == graph.Ran {
				c.UpToDate++
			}
		}
	}
	return c
}

// counted is StateIn with the states of api.Counts.
func (r *State) counted(i int, blocked bool) api.State {
	s := r.StateIn(i, blocked)
	if s == api.StateFailed && r.Sched.Handled(i) {
		return api.StateHandled
	}
	return s
}

// countNode counts a node of a run with control flow. For a sub-flow it counts the instances that have not started, and a
// failure of the sub-flow itself. The nodes of the other instances are counted one by one.
func (r *State) countNode(c *api.Counts, i int, blocked bool) {
	members := r.Sched.Members(i)
	first, _ := r.Sched.Instances(i)
	known := max(len(first), r.Sched.Planned(i))
	s := r.counted(i, blocked)
	if members == 0 || known == 0 {
		c.Add(s)
		return
	}
	c.Idle += (known - len(first)) * members
	if s == api.StateFailed || s == api.StateHandled {
		switch r.Sched.Reason(i) {
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

// anyFailed reports whether a node in an instance of a sub-flow has failed. Then that node is counted, not the sub-flow.
func (r *State) anyFailed(i int, first []int) bool {
	for k := range first {
		if r.Sched.InstanceFailed(i, k) {
			return true
		}
	}
	return false
}

// countInto counts a node of an instance and everything in it.
func (r *State) countInto(c *api.Counts, i int) {
	r.countNode(c, i, false)
	first, _ := r.Sched.Instances(i)
	for _, at := range first {
		for j := range r.Sched.Members(i) {
			r.countInto(c, at+j)
		}
	}
}

// Executions counts the executions of a run that have not ended.
type Executions struct {
	Here    Load // on this machine
	Engines Load
}

// A Load is a number of executions.
type Load struct {
	InFlight int // handed to the executor, and not ended
	Running  int // those of them that were reported as started
}

// InFlight returns how many executions the executor has.
func (e *Executions) InFlight() int { return e.Here.InFlight + e.Engines.InFlight }

// Running returns how many executions have started and not ended.
func (e *Executions) Running() int { return e.Here.Running + e.Engines.Running }

// loadOf returns the load that counts an execution.
func (e *Executions) loadOf(x *Execution) *Load {
	if x.AtEngine() {
		return &e.Engines
	}
	return &e.Here
}
