package runview

import (
	"slices"
	"strconv"
	"strings"

	"wf/api"
)

// decideEdges derives the states of a node's edges, which events do not contain: fired, dead, or with a token. If only the
// daemon can decide, for instance by the value of an expression, the edge is neither fired nor dead until a node behind
// it is active.
func (f *Workfile) decideEdges(i int) {
	for _, edges := range [][]int{f.Out[i], f.In[i]} {
		for _, e := range edges {
			f.decide(e)
		}
	}
}

func (f *Workfile) decide(e int) {
	have := &f.Edges[e]
	from, to := &f.Nodes[have.From], &f.Nodes[have.To]
	have.Taken, have.Dead = false, false
	if from.Run == "" || from.Run != to.Run {
		have.Marked = false
		return
	}
	switch fires, known := fired(have.When, from); {
	case from.State == api.StateSkipped:
		have.Dead = true
	case !known && to.State == api.StateSkipped:
		have.Dead = true
	case !known:
		have.Taken = active(to.State) && len(f.In[have.To]) == 1
	case fires:
		have.Taken = true
	default:
		have.Dead = over(from) && !have.NonBlocking
	}
	have.Marked = have.Taken && !have.NonBlocking && (to.State == api.StateIdle || to.State == api.StateBlocked)
}

// over reports whether the node has chosen among its edges: it has succeeded, or its failure is handled.
func over(n *api.NodeStatus) bool {
	return n.State == api.StateOK || n.State == api.StateKept || n.State == api.StateFailed && n.Handled
}

// active reports whether a run has reached a node in this state.
func active(s api.State) bool {
	return s != api.StateIdle && s != api.StateBlocked && s != api.StateSkipped
}

// fired reports whether an edge with a condition has fired; known is false if the events of its source do not contain
// the answer.
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

// HasConditions reports whether any edge has a condition.
func (f *Workfile) HasConditions() bool {
	return slices.ContainsFunc(f.Edges, func(e Edge) bool { return e.When != "" })
}

// SetWays sets which edges have fired and which are dead, as the daemon reports them.
func (f *Workfile) SetWays(edges []api.EdgeStatus) {
	at := make(map[int]api.EdgeStatus, len(edges))
	for _, e := range edges {
		at[e.Key] = e
	}
	for i := range f.Edges {
		if s, known := at[f.Edges[i].key]; known {
			f.Edges[i].Taken, f.Edges[i].Dead = s.Taken, s.Dead
		}
	}
}

// Between returns the edge from one node to another, or -1.
func (f *Workfile) Between(from, to int) int {
	i := slices.IndexFunc(f.Out[from], func(e int) bool { return f.Edges[e].To == to })
	if i < 0 {
		return -1
	}
	return f.Out[from][i]
}

// EdgeNumber returns which of several edges between two nodes an edge is, or "" if it is the only one.
func (f *Workfile) EdgeNumber(edge int) string {
	e, n, all := &f.Edges[edge], 0, 0
	for _, i := range f.Out[e.From] {
		if f.Edges[i].To == e.To {
			if all++; i == edge {
				n = all
			}
		}
	}
	if all < 2 {
		return ""
	}
	return strconv.Itoa(n)
}

// Path returns the shortest path of blocking edges from one node to another, ends included, or nil. From a node
// to itself it is that node.
func (f *Workfile) Path(from, to int) []int {
	before := map[int]int{from: -1}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at == to {
			var path []int
			for ; at >= 0; at = before[at] {
				path = append(path, at)
			}
			slices.Reverse(path)
			return path
		}
		for _, e := range f.Out[at] {
			next := f.Edges[e].To
			if _, seen := before[next]; !seen && !f.Edges[e].NonBlocking {
				before[next] = at
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// Through returns the nodes that paths from a node through some others lead to, in the order of their
// discovery; with blocking set only paths of blocking edges count.
func (f *Workfile) Through(from int, others map[int]bool, blocking bool) (ends []int) {
	seen := map[int]bool{from: true}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, e := range f.Out[at] {
			to := f.Edges[e].To
			if seen[to] || blocking && f.Edges[e].NonBlocking || at == from && !others[to] {
				continue
			}
			seen[to] = true
			if others[to] {
				queue = append(queue, to)
			} else {
				ends = append(ends, to)
			}
		}
	}
	return ends
}
