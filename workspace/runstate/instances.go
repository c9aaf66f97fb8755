package runstate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"wf/api"
	"wf/scheduler"
	"wf/scheduler/expression"
)

func (r *State) DescribeControl(i int, s *api.NodeStatus) {
	_, s.Wait = r.WaitingState(i)
	s.Attempt, s.Instances = r.Sched.Attempt(i), r.instancesOf(i)
}

// NodeStatus describes a node of an instance.
func (r *State) NodeStatus(i int) api.NodeStatus {
	s := r.FinalStatus(i, false)
	s.Command, s.Outputs = r.Nodes[i].Command, r.KnownOutputs(i)
	if subflow, _, ok := r.Sched.Instance(i); ok {
		s.Parent = r.Nodes[subflow].ID
		s.Item = r.ItemOf(i)
	}
	r.DescribeControl(i, &s)
	return s
}

// KnownOutputs returns the outputs of a node's latest execution that is over, or of the approval before it.
func (r *State) KnownOutputs(i int) map[string]any {
	if values := r.Sched.Outputs(i); values != nil {
		return values
	}
	if rec := r.Nodes[i].Execution; rec != nil && rec.Run == r.Number && !rec.Live {
		return rec.Outputs
	}
	return nil
}

// instancesOf summarizes the instances of a sub-flow. It returns nil for other nodes.
func (r *State) instancesOf(i int) *api.Instances {
	first, items := r.Sched.Instances(i)
	if r.Sched.Members(i) == 0 {
		return nil
	}
	in := &api.Instances{Begun: len(first), Total: r.Sched.Planned(i)}
	in.Nodes.Idle = max(0, in.Total-in.Begun) * r.Sched.Members(i)
	notable := map[api.State][]api.InstanceStatus{}
	for k, at := range first {
		s := r.instance(i, k, at, items)
		AddInstance(in, k, s.State)
		for j := range r.Sched.Members(i) {
			r.countInto(&in.Nodes, at+j)
		}
		if list := notable[s.State]; len(list) < NotableInstances {
			notable[s.State] = append(list, s)
		}
	}
	for _, state := range [...]api.State{api.StateFailed, api.StateCancelled, api.StateWaiting, api.StateRetrying, api.StateRunning} {
		in.Notable = append(in.Notable, notable[state]...)
	}
	return in
}

// AddInstance counts instance k.
func AddInstance(in *api.Instances, k int, state api.State) {
	in.Counts.Add(state)
	if state == api.StateFailed && len(in.Failed) < api.MostFailed {
		in.Failed = append(in.Failed, k)
	}
}

// NotableInstances bounds how many instances in each state are listed.
const NotableInstances = 10

// instance describes one instance of a sub-flow. Its state is the most urgent one of its nodes: it has failed if any node in
// it has.
func (r *State) instance(subflow, k, first int, items []any) api.InstanceStatus {
	s := api.InstanceStatus{Path: r.Sched.InstancePath(subflow, k)}
	if words := r.itemWordsOf(subflow); k < len(words) && words[k] != "" {
		s.Name = r.Nodes[subflow].Name + "[" + words[k] + "]"
	}
	if k < len(items) {
		s.Item = expression.Format(items[k])
	}
	for i := first; i < first+r.Sched.Members(subflow); i++ {
		s.Counts.Add(r.counted(i, false))
	}
	s.State = s.Counts.Instance(r.Sched.InstanceFailed(subflow, k))
	return s
}

// knownItems caches the names of the instances of one sub-flow.
type knownItems struct {
	subflow int
	first   *any // the first item; identifies the activation that the names belong to
	words   []string
}

// itemWordsOf returns the names of the instances of a sub-flow.
func (r *State) itemWordsOf(subflow int) []string {
	items := r.Sched.Items(subflow)
	if len(items) == 0 {
		return nil
	}
	if k := &r.words; k.first != &items[0] || k.subflow != subflow || len(k.words) != len(items) {
		r.words = knownItems{subflow, &items[0], scheduler.ItemNames(items, r.Sched.ItemKey(subflow))}
	}
	return r.words.words
}

// shownName returns the name of a node of an instance for people: its path, with items in place of numbers.
func (r *State) shownName(i int, path string) string {
	subflow, instance, ok := r.Sched.Instance(i)
	at := strings.LastIndex(path, "]/")
	open := strings.LastIndexByte(path[:max(at, 0)], '[')
	if !ok || open < 0 {
		return path
	}
	head, number := path[:open], path[open+1:at]
	if subflow >= r.OuterNodes() && subflow < len(r.Nodes) {
		head = r.Nodes[subflow].Name
	}
	if r.Sched.Once(subflow) {
		return head + path[at+1:]
	}
	if words := r.itemWordsOf(subflow); instance < len(words) && words[instance] != "" {
		number = words[instance]
	}
	if head == path[:open] && number == path[open+1:at] {
		return path
	}
	return head + "[" + number + path[at:]
}

// ItemOf returns the item of the instance that contains a node, as text; "" if there is none.
func (r *State) ItemOf(i int) string {
	subflow, instance, ok := r.Sched.Instance(i)
	if !ok {
		return ""
	}
	if items := r.Sched.Items(subflow); instance < len(items) {
		return expression.Format(items[instance])
	}
	return ""
}

// instancesOfTemplate returns the nodes of the run that are instances of a node of the workfile.
func (r *State) instancesOfTemplate(id string) (nodes []int) {
	if r.Templates[id] == nil {
		return nil
	}
	present := r.Sched.Current()
	for i := r.OuterNodes(); i < len(r.Nodes); i++ {
		if present[i] && r.Sched.Template(i) == id {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// ExplainTemplate explains the instances of a node of a sub-flow: a single instance in full, several by their states. It
// returns false if the run has no such node.
func (r Explainer) ExplainTemplate(why *api.Why, id string) bool {
	if r.Templates[id] == nil {
		return false
	}
	nodes := r.instancesOfTemplate(id)
	why.Run = r.ID
	switch len(nodes) {
	case 0:
		why.Text = append(why.Text, "It is part of a container of which no instance has begun in this run.")
	case 1:
		why.Node = r.instanceStatus(nodes[0])
		r.Explain(why, nodes[0])
	default:
		why.Text = append(why.Text, r.templateSentences(nodes)...)
	}
	return true
}

// instanceStatus describes a node of an instance.
func (r Explainer) instanceStatus(i int) api.NodeStatus {
	if !r.Replayed {
		return r.NodeStatus(i)
	}
	s := r.FinalStatus(i, r.Sched.Blocked()[i])
	s.Command = r.Nodes[i].Command
	return s
}

// templateSentences returns how many instances are in each state, and which of them wf why can explain.
func (r Explainer) templateSentences(nodes []int) []string {
	blocked := r.Sched.Blocked()
	state := map[int]api.State{}
	var counts api.Counts
	for _, i := range nodes {
		state[i] = r.StateIn(i, blocked[i])
		counts.Add(state[i])
	}
	slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(api.Severity(state[a]), api.Severity(state[b])) })
	names := make([]string, len(nodes))
	for k, i := range nodes {
		names[k] = fmt.Sprintf("%s %s", r.Nodes[i].Name, state[i])
	}
	return []string{
		fmt.Sprintf("It runs in each instance of its container, and %d of them have started: %s.", len(nodes), api.Several(names, 8)),
		fmt.Sprintf("For one of them: wf why '%s'.", r.Nodes[nodes[0]].Name),
	}
}

// TemplateWaits returns the state of a node of a sub-flow while one of its instances waits for something other than a slot.
func (r *State) TemplateWaits(id string) api.State {
	if r.waitsAt == nil {
		r.waitsAt = map[string]api.State{}
		for i := r.OuterNodes(); i < len(r.Nodes); i++ {
			if s, _ := r.WaitingState(i); s != "" {
				r.waitsAt[r.Sched.Template(i)] = s
			}
		}
	}
	return r.waitsAt[id]
}
