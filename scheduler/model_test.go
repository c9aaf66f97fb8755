package scheduler

import (
	"fmt"
	"slices"
)

// This file is a second implementation of a run, written from docs/semantics.md with sets and maps and
// without optimization. It shares nothing with the scheduler, so a mistake has to be made twice to
// stay hidden. Effects are lines of text.

type modelEdge struct {
	key              int
	source, target   string
	blocking, marked bool
}

type modelGraph struct {
	nodes  []string
	status map[string]string
	edges  []*modelEdge
}

// within returns the edges with both ends in the scope.
func (g *modelGraph) within(scope []string) []*modelEdge {
	var edges []*modelEdge
	for _, e := range g.edges {
		if slices.Contains(scope, e.source) && slices.Contains(scope, e.target) {
			edges = append(edges, e)
		}
	}
	return edges
}

// reach returns, for each node, the nodes that one or more of the edges lead to.
func reach(nodes []string, edges []*modelEdge) map[string]map[string]bool {
	next := map[string][]string{}
	for _, e := range edges {
		next[e.source] = append(next[e.source], e.target)
	}
	reached := map[string]map[string]bool{}
	for _, n := range nodes {
		to := map[string]bool{}
		for ahead := slices.Clone(next[n]); len(ahead) > 0; ahead = ahead[1:] {
			if m := ahead[0]; !to[m] {
				to[m] = true
				ahead = append(ahead, next[m]...)
			}
		}
		reached[n] = to
	}
	return reached
}

// hasBlockingCycle is the check before a run.
func (g *modelGraph) hasBlockingCycle(scope []string) bool {
	var blocking []*modelEdge
	for _, e := range g.within(scope) {
		if e.blocking {
			blocking = append(blocking, e)
		}
	}
	for n, to := range reach(scope, blocking) {
		if to[n] {
			return true
		}
	}
	return false
}

// choose returns the scope, and whether the run is a resume.
func (g *modelGraph) choose(selected []string, explicit bool, last map[string][]string) (scope []string, resume bool) {
	if explicit {
		for _, n := range g.nodes {
			if slices.Contains(selected, n) {
				scope = append(scope, n)
			}
		}
		return scope, false
	}
	union, unknown := map[string]bool{}, false
	for _, n := range g.nodes {
		if s := g.status[n]; s == "fail" || s == "run" || s == "running" {
			resume = true
			union[n] = true
			if last[n] == nil {
				unknown = true
			}
			for _, m := range last[n] {
				union[m] = true
			}
		}
	}
	if !resume || unknown {
		return g.nodes, resume
	}
	for _, n := range g.nodes {
		if union[n] {
			scope = append(scope, n)
		}
	}
	return scope, true
}

// modelRun is a run.
type modelRun struct {
	g        *modelGraph
	scope    []string
	edges    []*modelEdge
	limit    int
	failFast bool

	waiting    map[string]int // activations that wait for the present execution
	accepted   map[string]int
	executions map[string]int
	handed     map[string]bool   // to an executor, and not over
	reason     map[string]string // of a failure in this run
	tooMany    map[string]bool
	stopped    bool // by Stop
	stopping   bool // or by the first failure
	lines      []string
}

func newModelRun(g *modelGraph, scope []string, limit int, failFast bool) *modelRun {
	return &modelRun{
		g: g, scope: scope, edges: g.within(scope), limit: limit, failFast: failFast,
		waiting: map[string]int{}, accepted: map[string]int{}, executions: map[string]int{}, handed: map[string]bool{},
		reason: map[string]string{}, tooMany: map[string]bool{},
	}
}

func (m *modelRun) say(format string, args ...any) {
	m.lines = append(m.lines, fmt.Sprintf(format, args...))
}

func (m *modelRun) become(n, status, reason string) {
	if m.g.status[n] != status || m.reason[n] != reason {
		m.g.status[n], m.reason[n] = status, reason
		m.say("node %s %q %s", n, status, reason)
	}
}

func (m *modelRun) mark(e *modelEdge, marked bool) {
	if e.marked != marked {
		e.marked = marked
		m.say("edge %d %v", e.key, marked)
	}
}

func (m *modelRun) blockingInto(n string) (in []*modelEdge) {
	for _, e := range m.edges {
		if e.blocking && e.target == n {
			in = append(in, e)
		}
	}
	return in
}

func allMarked(edges []*modelEdge) bool {
	return !slices.ContainsFunc(edges, func(e *modelEdge) bool { return !e.marked })
}

// starts returns, in components that no other one leads to, the nodes without a blocking in-edge.
func (m *modelRun) starts() map[string]bool {
	to := reach(m.scope, m.edges)
	same := func(a, b string) bool { return a == b || to[a][b] && to[b][a] }
	start := map[string]bool{}
	for _, n := range m.scope {
		led := slices.ContainsFunc(m.edges, func(e *modelEdge) bool { return same(e.target, n) && !same(e.source, n) })
		start[n] = !led && len(m.blockingInto(n)) == 0
	}
	return start
}

func (m *modelRun) beginFresh() {
	for _, n := range m.scope {
		m.become(n, "", "")
	}
	for _, e := range m.edges {
		m.mark(e, false)
	}
	start := m.starts()
	for _, n := range m.scope {
		if start[n] {
			m.activate(n)
		}
	}
	m.end()
}

func (m *modelRun) beginResume() {
	lost := map[string]bool{}
	for _, n := range m.scope {
		if s := m.g.status[n]; s == "run" || s == "running" {
			lost[n] = true
			m.g.status[n] = "fail"
		}
	}
	for _, e := range m.edges {
		if e.blocking && m.g.status[e.target] != "ran" {
			m.mark(e, m.g.status[e.source] == "ran")
		}
	}
	start := m.starts()
	for _, n := range m.scope {
		in := m.blockingInto(n)
		ready := allMarked(in)
		if len(in) == 0 && m.g.status[n] == "" {
			ready = start[n]
		}
		if m.g.status[n] != "ran" && ready {
			for _, e := range in {
				m.mark(e, false)
			}
			m.activate(n)
		}
	}
	for _, n := range m.scope {
		if lost[n] && m.g.status[n] == "fail" {
			m.say("node %s %q %s", n, "fail", "lost")
			m.reason[n] = "lost"
		}
	}
	m.end()
}

func (m *modelRun) activate(n string) {
	switch {
	case m.stopping:
	case m.accepted[n] == m.limit:
		m.tooMany[n] = true
		m.limitReached(n)
	case m.g.status[n] == "run" || m.g.status[n] == "running":
		m.accepted[n]++
		m.waiting[n]++
	default:
		m.accepted[n]++
		m.enqueue(n)
	}
}

func (m *modelRun) enqueue(n string) {
	m.become(n, "run", "")
	m.say("execute %s %d", n, m.executions[n]+1)
}

func (m *modelRun) limitReached(n string) {
	if s := m.g.status[n]; m.tooMany[n] && m.waiting[n] == 0 && s != "run" && s != "running" {
		m.tooMany[n] = false
		m.failNode(n, "limit")
	}
}

func (m *modelRun) failNode(n, reason string) {
	m.become(n, "fail", reason)
	if m.failFast && !m.stopping {
		m.stopStarting()
	}
}

func (m *modelRun) stopStarting() {
	m.stopping = true
	for _, n := range m.scope {
		m.waiting[n], m.tooMany[n] = 0, false
		if m.handed[n] {
			m.say("cancel %s %d", n, m.executions[n])
		} else if m.g.status[n] == "run" {
			m.become(n, "", "")
		}
	}
}

func (m *modelRun) dispatch(n string) {
	m.executions[n]++
	m.handed[n] = true
}

func (m *modelRun) started(n string) { m.become(n, "running", "") }

func (m *modelRun) withdraw(n string) {
	m.handed[n] = false
	if m.stopping {
		m.become(n, "", "")
	} else {
		m.failNode(n, "cancelled")
		if m.waiting[n] > 0 {
			m.waiting[n]--
			m.enqueue(n)
		}
		m.limitReached(n)
	}
	m.end()
}

func (m *modelRun) finish(n string, ok bool) {
	m.handed[n] = false
	if ok {
		m.become(n, "ran", "")
		for _, e := range m.edges {
			if e.source == n {
				m.deliver(e)
			}
		}
	} else {
		m.failNode(n, "exit")
	}
	if m.waiting[n] > 0 && m.g.status[n] != "run" {
		m.waiting[n]--
		m.enqueue(n)
	}
	m.limitReached(n)
	m.end()
}

func (m *modelRun) deliver(e *modelEdge) {
	if e.blocking {
		m.mark(e, true)
	}
	if m.stopping {
		return
	}
	if !e.blocking {
		m.mark(e, false)
		m.activate(e.target)
		return
	}
	if in := m.blockingInto(e.target); allMarked(in) {
		for _, e := range in {
			m.mark(e, false)
		}
		m.activate(e.target)
	}
}

func (m *modelRun) stop() {
	m.stopped = true
	m.stopStarting()
	m.end()
}

func (m *modelRun) cancel(n string) {
	m.waiting[n], m.tooMany[n] = 0, false
	switch {
	case m.handed[n]:
		m.say("cancel %s %d", n, m.executions[n])
	case m.g.status[n] == "run":
		m.failNode(n, "cancelled")
	}
	m.end()
}

func (m *modelRun) end() {
	result := "succeeded"
	for _, n := range m.scope {
		switch m.g.status[n] {
		case "run", "running":
			return
		case "fail":
			result = "failed"
		}
	}
	if m.stopped {
		result = "cancelled"
	}
	m.say("end %s", result)
}
