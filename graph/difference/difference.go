// Package difference compares two versions of a workflow, and makes the edit that turns one into the other. It ignores what
// runs write: the statuses of nodes and the marks of edges. It does no I/O and has no state.
package difference

import (
	"maps"
	"slices"

	"wf/graph"
)

// A Difference is what distinguishes a version of a workflow (after) from another one (before). Nodes of both correspond if
// they have the same id, otherwise if they have the same name, which no other node of their version has. Edges correspond by
// the nodes that they connect.
type Difference struct {
	Nodes []Node  // that changed, were added, or were removed: in the order of after, the removed ones last
	Edges []Edge  // in the order of after, the removed ones last
	Graph []Value // attributes of the graph, by name
	Moved int     // number of nodes with another position in drawings; they are in Nodes only if more has changed

	before, after *graph.Graph
	earlier       map[*graph.Node]*graph.Node // by node of after: the corresponding one of before
	later         map[*graph.Node]*graph.Node // the opposite of earlier
	pairs         []Edge                      // all edges of after, with the corresponding one of before, and the removed ones
}

// A Value is an attribute that differs. nil means that it is absent.
type Value struct {
	Name          string
	Before, After *string
}

// A Node is a node that differs. Before is nil for an added one, After for a removed one.
type Node struct {
	Before, After *graph.Node
	Values        []Value // of an added or removed node: all that it has
}

// An Edge is an edge that differs. Before is nil for an added one, After for a removed one.
type Edge struct {
	Before, After *graph.Edge
	Values        []Value // as of a Node; without the type if that is the usual one
}

// Names of Values that are not attributes in the file.
const (
	Container = "container" // the handle of the container of a node
	Kind      = "kind"      // KindCommand or KindContainer
)

// The values of Kind.
const (
	KindCommand   = "command"
	KindContainer = "container"
)

// Of compares two versions of a workflow. The result refers to their nodes and edges and is valid until one of them changes.
func Of(before, after *graph.Graph) *Difference {
	d := &Difference{before: before, after: after}
	d.matchNodes()
	d.matchEdges()
	d.compareNodes()
	d.compareEdges()
	d.Graph = changed(before.Attrs(), after.Attrs())
	return d
}

// Empty reports whether the versions do not differ, except perhaps in positions.
func (d *Difference) Empty() bool { return len(d.Nodes)+len(d.Edges)+len(d.Graph) == 0 }

// Earlier returns the node of before that corresponds to a node of after, or nil.
func (d *Difference) Earlier(n *graph.Node) *graph.Node { return d.earlier[n] }

// Later returns the node of after that corresponds to a node of before, or nil.
func (d *Difference) Later(n *graph.Node) *graph.Node { return d.later[n] }

// Pairs returns all edges of after, each with the corresponding one of before, and then the removed ones. The caller must not
// change the slice, whose Values are not set.
func (d *Difference) Pairs() []Edge { return d.pairs }

func (d *Difference) matchNodes() {
	d.earlier = make(map[*graph.Node]*graph.Node, len(d.after.Nodes()))
	d.later = make(map[*graph.Node]*graph.Node, len(d.before.Nodes()))
	match := func(was, is *graph.Node) { d.earlier[is], d.later[was] = was, is }
	for _, is := range d.after.Nodes() {
		if was := d.before.Node(is.ID); was != nil {
			match(was, is)
		}
	}
	if len(d.later) == len(d.before.Nodes()) {
		return
	}
	named := onlyNamed(d.before)
	for name, is := range onlyNamed(d.after) {
		if was := named[name]; was != nil && d.later[was] == nil && d.earlier[is] == nil {
			match(was, is)
		}
	}
}

// onlyNamed returns the nodes by name whose name no other node has.
func onlyNamed(g *graph.Graph) map[string]*graph.Node {
	named := map[string]*graph.Node{}
	for _, n := range g.Nodes() {
		if n.Name == "" {
			continue
		}
		if _, again := named[n.Name]; again {
			named[n.Name] = nil
			continue
		}
		named[n.Name] = n
	}
	maps.DeleteFunc(named, func(_ string, n *graph.Node) bool { return n == nil })
	return named
}

// ends are the nodes that an edge connects. If a node exists in both versions, it is the one of after.
type ends struct{ source, target *graph.Node }

// matchEdges sets pairs. Of several edges between two nodes, equal ones correspond, and then the others in their order.
func (d *Difference) matchEdges() {
	between := make(map[ends][]*graph.Edge, len(d.before.Edges()))
	present := func(n *graph.Node) *graph.Node {
		if is := d.later[n]; is != nil {
			return is
		}
		return n
	}
	for _, e := range d.before.Edges() {
		at := ends{present(e.Source), present(e.Target)}
		between[at] = append(between[at], e)
	}
	earlier := make(map[*graph.Edge]*graph.Edge, len(d.after.Edges()))
	take := func(is *graph.Edge, fits func(was *graph.Edge) bool) {
		at := ends{is.Source, is.Target}
		if earlier[is] != nil {
			return
		}
		if i := slices.IndexFunc(between[at], fits); i >= 0 {
			earlier[is] = between[at][i]
			between[at] = slices.Delete(between[at], i, i+1)
		}
	}
	for _, is := range d.after.Edges() {
		take(is, func(was *graph.Edge) bool { return len(edgeValues(was, is)) == 0 })
	}
	for _, is := range d.after.Edges() {
		take(is, func(*graph.Edge) bool { return true })
		d.pairs = append(d.pairs, Edge{Before: earlier[is], After: is})
	}
	for _, was := range d.before.Edges() {
		if slices.Contains(between[ends{present(was.Source), present(was.Target)}], was) {
			d.pairs = append(d.pairs, Edge{Before: was})
		}
	}
}

func (d *Difference) compareNodes() {
	for _, is := range d.after.Nodes() {
		was := d.earlier[is]
		values := d.nodeValues(was, is)
		if was == nil || len(values) > 0 {
			d.Nodes = append(d.Nodes, Node{was, is, values})
		}
		if was != nil && position(was) != position(is) {
			d.Moved++
		}
	}
	for _, was := range d.before.Nodes() {
		if d.later[was] == nil {
			d.Nodes = append(d.Nodes, Node{was, nil, d.nodeValues(was, nil)})
		}
	}
}

// position returns the position of a node in its attributes. The geometry of a drawing does not count, because no edit changes
// it.
func position(n *graph.Node) (p [2]string) {
	for i, name := range []string{"x", "y"} {
		if value, own := n.Attr(name); own {
			p[i] = value
		}
	}
	return p
}

func (d *Difference) compareEdges() {
	for _, p := range d.pairs {
		p.Values = edgeValues(p.Before, p.After)
		if p.Before == nil || p.After == nil || len(p.Values) > 0 {
			d.Edges = append(d.Edges, p)
		}
	}
}
