package workfile

import (
	"fmt"
	"slices"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/scheduler/flow"
)

// beforeMove is what mend compares with.
type beforeMove struct {
	wrong map[int]bool                // keys of edges that are wrong already
	homes map[*graph.Node]*graph.Node // the flow to which each node belongs
}

// beginMove notes the state, and which problems the control flow has, before nodes change their containers.
func (b grouping) beginMove() beforeMove {
	if b.known == nil {
		b.known = map[string]bool{}
		_, problems := flow.Read(b.f.g)
		for _, p := range problems {
			b.known[p.Message] = true
		}
	}
	before := beforeMove{map[int]bool{}, make(map[*graph.Node]*graph.Node, len(b.f.g.Nodes()))}
	for _, e := range b.f.g.Edges() {
		if crosses(e) || enters(e) {
			before.wrong[e.Key] = true
		}
	}
	for _, n := range b.f.g.Nodes() {
		before.homes[n] = n.Home()
	}
	return before
}

// crosses reports whether an edge crosses the border of a sub-flow.
func crosses(e *graph.Edge) bool { return e.Source.Home() != e.Target.Home() }

// enters reports whether an edge connects a container with a node in it.
func enters(e *graph.Edge) bool {
	return e.Source != e.Target && (e.Source.Within(e.Target) || e.Target.Within(e.Source))
}

// mend brings edges that cross the border of a sub-flow since nodes were moved to the sub-flow itself. It refuses edges for which
// that would mean something else. Nodes that belong to another flow now lose their statuses: their executions had other paths.
func (b grouping) mend(before beforeMove) error {
	var redirected []string
	for _, e := range slices.Clone(b.f.g.Edges()) {
		if before.wrong[e.Key] {
			continue
		}
		if enters(e) {
			return &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("edge %s would connect a container with a node in it", b.edgeName(e)),
				Fix: "remove it first: wf edit remove-edge " + b.f.Handle(e.Source) + " " + b.f.Handle(e.Target)}
		}
		if crosses(e) {
			text, err := b.redirect(e)
			if err != nil {
				return err
			}
			redirected = append(redirected, text)
		}
	}
	if rest := len(redirected) - mostNamed; rest > 0 {
		redirected = append(redirected[:mostNamed], fmt.Sprintf("and %d more edges likewise", rest))
	}
	b.texts = append(b.texts, redirected...)
	_, problems := flow.Read(b.f.g)
	for _, p := range problems {
		if p.Code == flow.CodeGroupCycle && !b.known[p.Message] {
			return &api.Error{Code: api.CodeInvalid, Message: "this would make a " + p.Message}
		}
	}
	return b.clearMoved(before.homes)
}

// clearMoved clears the statuses of nodes that belong to another flow than before. Nodes of an active run keep theirs, which the run
// goes on to change.
func (b grouping) clearMoved(homes map[*graph.Node]*graph.Node) error {
	var cleared []graph.Op
	var nodes []*graph.Node
	for _, n := range b.f.g.Nodes() {
		home, known := homes[n]
		if known && home != n.Home() && n.Status != graph.Idle && b.f.cfg.Host.RunOf(n) == "" {
			cleared = append(cleared, graph.SetNode{ID: n.ID, Attr: "status", Value: graph.Idle.String()})
			nodes = append(nodes, n)
		}
	}
	if len(cleared) == 0 {
		return nil
	}
	b.note("not run yet as what they are now: " + b.listOf(nodes) + "; their outputs stay in the history")
	return b.apply(graph.Batch{Ops: cleared}, "")
}

// redirect lets an edge lead to or from the sub-flows at whose borders it ends. It returns what it did.
func (b grouping) redirect(e *graph.Edge) (text string, err error) {
	name := b.edgeName(e)
	around := map[*graph.Node]bool{}
	for home := e.Source.Home(); ; home = home.Home() {
		if around[home] = true; home == nil {
			break
		}
	}
	home := e.Target.Home()
	for !around[home] {
		home = home.Home()
	}
	lift := func(n *graph.Node) *graph.Node {
		for n.Home() != home {
			n = n.Home()
		}
		return n
	}
	source, target := lift(e.Source), lift(e.Target)
	when := whenOf(e)
	if kind, _, _ := strings.Cut(when, ":"); source != e.Source && slices.Contains([]string{"case", "exit", "if", "else"}, kind) {
		return "", &api.Error{Code: api.CodeInvalid, Nodes: b.handles([]*graph.Node{e.Source, e.Target}),
			Message: fmt.Sprintf("edge %s has the condition %s, and would lead from %s, which repeats and has no exit code and no outputs", name, when, b.f.Handle(source)),
			Fix:     fmt.Sprintf("put %s into it, too, or let a node behind %s choose by its results", b.f.Handle(e.Target), b.f.Handle(source))}
	}
	if source == target {
		return "", api.Invalid("edge %s would connect the container %s with itself", name, b.f.Handle(source))
	}
	if b.sameEdge(e, source, target) != nil {
		return "edge " + name + " became one with " + b.f.Handle(source) + " -> " + b.f.Handle(target), b.apply(graph.RemoveEdge{Key: e.Key}, "")
	}
	for _, other := range b.f.g.EdgesBetween(source, target) {
		if other != e {
			return "", &api.Error{Code: api.CodeInvalid, Nodes: b.handles([]*graph.Node{e.Source, e.Target}),
				Message: fmt.Sprintf("edges with different conditions would lead from %s to %s: %s and %s", b.f.Handle(source), b.f.Handle(target), saysWhen(e), saysWhen(other)),
				Why:     fmt.Sprintf("%s repeats, so edge %s has to lead to or from %s itself", b.f.Handle(container(e, source)), name, b.f.Handle(container(e, source))),
				Fix:     "give them the same condition, or put the other node in, too"}
		}
	}
	text = "edge " + name + " is now " + b.f.Handle(source) + " -> " + b.f.Handle(target)
	if err := b.apply(graph.MoveEdge{Key: e.Key, Source: source.ID, Target: target.ID}, ""); err != nil {
		return "", err
	}
	if cycle := b.cycleThrough(e.Key); cycle != "" {
		return "", &api.Error{Code: api.CodeInvalid, Message: "this would close a cycle of blocking edges: " + cycle,
			Why: "a container that repeats runs as one step", Fix: "put the nodes between into it, too, or leave one of its nodes out"}
	}
	return text, nil
}

// container returns the end of a redirected edge that is a sub-flow.
func container(e *graph.Edge, source *graph.Node) *graph.Node {
	if source != e.Source {
		return source
	}
	return e.Target.Home()
}

// saysWhen returns when an edge fires, for messages.
func saysWhen(e *graph.Edge) string {
	text := whenOf(e)
	if text == "" {
		text = "success"
	}
	if e.Type == graph.NonBlocking {
		text += ", non-blocking"
	}
	return text
}

func (b grouping) edgeName(e *graph.Edge) string {
	return b.f.Handle(e.Source) + " -> " + b.f.Handle(e.Target)
}

// checkBetween refuses to make one step of nodes if a way leads from one of them through another node back to one of them.
func (b grouping) checkBetween(nodes []*graph.Node) error {
	listed := map[*graph.Node]bool{}
	for _, n := range nodes {
		listed[n] = true
	}
	inside := func(n *graph.Node) bool {
		for ; n != nil && !listed[n]; n = n.Parent {
		}
		return n != nil
	}
	came := map[*graph.Node]*graph.Node{}
	var queue []*graph.Node
	reach := func(from *graph.Node, e *graph.Edge) {
		if _, seen := came[e.Target]; !seen && e.Target != from && !inside(e.Target) {
			came[e.Target] = from
			queue = append(queue, e.Target)
		}
	}
	for _, n := range b.f.g.Nodes() {
		for _, e := range n.Out {
			if inside(n) {
				reach(n, e)
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, e := range at.Out {
			if !inside(e.Target) {
				reach(at, e)
				continue
			}
			path := []string{b.f.Handle(e.Target)}
			between := []string(nil)
			for n := at; n != nil; n = came[n] {
				if path = append(path, b.f.Handle(n)); !inside(n) {
					between = append(between, b.f.Handle(n))
				}
			}
			slices.Reverse(path)
			slices.Reverse(between)
			verb := "lies"
			if len(between) > 1 {
				verb = "lie"
			}
			return &api.Error{Code: api.CodeInvalid, Nodes: between,
				Message: fmt.Sprintf("%s %s between the nodes: %s", strings.Join(between, ", "), verb, strings.Join(path, " -> ")),
				Why:     "a container that repeats runs as one step, so nothing can happen in the middle of it outside",
				Fix:     "put " + strings.Join(between, ", ") + " into it, too, or leave " + path[0] + " or " + path[len(path)-1] + " out"}
		}
	}
	return nil
}
