package nodestate

import (
	"slices"
	"strconv"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
	"wf/workspace/history"
	"wf/workspace/runstate"
	"wf/workspace/workfile"
)

// controlling returns the active run with control flow that covers a node, or nil.
func (ns *Table) controlling(n *graph.Node) *Run {
	for _, r := range ns.Runs {
		if r.Flow == nil {
			continue
		}
		if _, in := r.Sched.Index(n.ID); in {
			return r
		}
	}
	return nil
}

// describeControl adds the fields that only nodes with control flow have.
func (ns *Table) describeControl(n *graph.Node, s *api.NodeStatus) {
	if n.SubFlow() {
		s.SubFlow = workfile.SubFlowWord(n)
	}
	r := ns.controlling(n)
	if r == nil {
		if p, known := ns.Prior[n.ID]; known && n.SubFlow() && p.Status == n.Status {
			s.Instances = ns.priorInstances(n, p)
		}
		return
	}
	i, _ := r.Sched.Index(n.ID)
	r.DescribeControl(i, s)
}

// priorInstances summarizes the instances of a sub-flow in the last run that covered it.
func (ns *Table) priorInstances(n *graph.Node, p scheduler.PriorNode) *api.Instances {
	in := &api.Instances{Begun: p.Instances, Total: p.Total()}
	members, words := ns.membersOf(n), append(scheduler.ItemNames(p.Items, p.Key), make([]string, max(0, p.Instances-len(p.Items)))...)
	notable := map[api.State][]api.InstanceStatus{}
	for k := range p.Instances {
		s := api.InstanceStatus{Path: instancePath(ns.LocalName(n), k)}
		if words[k] != "" {
			s.Name = ns.LocalName(n) + "[" + words[k] + "]"
		}
		failed := false
		if k < len(p.Items) {
			s.Item = expression.Format(p.Items[k])
		}
		for _, m := range members {
			path := s.Path + "/" + m
			past := ns.Prior[path]
			s.Counts.Add(priorState(past, ns.Latest[path].Execution))
			failed = failed || past.Status == graph.Failed && !past.Handled
		}
		s.State = s.Counts.Instance(failed)
		runstate.AddInstance(in, k, s.State)
		if list := notable[s.State]; s.State != api.StateOK && len(list) < runstate.NotableInstances {
			notable[s.State] = append(list, s)
		}
	}
	in.Notable = append(notable[api.StateFailed], notable[api.StateCancelled]...)
	ns.countPrior(&in.Nodes, n, ns.LocalName(n), p)
	return in
}

// membersOf returns the local names of the nodes that run in each instance of a sub-flow.
func (ns *Table) membersOf(subflow *graph.Node) []string {
	var names []string
	for _, n := range ns.members(subflow) {
		names = append(names, ns.LocalName(n))
	}
	return names
}

func (ns *Table) members(subflow *graph.Node) (members []*graph.Node) {
	for _, n := range ns.File.Graph().Nodes() {
		if n.Parent != nil && n.Runnable() && n.Home() == subflow {
			members = append(members, n)
		}
	}
	return members
}

// localTable caches the local names of nodes while the handles are valid.
type localTable struct {
	handles *graph.HandleTable
	flow    *flow.Flow
}

// LocalName returns the name of a node in paths.
func (ns *Table) LocalName(n *graph.Node) string {
	if t := ns.File.Handles(); ns.local.handles != t {
		f, _ := flow.Read(ns.File.Graph())
		ns.local = localTable{t, f}
	}
	return ns.local.flow.LocalName(n)
}

// DescribeEdges adds to each edge whether the last run has taken it.
func (ns *Table) DescribeEdges(edges []api.EdgeStatus) {
	if len(ns.Prior) == 0 && !slices.ContainsFunc(ns.Runs, func(r *Run) bool { return r.Flow != nil }) {
		return
	}
	live := map[int]*api.EdgeStatus{}
	for i := range edges {
		s := &edges[i]
		live[s.Key] = s
		p, known := ns.Prior[s.Source]
		if !known {
			continue
		}
		if n := ns.File.Graph().Node(s.Source); n == nil || n.Status != p.Status {
			continue
		}
		s.Taken = slices.Contains(p.Fired, s.Key)
		s.Dead = !s.Taken && (p.Handled || p.Status == graph.Ran || p.Status == graph.Skipped)
	}
	for _, r := range ns.Runs {
		for j, e := range r.LiveEdges {
			if e == nil || r.Flow == nil {
				continue
			}
			if s := live[e.Key]; s != nil {
				s.Taken, s.Dead = r.Sched.Taken(j), r.Sched.Dead(j)
			}
		}
	}
}

// SelectInstances returns the nodes of instances that a selector names: align[3], align[*]/trim, align[3]/trim, or
// align[40-59] for clients that show pages. ok is false if the selector names none.
func (ns *Table) SelectInstances(selector string) (nodes []api.NodeStatus, ok bool) {
	if !strings.Contains(selector, "]") {
		return nil, false
	}
	selector = ns.Numbered(selector)
	for _, r := range ns.Runs {
		for i := r.OuterNodes(); i < len(r.Nodes); i++ {
			if pathMatches(selector, r.Nodes[i].ID) {
				nodes = append(nodes, r.NodeStatus(i))
			}
		}
	}
	if nodes != nil {
		return nodes, true
	}
	namer := &PathNamer{Nodes: ns}
	for path, p := range ns.Prior {
		if strings.Contains(path, "]/") && pathMatches(selector, path) {
			nodes = append(nodes, ns.priorNodeStatus(namer, path, p))
		}
	}
	slices.SortFunc(nodes, func(a, b api.NodeStatus) int { return comparePaths(a.ID, b.ID) })
	return nodes, nodes != nil
}

// InstancesInState returns the nodes of instances that are in a state, ordered by instance number.
func (ns *Table) InstancesInState(state string) (nodes []api.NodeStatus) {
	for _, r := range ns.Runs {
		for i := r.OuterNodes(); i < len(r.Nodes); i++ {
			if string(r.StateIn(i, false)) == state {
				nodes = append(nodes, r.NodeStatus(i))
			}
		}
	}
	if slices.ContainsFunc(ns.Runs, func(r *Run) bool { return len(r.Nodes) > r.OuterNodes() }) {
		return nodes // the active run replaces the earlier instances of these nodes
	}
	namer := &PathNamer{Nodes: ns}
	for path, p := range ns.Prior {
		if strings.Contains(path, "]/") && string(runstate.StateOf(p.Status, ns.Latest[path].Execution, false)) == state {
			nodes = append(nodes, ns.priorNodeStatus(namer, path, p))
		}
	}
	slices.SortFunc(nodes, func(a, b api.NodeStatus) int { return comparePaths(a.ID, b.ID) })
	return nodes
}

// priorNodeStatus describes a node of an instance of a run that is over.
func (ns *Table) priorNodeStatus(namer *PathNamer, path string, p scheduler.PriorNode) api.NodeStatus {
	s := api.NodeStatus{ID: path, Name: namer.Name(path), Status: p.Status.String(), Outputs: p.Outputs,
		State: runstate.StateOf(p.Status, ns.Latest[path].Execution, false), Run: history.RunID(ns.Latest[path].Run)}
	if rec := ns.Latest[path].Execution; rec != nil {
		rec.Describe(&s)
		s.Executions, s.Command = rec.Number, rec.Command
	}
	s.Handled, s.Mocked = p.Handled, p.Mocked
	s.Item = ns.priorItem(path)
	return s
}

// priorItem returns the item of the instance that a path of an earlier run names; "" if there is none.
func (ns *Table) priorItem(path string) string {
	end := strings.LastIndexByte(path, ']')
	open := strings.LastIndexByte(path[:max(end, 0)], '[')
	if open < 0 {
		return ""
	}
	k, err := strconv.Atoi(path[open+1 : end])
	subFlow := path[:open]
	if !strings.Contains(subFlow, "[") { // a sub-flow of the outer flow is found by its id
		n, found := ns.subFlowCalled(subFlow)
		if !found {
			return ""
		}
		subFlow = n.ID
	}
	if items := ns.Prior[subFlow].Items; err == nil && k < len(items) {
		return expression.Format(items[k])
	}
	return ""
}

// subFlowCalled finds a sub-flow of the outer flow by its name in paths.
func (ns *Table) subFlowCalled(name string) (*graph.Node, bool) {
	for _, n := range ns.File.Graph().Nodes() {
		if n.SubFlow() && n.Home() == nil && ns.LocalName(n) == name {
			return n, true
		}
	}
	return nil, false
}

// pathMatches reports whether a selector names a path, or an instance that contains it. [*] matches every instance, [40-59]
// the instances with these numbers.
func pathMatches(selector, path string) bool {
	want, have := strings.Split(selector, "/"), strings.Split(path, "/")
	if len(want) > len(have) {
		return false
	}
	for i, w := range want {
		if w != have[i] && w != "*" && !severalMatch(w, have[i]) {
			return false
		}
	}
	return true
}

// severalMatch reports whether a selector part for several instances includes the given instance.
func severalMatch(part, instance string) bool {
	name, which, ok := strings.Cut(strings.TrimSuffix(part, "]"), "[")
	number, inside := strings.CutPrefix(strings.TrimSuffix(instance, "]"), name+"[")
	if !ok || !inside {
		return false
	}
	if which == "*" {
		return true
	}
	first, last, isRange := strings.Cut(which, "-")
	if !isRange {
		return false
	}
	from, errFrom := strconv.Atoi(first)
	to, errTo := strconv.Atoi(last)
	k, err := strconv.Atoi(number)
	return errFrom == nil && errTo == nil && err == nil && from <= k && k <= to
}

func instancePath(name string, k int) string { return name + "[" + strconv.Itoa(k) + "]" }

// comparePaths orders paths so that align[9] comes before align[10].
func comparePaths(a, b string) int {
	for a != "" && b != "" {
		na, nb := digits(a), digits(b)
		if na > 0 && nb > 0 {
			if na != nb {
				return na - nb
			}
			if c := strings.Compare(a[:na], b[:nb]); c != 0 {
				return c
			}
			a, b = a[na:], b[nb:]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}
