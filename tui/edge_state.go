package tui

import (
	"slices"
	"strconv"
	"strings"

	"wf/api"
)

// decided derives for the edges of a node what events do not say: whether they have fired, are dead, or have a
// token. If only the daemon can know, for instance the value of an expression, the edge is neither until the
// run goes on behind it.
func (f *flow) decided(i int) {
	for _, edges := range [][]int{f.out[i], f.in[i]} {
		for _, e := range edges {
			f.decide(e)
		}
	}
}

func (f *flow) decide(e int) {
	have := &f.edges[e]
	from, to := &f.nodes[have.from], &f.nodes[have.to]
	have.taken, have.dead = false, false
	if from.Run == "" || from.Run != to.Run {
		have.marked = false
		return
	}
	switch fires, known := fired(have.when, from); {
	case from.State == api.StateSkipped:
		have.dead = true
	case !known && to.State == api.StateSkipped:
		have.dead = true
	case !known:
		have.taken = active(to.State) && len(f.in[have.to]) == 1
	case fires:
		have.taken = true
	default:
		have.dead = over(from) && !have.nonBlocking
	}
	have.marked = have.taken && !have.nonBlocking && (to.State == api.StateIdle || to.State == api.StateBlocked)
}

// over reports whether a node has decided about its edges: it has succeeded, or its failure is handled.
func over(n *api.NodeStatus) bool {
	return n.State == api.StateOK || n.State == api.StateKept || n.State == api.StateFailed && n.Handled
}

// active reports whether a run has reached a node in this state.
func active(s api.State) bool {
	return s != api.StateIdle && s != api.StateBlocked && s != api.StateSkipped
}

// fired reports whether an edge with a condition has fired; known is false if the events of its source do not
// tell.
func fired(when string, n *api.NodeStatus) (fires, known bool) {
	ok, failed := n.State == api.StateOK || n.State == api.StateKept, n.State == api.StateFailed
	if !ok && !failed {
		return false, true
	}
	codes, exit := strings.CutPrefix(when, "exit:")
	switch {
	case when == "" || when == "success":
		return ok, true
	case when == "failure":
		return failed, true
	case when == "done":
		return true, true
	case exit && n.ExitCode != nil:
		return inCodes(codes, *n.ExitCode), true
	}
	return false, false
}

// inCodes reports whether a list like 2,10-20 contains a code.
func inCodes(list string, code int) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(part string) bool {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		from, err := strconv.Atoi(strings.TrimSpace(first))
		to, errTo := strconv.Atoi(strings.TrimSpace(last))
		if !isRange {
			to, errTo = from, nil
		}
		return err == nil && errTo == nil && from <= code && code <= to
	})
}

// hasConditions reports whether any edge has a condition.
func (f *flow) hasConditions() bool {
	return slices.ContainsFunc(f.edges, func(e edge) bool { return e.when != "" })
}

// ways takes from the daemon which edges have fired and which are dead.
func (f *flow) ways(edges []api.EdgeStatus) {
	at := make(map[int]api.EdgeStatus, len(edges))
	for _, e := range edges {
		at[e.Key] = e
	}
	for i := range f.edges {
		if s, known := at[f.edges[i].key]; known {
			f.edges[i].taken, f.edges[i].dead = s.Taken, s.Dead
		}
	}
}
