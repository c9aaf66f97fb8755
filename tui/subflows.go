package tui

import (
	"maps"
	"slices"
	"strings"

	"wf/api"
	"wf/tui/plain"
)

// nowhere is the sub-flow of a node that lies in none.
const nowhere = -1

// settle finds out which nodes lie in which sub-flow. A plain group is none: its nodes belong to what is
// around it.
func (f *flow) settle(all []api.NodeStatus) {
	parents := make(map[string]*api.NodeStatus, len(all))
	for i := range all {
		if all[i].Container {
			parents[all[i].ID] = &all[i]
		}
	}
	f.inside = make([]int, len(f.nodes))
	f.members = map[int][]int{}
	for i := range f.nodes {
		f.inside[i] = nowhere
		for p := parents[f.nodes[i].Parent]; p != nil; p = parents[p.Parent] {
			if at, known := f.index[p.ID]; known {
				f.inside[i] = at
				f.members[at] = append(f.members[at], i)
				break
			}
		}
	}
	f.groups = map[string][]int{}
	for i := range f.nodes {
		for p := parents[f.nodes[i].Parent]; p != nil && p.SubFlow == ""; p = parents[p.Parent] {
			f.groups[p.ID] = append(f.groups[p.ID], i)
		}
	}
}

// isSubFlow reports whether a node of the API is a container that runs its nodes.
func isSubFlow(n *api.NodeStatus) bool { return n.Container && n.SubFlow != "" }

// outer reports whether a node lies in no sub-flow.
func (f *flow) outer(i int) bool { return len(f.inside) == 0 || f.inside[i] == nowhere }

// ends returns the nodes that an end of an edge stands for: one, or the first or last ones of a group.
func (f *flow) ends(id string, source bool, edges []api.EdgeStatus) []int {
	if i, known := f.index[id]; known {
		return []int{i}
	}
	in := map[string]bool{}
	for _, i := range f.groups[id] {
		in[f.nodes[i].ID] = true
	}
	var ends []int
	for _, i := range f.groups[id] {
		n := f.nodes[i].ID
		if !slices.ContainsFunc(edges, func(e api.EdgeStatus) bool {
			near, far := e.Target, e.Source
			if source {
				near, far = far, near
			}
			return near == n && in[far]
		}) {
			ends = append(ends, i)
		}
	}
	return ends
}

// member returns the node of a sub-flow that a path names, or -1: for each[3]/t the node t.
func (f *flow) member(subFlow int, path string) int {
	for _, part := range strings.Split(path, "/")[1:] {
		name, _, _ := strings.Cut(part, "[")
		next := slices.IndexFunc(f.members[subFlow], func(i int) bool { return f.nodes[i].Name == part || baseName(f.nodes[i].Name) == baseName(name) })
		if next < 0 {
			return -1
		}
		subFlow = f.members[subFlow][next]
	}
	return subFlow
}

// localName returns the name of a node within its sub-flow: the last part of a path.
func localName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// baseName returns a handle without the suffix that makes it unique in the workfile.
func baseName(handle string) string {
	if i := strings.LastIndexByte(handle, '~'); i > 0 && strings.Trim(handle[i+1:], "0123456789") == "" {
		return handle[:i]
	}
	return handle
}

// rootOf returns the outermost sub-flow of the path of an instance's node; ok is false for any other text.
func rootOf(path string) (name string, ok bool) {
	if !strings.Contains(path, "]/") {
		return "", false
	}
	name, _, ok = strings.Cut(path, "[")
	return name, ok
}

// subFlowNamed returns the outermost sub-flow of a name, or -1.
func (f *flow) subFlowNamed(name string) int {
	found := -1
	for i := range f.members {
		switch {
		case f.nodes[i].Name == name:
			return i
		case f.outer(i) && baseName(f.nodes[i].Name) == name:
			found = i
		}
	}
	return found
}

// summary takes the counts of the instances of a sub-flow.
func (f *flow) summary(n api.NodeStatus) {
	i, known := f.index[n.ID]
	if !known {
		return
	}
	have := &f.nodes[i]
	have.Instances = cleanInstances(n.Instances)
	if have.State != n.State && have.Run == n.Run {
		have.State, have.Message, have.Reason = n.State, n.Message, n.Reason
		f.block()
	}
}

// cleanInstances makes the texts of a summary fit for a terminal.
func cleanInstances(in *api.Instances) *api.Instances {
	if in == nil {
		return nil
	}
	for i := range in.Notable {
		in.Notable[i].Item = plain.Line(in.Notable[i].Item)
	}
	return in
}

// worst returns the state of a folded sub-flow: it never hides a failure or a question.
func worst(n *api.NodeStatus) api.State {
	if n.Instances == nil {
		return n.Counted()
	}
	switch c := n.Instances.Counts; n.State {
	case api.StateRunning, api.StateQueued:
		switch {
		case c.Failed > 0:
			return api.StateFailed
		case c.Waiting > 0:
			return api.StateWaiting
		case c.Retrying > 0:
			return api.StateRetrying
		}
	}
	return n.Counted()
}

// nodeOf returns the node of the workfile for an id or the path of an instance's node, or -1.
func (f *flow) nodeOf(id string) int {
	if i, known := f.index[id]; known {
		return i
	}
	name, ok := rootOf(id)
	if !ok {
		return -1
	}
	root := f.subFlowNamed(name)
	if root < 0 {
		return -1
	}
	return f.member(root, id)
}

// leave takes all instances that an earlier run left.
func (f *flow) leave(d api.RunDetail) {
	f.left = map[int]map[int][]api.NodeStatus{}
	at := map[string]*api.NodeStatus{}
	var order []string
	node := func(path string) *api.NodeStatus {
		if at[path] == nil {
			at[path] = &api.NodeStatus{ID: path, Name: plain.Line(path), Run: d.Run, State: api.StateIdle}
			order = append(order, path)
		}
		return at[path]
	}
	for _, x := range d.Execs {
		if _, inner := rootOf(x.Node); inner {
			executed(node(x.Node), d.Run, x)
		}
	}
	for _, n := range d.Left {
		if _, inner := rootOf(n.ID); inner {
			node(n.ID).State = n.State
		}
	}
	for _, path := range order {
		name, _ := rootOf(path)
		root := f.subFlowNamed(name)
		if root < 0 {
			continue // the workfile has changed since
		}
		if f.left[root] == nil {
			f.left[root] = map[int][]api.NodeStatus{}
		}
		if i := f.member(root, path); i >= 0 {
			at[path].Command = f.nodes[i].Command
		}
		k := numberBelow(name, path)
		f.left[root][k] = append(f.left[root][k], *at[path])
	}
	for root, instances := range f.left {
		f.sumUp(root, d.Run, instances)
	}
}

// sumUp makes the summary of a sub-flow from the nodes of its instances.
func (f *flow) sumUp(root int, run string, instances map[int][]api.NodeStatus) {
	n := &f.nodes[root]
	n.Run, n.State, n.Instances = run, api.StateOK, &api.Instances{}
	page := instancePage{nodes: instances, deep: true}
	for _, k := range slices.Sorted(maps.Keys(instances)) {
		s := page.status(n.Name, k)
		n.Instances.Counts.Add(s.State)
		n.Instances.Nodes.AddAll(s.Counts)
		n.Instances.Begun = max(n.Instances.Begun, k+1)
		if instanceRank[s.State] > 0 && len(n.Instances.Notable) < pageSize {
			n.Instances.Notable = append(n.Instances.Notable, s)
		}
		if s.State == api.StateFailed || s.State == api.StateCancelled {
			n.State = s.State
		}
	}
}
