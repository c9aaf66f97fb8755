package runview

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"wf/api"
)

// noSubFlow stands for the sub-flow of a node that is in none.
const noSubFlow = -1

// setSubFlows computes the sub-flow of each node. The nodes of a plain group belong to the flow around the group.
func (f *Workfile) setSubFlows(all []api.NodeStatus) {
	parents := make(map[string]*api.NodeStatus, len(all))
	for i := range all {
		if all[i].Container {
			parents[all[i].ID] = &all[i]
		}
	}
	f.inside = make([]int, len(f.Nodes))
	f.Members = map[int][]int{}
	for i := range f.Nodes {
		f.inside[i] = noSubFlow
		for p := parents[f.Nodes[i].Parent]; p != nil; p = parents[p.Parent] {
			if at, known := f.Index[p.ID]; known {
				f.inside[i] = at
				f.Members[at] = append(f.Members[at], i)
				break
			}
		}
	}
	f.groups = map[string][]int{}
	for i := range f.Nodes {
		for p := parents[f.Nodes[i].Parent]; p != nil && p.SubFlow == ""; p = parents[p.Parent] {
			f.groups[p.ID] = append(f.groups[p.ID], i)
		}
	}
}

// isSubFlow reports whether a node of the API is a container that runs its nodes.
func isSubFlow(n *api.NodeStatus) bool { return n.Container && n.SubFlow != "" }

// Outer reports whether a node is in no sub-flow.
func (f *Workfile) Outer(i int) bool { return len(f.inside) == 0 || f.inside[i] == noSubFlow }

// ends returns the nodes at one end of an edge: the node itself, or the first or last nodes of a group.
func (f *Workfile) ends(id string, source bool, edges []api.EdgeStatus) []int {
	if i, known := f.Index[id]; known {
		return []int{i}
	}
	in := map[string]bool{}
	for _, i := range f.groups[id] {
		in[f.Nodes[i].ID] = true
	}
	var ends []int
	for _, i := range f.groups[id] {
		n := f.Nodes[i].ID
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

// Member returns the node of a sub-flow for the path of an instance's node, or -1: for each[3]/t the node t.
func (f *Workfile) Member(subFlow int, path string) int {
	for _, part := range strings.Split(path, "/")[1:] {
		name, _, _ := strings.Cut(part, "[")
		next := slices.IndexFunc(f.Members[subFlow], func(i int) bool { return f.Nodes[i].Name == part || baseName(f.Nodes[i].Name) == baseName(name) })
		if next < 0 {
			return -1
		}
		subFlow = f.Members[subFlow][next]
	}
	return subFlow
}

// LocalName returns the name of a node within its sub-flow: the last part of a path.
func LocalName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// baseName returns a handle without the suffix that makes it unique in the workfile.
func baseName(handle string) string {
	if i := strings.LastIndexByte(handle, '~'); i > 0 && strings.Trim(handle[i+1:], "0123456789") == "" {
		return handle[:i]
	}
	return handle
}

// SubFlowOf returns the outermost sub-flow of the path of an instance's node; ok is false for any other text.
func SubFlowOf(path string) (name string, ok bool) {
	if !strings.Contains(path, "]/") {
		return "", false
	}
	name, _, ok = strings.Cut(path, "[")
	return name, ok
}

// SubFlowNamed returns the outermost sub-flow with a name, or -1.
func (f *Workfile) SubFlowNamed(name string) int {
	found := -1
	for i := range f.Members {
		switch {
		case f.Nodes[i].Name == name:
			return i
		case f.Outer(i) && baseName(f.Nodes[i].Name) == name:
			found = i
		}
	}
	return found
}

// SetSummary sets the counts of the instances of a sub-flow.
func (f *Workfile) SetSummary(n api.NodeStatus) {
	i, known := f.Index[n.ID]
	if !known {
		return
	}
	have := &f.Nodes[i]
	have.Instances = n.Instances
	if have.State != n.State && have.Run == n.Run {
		have.State, have.Message, have.Reason = n.State, n.Message, n.Reason
		f.block()
	}
}

// FoldedState returns the state that stands for a folded sub-flow. It does not hide failures and questions.
func FoldedState(n *api.NodeStatus) api.State {
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

// NodeOf returns the node of the workfile for an id or the path of an instance's node, or -1.
func (f *Workfile) NodeOf(id string) int {
	if i, known := f.Index[id]; known {
		return i
	}
	name, ok := SubFlowOf(id)
	if !ok {
		return -1
	}
	root := f.SubFlowNamed(name)
	if root < 0 {
		return -1
	}
	return f.Member(root, id)
}

// InstanceStatus returns the status of an instance of the sub-flow at path, from the nodes of the instance. With deep
// set, nodes of sub-flows within it count, too.
func InstanceStatus(path string, k int, nodes []api.NodeStatus, deep bool) api.InstanceStatus {
	s := api.InstanceStatus{Path: path + "[" + strconv.Itoa(k) + "]", State: api.StateIdle}
	failed, cut := false, false
	for i := range nodes {
		n := &nodes[i]
		if strings.Count(n.ID, "/") != strings.Count(s.Path, "/")+1 && !deep {
			continue
		}
		s.Counts.Add(n.Counted())
		s.Item = cmp.Or(s.Item, n.Item)
		s.Name = cmp.Or(s.Name, instanceName(s.Path, n))
		failed = failed || n.State == api.StateFailed && !n.Handled
		cut = cut || n.State == api.StateCancelled && !n.Handled
	}
	if s.State = s.Counts.Instance(failed); cut && !failed {
		s.State = api.StateCancelled
	}
	return s
}

// instanceName returns the name of the instance at a path, from the name of one of its nodes, or "" if it equals the
// path.
func instanceName(path string, n *api.NodeStatus) string {
	if parts := strings.Split(n.Name, "/"); len(parts) == strings.Count(n.ID, "/")+1 {
		if name := strings.Join(parts[:min(strings.Count(path, "/")+1, len(parts))], "/"); name != path {
			return name
		}
	}
	return ""
}

// InstanceNumber returns 3 for each[3], or -1.
func InstanceNumber(path string) int {
	open := strings.LastIndexByte(path, '[')
	if open < 0 || !strings.HasSuffix(path, "]") {
		return -1
	}
	n, err := strconv.Atoi(path[open+1 : len(path)-1])
	if err != nil {
		return -1
	}
	return n
}

// NumberBelow returns the number of the instance of a sub-flow that contains a node: 3 for each and each[3]/t.
func NumberBelow(path, node string) int {
	rest := node[min(len(path), len(node)):]
	for i := range rest {
		if rest[i] == ']' {
			return InstanceNumber("x" + rest[:i+1])
		}
	}
	return -1
}
