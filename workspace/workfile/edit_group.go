package workfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/graph/attribute"
	"wf/scheduler/flow"
)

// A group, a move and the end of a group keep everything that the file says about the nodes. Edges stay at their nodes, except
// those that would cross the border of a sub-flow: they lead to or from the sub-flow instead.

// A grouping makes edits that put nodes into other containers.
type grouping struct{ *editBuilder }

// repeating are the attributes that make a container a sub-flow.
var repeating = []string{graph.AttrForeach, graph.AttrTimes, graph.AttrWhile, graph.AttrUntil}

// group makes a container of nodes that lie in the same one.
func (b grouping) group(e api.Edit) error {
	nodes, err := b.f.Select(e.Nodes)
	if err != nil {
		return err
	}
	if nodes = outermost(nodes); len(nodes) == 0 {
		return api.Invalid("a container needs a node")
	}
	repeats := slices.ContainsFunc(e.Set, func(s api.Setting) bool { return graph.MakesSubFlow(s.Key) && strings.TrimSpace(s.Value) != "" })
	for _, n := range nodes {
		if n.Parent != nodes[0].Parent {
			return &api.Error{Code: api.CodeInvalid, Nodes: b.handles(nodes), Message: "the nodes lie in different containers",
				Why: b.lies(nodes[0]) + ", " + b.lies(n), Fix: "wf edit move NODE --into CONTAINER (or --out) brings them together"}
		}
	}
	if repeats {
		if err := b.checkBetween(nodes); err != nil {
			return err
		}
	}
	if e.Name == "" {
		e.Name = b.freeName(repeats)
	}
	if err := b.checkName(e.Name, nil); err != nil {
		return err
	}
	before := b.beginMove()
	op := graph.AddNode{Node: graph.NodeSpec{ID: graph.NewID(), Key: graph.NewKey, Name: e.Name, HasLabel: false, Container: true}, Before: nodes[0].ID}
	if nodes[0].Parent != nil {
		op.Parent = nodes[0].Parent.ID
	}
	ops := []graph.Op{op}
	for _, n := range nodes {
		ops = append(ops, graph.MoveNode{ID: n.ID, Parent: op.Node.ID})
	}
	if err := b.apply(graph.Batch{Ops: ops}, "made container "+e.Name+" of "+b.listOf(nodes)); err != nil {
		return err
	}
	b.added = append(b.added, op.Node.ID)
	if err := b.setNode(b.f.g.Node(op.Node.ID), e.Set); err != nil {
		return err
	}
	return b.mend(before)
}

// move moves nodes into a container, or out of the one in which they lie.
func (b grouping) move(e api.Edit) error {
	nodes, err := b.f.Select(e.Nodes)
	if err != nil {
		return err
	}
	into, err := b.container(e.In)
	if err != nil {
		return err
	}
	before := b.beginMove()
	var ops []graph.Op
	var moved []*graph.Node
	c := b.f.g.Node(into)
	for _, n := range outermost(nodes) {
		op := graph.MoveNode{ID: n.ID, Parent: into}
		switch {
		case e.In == "" && n.Parent == nil:
			return &api.Error{Code: api.CodeInvalid, Nodes: b.handles([]*graph.Node{n}), Message: fmt.Sprintf("node %s lies in no container", b.f.Handle(n)),
				Fix: "wf edit move " + b.f.Handle(n) + " --into CONTAINER"}
		case e.In == "":
			if n.Parent.Parent != nil {
				op.Parent = n.Parent.Parent.ID
			}
		case n.Parent == c:
			b.note(b.lies(n) + " already")
			continue
		case c.Within(n):
			return api.Invalid("container %s cannot be moved into %s, which is itself or lies in it", b.f.Handle(n), b.f.Handle(c))
		}
		ops, moved = append(ops, op), append(moved, n)
	}
	if len(ops) == 0 {
		return nil
	}
	text := "moved " + b.listOf(moved)
	if c != nil {
		text += " into " + b.f.Handle(c)
	} else if from := moved[0].Parent; slices.ContainsFunc(moved, func(n *graph.Node) bool { return n.Parent != from }) {
		text += " out of their containers"
	} else {
		text += " out of " + b.f.Handle(from)
	}
	spread := b.spreadings(c, moved)
	if err := b.apply(graph.Batch{Ops: ops}, text); err != nil {
		return err
	}
	for _, s := range spread {
		if err := b.spread(s.edge, c, s.sources, s.targets); err != nil {
			return err
		}
	}
	return b.mend(before)
}

// ungroup removes containers, whose nodes stay. What an edge to or from a container meant becomes edges of its nodes.
func (b grouping) ungroup(e api.Edit) error {
	containers, err := b.f.Select(e.Nodes)
	if err != nil {
		return err
	}
	for _, c := range containers {
		if !c.Container {
			return &api.Error{Code: api.CodeInvalid, Nodes: b.handles([]*graph.Node{c}), Message: fmt.Sprintf("node %s is a command, not a container", b.f.Handle(c)),
				Fix: "wf edit remove-node removes it; wf edit move NODE --out takes it out of its container"}
		}
	}
	before := b.beginMove()
	for _, c := range containers {
		if err := b.dissolve(c); err != nil {
			return err
		}
	}
	return b.mend(before)
}

// dissolve removes one container.
func (b grouping) dissolve(c *graph.Node) error {
	handle, parent := b.f.Handle(c), ""
	if c.Parent != nil {
		parent = c.Parent.ID
	}
	if lost := b.passDown(c); len(lost) > 0 {
		b.note("gone with container " + handle + ": " + strings.Join(lost, ", "))
	}
	for _, attr := range repeating {
		if _, has := c.Attr(attr); has { // then its edges lead to its first and last nodes, as those of a group
			if err := b.apply(graph.SetNode{ID: c.ID, Attr: attr, Remove: true}, ""); err != nil {
				return err
			}
		}
	}
	if err := b.spreadEdges(c); err != nil {
		return err
	}
	var ops []graph.Op
	for _, n := range b.f.g.Nodes() {
		if n.Parent == c {
			ops = append(ops, graph.MoveNode{ID: n.ID, Parent: parent})
		}
	}
	text := fmt.Sprintf("dissolved container %s (%s)", handle, counted(len(ops)))
	return b.apply(graph.Batch{Ops: append(ops, graph.RemoveNode{ID: c.ID})}, text)
}

// passDown gives the nodes in a container what it says for all of them, such as the executor. It returns the attributes of the
// container that have no place on a node and mean something.
func (b grouping) passDown(c *graph.Node) (lost []string) {
	on := attribute.Group
	if c.SubFlow() {
		on = attribute.SubFlow
	}
	var shared []string
	for _, name := range slices.Sorted(maps.Keys(c.Extra)) {
		switch a := attribute.Find(on, name); {
		case a == nil || strings.TrimSpace(c.Extra[name]) == "":
		case a.On&attribute.Graph != 0 && a.On&attribute.Command != 0:
			shared = append(shared, name)
		default:
			lost = append(lost, name+"="+short(c.Extra[name]))
		}
	}
	for _, n := range slices.Clone(b.f.g.Nodes()) {
		for _, name := range shared {
			if own, _ := n.Attr(name); n.Parent != c || strings.TrimSpace(own) != "" {
				continue
			}
			op := graph.SetNode{ID: n.ID, Attr: name, Value: c.Extra[name]}
			if err := b.apply(op, "set "+name+" of "+b.f.Handle(n)); err != nil {
				panic("internal error: " + err.Error()) // the node exists
			}
		}
	}
	return lost
}

// spreadEdges replaces the edges of a group by what they stand for.
func (b grouping) spreadEdges(c *graph.Node) error {
	f, _ := flow.Read(b.f.g)
	edges := slices.Concat(c.In, c.Out)
	for i, e := range edges {
		if slices.Contains(edges[:i], e) {
			continue // from the container to itself
		}
		sources, targets := f.Expand(e)
		if err := b.spread(e, c, sources, targets); err != nil {
			return err
		}
	}
	return nil
}

// spread replaces an edge of a container by edges between other nodes.
func (b grouping) spread(e *graph.Edge, c *graph.Node, sources, targets []*graph.Node) error {
	var ops []graph.Op
	status, has := e.Attr("status")
	kind, typed := e.Attr("edge_type")
	for _, s := range sources {
		for _, t := range targets {
			switch {
			case s == c || t == c || b.sameEdge(e, s, t) != nil:
			case len(ops) == 0:
				ops = append(ops, graph.MoveEdge{Key: e.Key, Source: s.ID, Target: t.ID})
			default:
				ops = append(ops, graph.AddEdge{Key: graph.NewKey, Source: s.ID, Target: t.ID, ID: graph.NewID(), HasID: true, Type: kind, HasType: typed,
					Status: status, HasStatus: has, Extra: e.Extra})
			}
		}
	}
	if len(ops) == 0 {
		ops = []graph.Op{graph.RemoveEdge{Key: e.Key}}
	}
	return b.apply(graph.Batch{Ops: ops}, "")
}

// A spreading is an edge of a container that stands for others when one of its nodes is in the container.
type spreading struct {
	edge             *graph.Edge
	sources, targets []*graph.Node
}

// spreadings returns what the edges between a container and nodes that move into it stand for then: a node that followed the
// container follows the last nodes in it.
func (b grouping) spreadings(c *graph.Node, moved []*graph.Node) (list []spreading) {
	if c == nil || !slices.ContainsFunc(slices.Concat(c.In, c.Out), func(e *graph.Edge) bool {
		return slices.Contains(moved, e.Source) || slices.Contains(moved, e.Target)
	}) {
		return nil
	}
	var ops []graph.Op
	for _, attr := range repeating {
		ops = append(ops, graph.SetNode{ID: c.ID, Attr: attr, Remove: true})
	}
	inverse, _, err := b.f.g.Apply(graph.Batch{Ops: ops}) // its edges mean its nodes only if it is a group
	if err != nil {
		panic("internal error: " + err.Error())
	}
	f, _ := flow.Read(b.f.g)
	for _, e := range slices.Concat(c.In, c.Out) {
		if slices.Contains(moved, e.Source) || slices.Contains(moved, e.Target) {
			sources, targets := f.Expand(e)
			list = append(list, spreading{e, slices.Clone(sources), slices.Clone(targets)})
		}
	}
	if _, _, err := b.f.g.Apply(inverse); err != nil {
		panic("internal error: " + err.Error())
	}
	return list
}

// sameEdge returns another edge between two nodes that means the same, or nil.
func (b grouping) sameEdge(e *graph.Edge, source, target *graph.Node) *graph.Edge {
	for _, other := range b.f.g.EdgesBetween(source, target) {
		if other != e && other.Type == e.Type && whenOf(other) == whenOf(e) {
			return other
		}
	}
	return nil
}

// whenOf returns the condition of an edge.
func whenOf(e *graph.Edge) string {
	when, _ := e.Attr(graph.AttrWhen)
	if when = strings.TrimSpace(when); when == "success" {
		return ""
	}
	return when
}

// outermost leaves out the nodes that lie in others of the list.
func outermost(nodes []*graph.Node) []*graph.Node {
	listed := map[*graph.Node]bool{}
	var kept []*graph.Node
	for _, n := range nodes { // containers come first
		inside := false
		for p := n.Parent; p != nil; p = p.Parent {
			inside = inside || listed[p]
		}
		if listed[n] = true; !inside {
			kept = append(kept, n)
		}
	}
	return kept
}

func (b grouping) handles(nodes []*graph.Node) []string {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = b.f.Handle(n)
	}
	return names
}

// mostNamed is how many nodes a message names.
const mostNamed = 5

// listOf names nodes, or the first of many.
func (b grouping) listOf(nodes []*graph.Node) string {
	if len(nodes) <= mostNamed {
		return strings.Join(b.handles(nodes), ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(b.handles(nodes[:mostNamed-1]), ", "), len(nodes)-mostNamed+1)
}

// lies says in which container a node lies.
func (b grouping) lies(n *graph.Node) string {
	if n.Parent == nil {
		return b.f.Handle(n) + " lies in no container"
	}
	return b.f.Handle(n) + " lies in " + b.f.Handle(n.Parent)
}

// freeName returns a name for a container.
func (b grouping) freeName(repeats bool) string {
	word := "group"
	if repeats {
		word = "loop"
	}
	taken := map[string]bool{}
	for _, n := range b.f.g.Nodes() {
		taken[n.Name], taken[n.ID], taken[b.f.Handle(n)] = true, true, true
	}
	name := word
	for i := 2; taken[name]; i++ {
		name = fmt.Sprintf("%s%d", word, i)
	}
	return name
}
