package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wf/api"
	"wf/graph"
)

// A node in a sub-flow, as the workfile has it, runs once in each instance. People name it by its own name all
// the same, and mean its instances.

// instancesOfTemplate are the nodes of the run that a node of a sub-flow stands for.
func (r *runState) instancesOfTemplate(id string) (nodes []int) {
	if r.templates[id] == nil {
		return nil
	}
	present := r.sched.Current()
	for i := r.outer(); i < len(r.nodes); i++ {
		if present[i] && r.sched.Template(i) == id {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// explainTemplate explains the instances of a node of a sub-flow: the only one as itself, several by what state
// each is in. It returns false if the run has no such node.
func (r *runState) explainTemplate(why *api.Why, id string) bool {
	if r.templates[id] == nil {
		return false
	}
	nodes := r.instancesOfTemplate(id)
	why.Run = r.id
	switch len(nodes) {
	case 0:
		why.Text = append(why.Text, "It is part of a container of which no instance has begun in this run.")
	case 1:
		why.Node = r.instanceStatus(nodes[0])
		r.explain(why, nodes[0])
	default:
		why.Text = append(why.Text, r.templateSentences(nodes)...)
	}
	return true
}

// instanceStatus describes a node of an instance, whether the run is going or is looked at afterwards.
func (r *runState) instanceStatus(i int) api.NodeStatus {
	if !r.over {
		return r.nodeStatus(i)
	}
	s := r.pastStatus(i, r.sched.Blocked()[i])
	s.Command = r.nodes[i].label
	return s
}

// urgency orders states for wf why: failures first.
var urgency = []api.State{api.StateFailed, api.StateWaiting, api.StateRetrying, api.StateRunning, api.StateBlocked,
	api.StateCancelled, api.StateQueued, api.StateIdle, api.StateSkipped}

// templateSentences say how many instances are in which state, and which to ask for.
func (r *runState) templateSentences(nodes []int) []string {
	blocked := r.sched.Blocked()
	state := map[int]api.State{}
	var counts api.Counts
	for _, i := range nodes {
		state[i] = r.stateIn(i, blocked[i])
		counts.Add(state[i])
	}
	rank := func(i int) int {
		if at := slices.Index(urgency, state[i]); at >= 0 {
			return at
		}
		return len(urgency)
	}
	slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	names := make([]string, len(nodes))
	for k, i := range nodes {
		names[k] = fmt.Sprintf("%s %s", r.nodes[i].name, state[i])
	}
	return []string{
		fmt.Sprintf("It runs in each instance of its container, of which %d have begun: %s.", len(nodes), some(names, 8)),
		fmt.Sprintf("For one of them: wf why '%s'.", r.nodes[nodes[0]].name),
	}
}

// outerOf is the sub-flow of the outer flow that a node lies in.
func outerOf(n *graph.Node) *graph.Node {
	for h := n.Home(); h != nil; h = h.Home() {
		n = h
	}
	return n
}

// onlyInstance replaces a node of a sub-flow by its only instance. Of several it lists some.
func (w *Workspace) onlyInstance(n *graph.Node) (path string, err error) {
	selector := w.localName(n)
	for h := n.Home(); h != nil; h = h.Home() {
		selector = w.localName(h) + "[*]/" + selector
	}
	nodes, _ := w.selectInstances(selector)
	if len(nodes) == 1 {
		return nodes[0].ID, nil
	}
	name := w.handle(n)
	if len(nodes) == 0 {
		return "", noOutput("node %s has no output: no instance of %s has begun here yet", name, w.handle(n.Home()))
	}
	names := make([]string, len(nodes))
	for i, s := range nodes {
		names[i] = s.Name
	}
	return "", &api.Error{Code: api.CodeUnknownNode, Message: fmt.Sprintf("%s runs in %d instances of %s: name one of them", name, len(nodes), w.handle(n.Home())),
		Why: "there is " + some(names, 8)}
}

// templateWaits says what nodes of sub-flows wait for, as far as one of their instances waits for something else
// than a slot.
func (r *runState) templateWaits(id string) api.State {
	if r.waitsAt == nil {
		r.waitsAt = map[string]api.State{}
		for i := r.outer(); i < len(r.nodes); i++ {
			if s, _ := r.waitingState(i); s != "" {
				r.waitsAt[r.sched.Template(i)] = s
			}
		}
	}
	return r.waitsAt[id]
}

// whichInstances adds to the error about selectors which instances there are of the sub-flow that one of them
// names an instance of.
func (w *Workspace) whichInstances(err error, selectors []string) error {
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Why != "" {
		return err
	}
	for _, s := range selectors {
		open := strings.IndexByte(s, '[')
		if open <= 0 {
			continue
		}
		nodes, _ := w.selectInstances(s[:open] + "[*]")
		var names []string
		for _, n := range nodes {
			if name, _, inside := strings.Cut(n.Name, "]"); inside && !slices.Contains(names, name+"]") && len(names) < mostNotes {
				names = append(names, name+"]")
			}
		}
		if len(names) > 0 {
			more := *refused
			more.Why = "there is " + some(names, 8)
			return &more
		}
	}
	return err
}
