package graph

import (
	"fmt"
	"maps"
)

// NewKey requests a new key, in Build the one after that of the previous element.
const NewKey = -1

// A NodeSpec describes a node in raw texts. An attribute is present if its text is not empty or
// its Has flag is set; the flag matters only for empty texts.
type NodeSpec struct {
	ID  string
	Key int // ascending; NewKey = next key. In Build 0 means the same after the first node

	Name, Label, Group, Status, X, Y                   string
	HasName, HasLabel, HasGroup, HasStatus, HasX, HasY bool

	Parent    int // Build: index of its container, an earlier node; -1 = none
	Container bool

	// Extra contains attributes without a field here, except captured output. Build keeps the map.
	Extra map[string]string
	// Inherited contains the values that apply while the node itself lacks the attribute: defaults of
	// keys, the texts and the geometry of a drawing. Build keeps the slice and does not change it.
	Inherited []Attr
}

// An EdgeSpec describes an edge in raw texts; presence is as in NodeSpec.
type EdgeSpec struct {
	Key            int // as in NodeSpec
	Source, Target int // indices of nodes

	ID, Type, Status          string
	HasID, HasType, HasStatus bool

	Extra     map[string]string
	Inherited []Attr
}

// Build makes a graph of many elements at once. attrs are the graph attributes and are copied. It returns an error that
// names the element for an id that repeats or is missing, an index out of range, and keys that do not ascend.
func Build(nodes []NodeSpec, edges []EdgeSpec, attrs map[string]string) (*Graph, error) {
	b := NewBuilder(len(nodes), len(edges))
	for i := range nodes {
		if err := b.AddNode(&nodes[i]); err != nil {
			return nil, err
		}
	}
	if n := b.g.repeatedID(); n != nil {
		return nil, fmt.Errorf("node %s: its id is used twice", n.ID)
	}
	for i := range edges {
		if err := b.AddEdge(&edges[i]); err != nil {
			return nil, err
		}
	}
	return b.Graph(attrs), nil
}

// repeatedID returns a node that has the id of a later node, or nil.
func (g *Graph) repeatedID() *Node {
	for _, n := range g.nodes.list {
		if g.Node(n.ID) != n {
			return n
		}
	}
	return nil
}

// A Builder makes a graph. The caller adds all nodes, then all edges, and makes sure that no id repeats. The caller may use
// one spec for all elements: the Builder copies its fields, but keeps its maps and slices.
type Builder struct {
	g     *Graph
	nodes []Node
	edges []Edge
	ends  []ends // by edge
}

// ends are the positions of the nodes that an edge connects.
type ends struct{ source, target int32 }

// NewBuilder returns a Builder for a graph with exactly these numbers of elements.
func NewBuilder(nodes, edges int) *Builder {
	return &Builder{
		g: &Graph{
			nodes: ordered[*Node]{list: make([]*Node, 0, nodes)},
			edges: ordered[*Edge]{list: make([]*Edge, 0, edges)},
		},
		nodes: make([]Node, nodes),
		edges: make([]Edge, edges),
		ends:  make([]ends, 0, edges),
	}
}

// AddNode adds the next node. It returns an error for a missing id, a container that does not come before it, and a key that
// does not ascend.
func (b *Builder) AddNode(s *NodeSpec) error {
	g, i := b.g, len(b.g.nodes.list)
	key, ok := nextKey(s.Key, g.nextNodeKey)
	switch {
	case s.ID == "":
		return fmt.Errorf("node %d: has no id", i+1)
	case !ok:
		return fmt.Errorf("node %s: key %d does not ascend", s.ID, s.Key)
	case s.Parent >= i || s.Parent < -1:
		return fmt.Errorf("node %s: its container, node number %d, does not come before it", s.ID, s.Parent)
	}
	n := &b.nodes[i]
	fillNode(n, s)
	n.Key, n.pos = key, int32(i)
	if s.Parent >= 0 {
		n.Parent = &b.nodes[s.Parent]
		n.Parent.children++
	}
	g.nodes.list = append(g.nodes.list, n)
	g.nextNodeKey = key + 1
	return nil
}

// AddEdge adds the next edge. It returns an error for an index of a node out of range and a key that does not ascend.
func (b *Builder) AddEdge(s *EdgeSpec) error {
	g, i := b.g, len(b.g.edges.list)
	key, ok := nextKey(s.Key, g.nextEdgeKey)
	switch {
	case !ok:
		return fmt.Errorf("edge %d: key %d does not ascend", i+1, s.Key)
	case !inRange(s.Source, len(g.nodes.list)) || !inRange(s.Target, len(g.nodes.list)):
		return fmt.Errorf("edge %d: connects nodes %d and %d of %d", i+1, s.Source, s.Target, len(g.nodes.list))
	}
	e := &b.edges[i]
	fillEdge(e, s)
	e.Key, e.pos = key, int32(i)
	e.Source, e.Target = &b.nodes[s.Source], &b.nodes[s.Target]
	g.edges.list = append(g.edges.list, e)
	b.ends = append(b.ends, ends{int32(s.Source), int32(s.Target)})
	g.nextEdgeKey = key + 1
	return nil
}

// Graph returns the graph. attrs are its attributes and are copied. The Builder must not be used afterwards.
func (b *Builder) Graph(attrs map[string]string) *Graph {
	b.g.attrs = make(map[string]string, len(attrs))
	maps.Copy(b.g.attrs, attrs)
	in := b.incidence(func(e ends) int32 { return e.target })
	out := b.incidence(func(e ends) int32 { return e.source })
	for i := range b.nodes {
		b.nodes[i].In, b.nodes[i].Out = in(i), out(i)
	}
	return b.g
}

// nextKey returns the key of an element of Build. free is the lowest allowed key.
func nextKey(asked, free int) (key int, ok bool) {
	if asked < 0 || asked == 0 && free > 0 {
		return free, true
	}
	return asked, asked >= free
}

func inRange(i, n int) bool { return i >= 0 && i < n }

// incidence sorts the edges by one of their ends. The returned function returns the edges of a node.
// All share one array; their slices have no spare capacity, so a later append copies them instead of
// overwriting the edges of the next node.
func (b *Builder) incidence(end func(ends) int32) func(node int) []*Edge {
	first := make([]int32, len(b.nodes)+2)
	for _, e := range b.ends {
		first[end(e)+2]++
	}
	for v := range b.nodes {
		first[v+1] += first[v]
	}
	// While the array is filled, first[v+1] is the index of the next edge of v; in the end it is the
	// index of the first edge of v+1.
	sorted := make([]*Edge, len(b.ends))
	for i, e := range b.ends {
		v := end(e)
		sorted[first[v+1]] = &b.edges[i]
		first[v+1]++
	}
	return func(v int) []*Edge { return sorted[first[v]:first[v+1]:first[v+1]] }
}

// fillNode sets the fields of a new node that do not depend on other elements.
func fillNode(n *Node, s *NodeSpec) {
	n.ID, n.Container, n.Extra = s.ID, s.Container, s.Extra
	n.Name, n.Label, n.Group, n.X, n.Y = s.Name, s.Label, s.Group, s.X, s.Y
	n.has = flag(hasName, s.HasName, s.Name) | flag(hasLabel, s.HasLabel, s.Label) |
		flag(hasGroup, s.HasGroup, s.Group) | flag(hasX, s.HasX, s.X) | flag(hasY, s.HasY, s.Y)
	if len(s.Inherited) > 0 {
		n.uncommon = &uncommon{inherited: s.Inherited}
	}
	for _, a := range s.Inherited {
		if field, bit := n.field(a.Name); field != nil && n.has&bit == 0 {
			*field = n.uncommon.inherit(a.Name)
		}
	}
	n.putStatus(s.Status, s.HasStatus || s.Status != "")
	n.NoCommand = n.lacksCommand()
}

// fillEdge sets the fields of a new edge except its ends and its position.
func fillEdge(e *Edge, s *EdgeSpec) {
	e.Extra = s.Extra
	if len(s.Inherited) > 0 {
		e.uncommon = &uncommon{inherited: s.Inherited}
	}
	e.put(attrID, s.ID, s.HasID || s.ID != "")
	e.putType(s.Type, s.HasType || s.Type != "")
	e.putStatus(s.Status, s.HasStatus || s.Status != "")
}

func flag(bit attrSet, set bool, text string) attrSet {
	if set || text != "" {
		return bit
	}
	return 0
}
