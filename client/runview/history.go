package runview

import (
	"maps"
	"slices"

	"wf/api"
)

// LeftBy returns the workfile now with the states at the end of a run d. Nodes that did not take part are idle.
func LeftBy(now *Workfile, d api.RunDetail) Workfile {
	f := *now
	f.Nodes = make([]api.NodeStatus, len(now.Nodes))
	for i, n := range now.Nodes {
		f.Nodes[i] = api.NodeStatus{ID: n.ID, Name: n.Name, Command: n.Command, Group: n.Group, Parent: n.Parent, X: n.X, Y: n.Y, State: api.StateIdle,
			Container: n.Container, SubFlow: n.SubFlow, Retries: n.Retries, Approve: n.Approve}
	}
	f.Edges = slices.Clone(now.Edges)
	f.setInstances(d)
	for _, n := range d.Left {
		if i, known := f.Index[n.ID]; known {
			f.Nodes[i].State, f.Nodes[i].Run = n.State, d.Run
		}
	}
	for _, id := range d.Kept {
		if i, known := f.Index[id]; known {
			f.Nodes[i].State, f.Nodes[i].Run = api.StateKept, d.Run
		}
	}
	for _, x := range d.Execs {
		if i, known := f.Index[x.Node]; known {
			executed(&f.Nodes[i], d.Run, x)
		}
	}
	f.markSkipped(d)
	for e := range f.Edges {
		f.decide(e)
	}
	f.block()
	return f
}

// markSkipped marks the nodes without a path to them as skipped: in a run of the whole workfile, the nodes that are in
// no list of d.
func (f *Workfile) markSkipped(d api.RunDetail) {
	if d.Counts.Skipped == 0 || d.Nodes < len(f.Nodes) {
		return
	}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; f.Outer(i) && n.Run == "" && n.SubFlow == "" {
			n.State, n.Run = api.StateSkipped, d.Run
		}
	}
}

// executed applies an execution to its node.
func executed(n *api.NodeStatus, run string, x api.Execution) {
	n.Run, n.Executions, n.Started, n.DurationMS = run, max(n.Executions, x.Execution), x.Started, x.DurationMS
	n.Reason, n.ExitCode, n.Signal, n.Message, n.Handled = x.Reason, x.ExitCode, x.Signal, x.Message, x.Handled
	n.Attempt = 0
	if x.Inputs != nil {
		n.Attempt = max(0, x.Inputs.Attempt-1)
	}
	switch {
	case x.OK:
		n.State = api.StateOK
	case x.Reason == api.ReasonCancelled:
		n.State = api.StateCancelled
	default:
		n.State = api.StateFailed
	}
}

// setInstances sets the instances at the end of an earlier run.
func (f *Workfile) setInstances(d api.RunDetail) {
	f.InstancesLeft = map[int]map[int][]api.NodeStatus{}
	at := map[string]*api.NodeStatus{}
	var order []string
	node := func(path string) *api.NodeStatus {
		if at[path] == nil {
			at[path] = &api.NodeStatus{ID: path, Name: path, Run: d.Run, State: api.StateIdle}
			order = append(order, path)
		}
		return at[path]
	}
	for _, x := range d.Execs {
		if _, inner := SubFlowOf(x.Node); inner {
			executed(node(x.Node), d.Run, x)
		}
	}
	for _, n := range d.Left {
		if _, inner := SubFlowOf(n.ID); inner {
			node(n.ID).State = n.State
		}
	}
	for _, path := range order {
		name, _ := SubFlowOf(path)
		root := f.SubFlowNamed(name)
		if root < 0 {
			continue // the workfile has changed since
		}
		if f.InstancesLeft[root] == nil {
			f.InstancesLeft[root] = map[int][]api.NodeStatus{}
		}
		if i := f.Member(root, path); i >= 0 {
			at[path].Command = f.Nodes[i].Command
		}
		k := NumberBelow(name, path)
		f.InstancesLeft[root][k] = append(f.InstancesLeft[root][k], *at[path])
	}
	for root, instances := range f.InstancesLeft {
		f.sumUp(root, d.Run, instances)
	}
}

// mostNotable is the maximum number of instances of a sub-flow that a summary names.
const mostNotable = 20

// sumUp computes the summary of a sub-flow from the nodes of its instances.
func (f *Workfile) sumUp(root int, run string, instances map[int][]api.NodeStatus) {
	n := &f.Nodes[root]
	n.Run, n.State, n.Instances = run, api.StateOK, &api.Instances{}
	for _, k := range slices.Sorted(maps.Keys(instances)) {
		s := InstanceStatus(n.Name, k, instances[k], true)
		n.Instances.Counts.Add(s.State)
		n.Instances.Nodes.AddAll(s.Counts)
		n.Instances.Begun = max(n.Instances.Begun, k+1)
		if api.Notable(s.State) && len(n.Instances.Notable) < mostNotable {
			n.Instances.Notable = append(n.Instances.Notable, s)
		}
		if s.State == api.StateFailed || s.State == api.StateCancelled {
			n.State = s.State
		}
	}
}
