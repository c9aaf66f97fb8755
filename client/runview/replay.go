package runview

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"wf/api"
)

// A Replay is a run that has been recorded, and the states of all nodes at any time of it. They follow from the recorded
// starts, ends and decisions, not from what the daemon knows now. The zero value is not useful; see NewReplay.
type Replay struct {
	moments []time.Time
	left    Workfile
	detail  api.RunDetail
	tries   map[string][]try // by node: its executions, in order
	asked   map[int]question // by node: what a person decided about it
}

// A try is one execution of a node.
type try struct {
	ready, start, end time.Time // ready = when the node could start; end is zero while it runs
	x                 *api.Execution
}

// A question is the time during which a node waited for a person.
type question struct {
	from, to time.Time
	approved bool
}

// NewReplay makes the replay of a run from its details and the workfile as it is now. With an Analysis in the details it also
// knows since when nodes could have started. It keeps d.
func NewReplay(now *Workfile, d api.RunDetail) *Replay {
	r := &Replay{left: LeftBy(now, d), detail: d, tries: map[string][]try{}, asked: map[int]question{}}
	seen := map[time.Time]bool{}
	note := func(t time.Time) {
		if t = t.Round(0); !t.IsZero() && !seen[t] {
			seen[t] = true
			r.moments = append(r.moments, t)
		}
	}
	note(d.Started)
	for i := range d.Execs {
		one := tryOf(&d.Execs[i])
		r.tries[one.x.Node] = append(r.tries[one.x.Node], one)
		note(one.start)
		note(one.end)
	}
	for _, list := range r.tries {
		slices.SortStableFunc(list, func(a, b try) int { return cmp.Compare(a.x.Execution, b.x.Execution) })
	}
	for _, made := range d.Decisions {
		note(made.Time)
		if i, known := r.left.Index[made.Node]; known {
			r.asked[i] = question{r.since(i, made.Time), made.Time, made.Approved}
		}
	}
	if d.Ended != nil {
		note(*d.Ended)
	}
	slices.SortFunc(r.moments, time.Time.Compare)
	return r
}

// tryOf returns the times of an execution.
func tryOf(x *api.Execution) try {
	t := try{x: x}
	if x.Ended != nil {
		t.end = *x.Ended
	}
	switch {
	case x.Started != nil:
		t.start = *x.Started
		if t.end.IsZero() && x.DurationMS != nil {
			t.end = t.start.Add(time.Duration(*x.DurationMS) * time.Millisecond)
		}
	default: // a blank command, or one that could not be started
		t.start = t.end
	}
	t.ready = t.start
	if x.WaitMS != nil {
		t.ready = t.start.Add(-time.Duration(*x.WaitMS) * time.Millisecond)
	}
	return t
}

// since returns when the last node before a node had ended, at most a time.
func (r *Replay) since(node int, most time.Time) time.Time {
	last := r.detail.Started
	for _, e := range r.left.In[node] {
		for _, one := range r.tries[r.left.Nodes[r.left.Edges[e].From].ID] {
			if one.end.After(last) && !one.end.After(most) {
				last = one.end
			}
		}
	}
	return last
}

// Moments returns the times at which something changed, in order, without duplicates. They belong to the replay.
func (r *Replay) Moments() []time.Time { return r.moments }

// At returns the workfile with the states of a time. From the end of the run on, these are the states that the run left.
func (r *Replay) At(t time.Time) Workfile {
	if d := r.detail.Ended; d != nil && !t.Before(*d) {
		return r.left
	}
	f := r.left
	f.Nodes, f.Edges = slices.Clone(f.Nodes), slices.Clone(f.Edges)
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Run != "" && n.State != api.StateKept {
			r.rewind(n, t)
			r.ask(n, i, t)
		}
	}
	r.rewindInstances(&f, t)
	r.skip(&f)
	for e := range f.Edges {
		f.decide(e)
	}
	f.block()
	return f
}

// rewind gives a node the state of a time.
func (r *Replay) rewind(n *api.NodeStatus, t time.Time) {
	was := *n
	*n = api.NodeStatus{ID: was.ID, Name: was.Name, Command: was.Command, Group: was.Group, Parent: was.Parent, X: was.X, Y: was.Y, Run: was.Run,
		Container: was.Container, SubFlow: was.SubFlow, Item: was.Item, Retries: was.Retries, Approve: was.Approve, State: api.StateIdle}
	for _, one := range r.tries[n.ID] {
		if one.ready.After(t) {
			if n.State == api.StateFailed {
				n.State = api.StateRetrying // another attempt follows
			}
			return
		}
		n.Executions, n.Attempt = one.x.Execution, 0
		if one.x.Inputs != nil {
			n.Attempt = max(0, one.x.Inputs.Attempt-1)
		}
		n.Started, n.DurationMS, n.Reason, n.ExitCode, n.Signal, n.Message, n.Handled = nil, nil, "", nil, "", "", false
		switch {
		case one.start.After(t):
			n.State, n.Executions = api.StateQueued, one.x.Execution-1
			return
		case one.end.IsZero() || one.end.After(t):
			start := one.start
			n.State, n.Started = api.StateRunning, &start
			return
		}
		executed(n, was.Run, *one.x)
	}
}

// ask gives a node the state of a question about it, if it has not run yet.
func (r *Replay) ask(n *api.NodeStatus, i int, t time.Time) {
	q, known := r.asked[i]
	if !known || n.State != api.StateIdle || t.Before(q.from) {
		return
	}
	switch {
	case t.Before(q.to):
		n.State, n.Wait = api.StateWaiting, &api.Wait{Kind: api.WaitApproval}
	case !q.approved:
		left := r.left.Nodes[i]
		n.State, n.Reason, n.Message, n.Handled = left.State, left.Reason, left.Message, left.Handled
	case len(r.tries[n.ID]) == 0: // it has no command
		n.State = r.left.Nodes[i].State
	}
}

// rewindInstances gives the instances of sub-flows the states of a time.
func (r *Replay) rewindInstances(f *Workfile, t time.Time) {
	f.InstancesLeft = map[int]map[int][]api.NodeStatus{}
	for root, instances := range r.left.InstancesLeft {
		begun := map[int][]api.NodeStatus{}
		for k, nodes := range instances {
			nodes = slices.Clone(nodes)
			some := false
			for i := range nodes {
				r.rewind(&nodes[i], t)
				some = some || nodes[i].State != api.StateIdle
			}
			if some {
				begun[k] = nodes
			}
		}
		f.InstancesLeft[root] = begun
		if len(begun) == 0 {
			continue
		}
		f.sumUp(root, r.detail.Run, begun)
		f.Nodes[root].State = stateOfSubFlow(f.Nodes[root].Instances.Nodes, len(begun) == len(instances), f.Nodes[root].State)
		f.Nodes[root].Started = firstStart(begun)
	}
}

// stateOfSubFlow returns the state of a sub-flow whose nodes have these states: it runs until all instances have begun and
// none of their nodes is active or can become so.
func stateOfSubFlow(c api.Counts, all bool, ended api.State) api.State {
	if c.Running+c.Queued+c.Waiting+c.Retrying > 0 || !all || c.Idle > 0 && c.Failed+c.Cancelled == 0 {
		return api.StateRunning
	}
	return ended
}

// firstStart returns when the first node of some instances started.
func firstStart(instances map[int][]api.NodeStatus) (first *time.Time) {
	for _, k := range slices.Sorted(maps.Keys(instances)) {
		for _, n := range instances[k] {
			if n.Started != nil && (first == nil || n.Started.Before(*first)) {
				first = n.Started
			}
		}
	}
	return first
}

// skip marks the nodes that the run skipped, as soon as all nodes before them have ended or are skipped.
func (r *Replay) skip(f *Workfile) {
	for changed := true; changed; {
		changed = false
		for i := range f.Nodes {
			if r.left.Nodes[i].State != api.StateSkipped || f.Nodes[i].State == api.StateSkipped {
				continue
			}
			decided := !slices.ContainsFunc(f.In[i], func(e int) bool { return !settled(f.Nodes[f.Edges[e].From].State) })
			if decided {
				f.Nodes[i].State, changed = api.StateSkipped, true
			}
		}
	}
}

// settled reports whether a node in this state has come to its end.
func settled(s api.State) bool {
	switch s {
	case api.StateOK, api.StateKept, api.StateFailed, api.StateCancelled, api.StateSkipped:
		return true
	}
	return false
}
