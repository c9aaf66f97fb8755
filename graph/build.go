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

// Build makes a graph of many elements at once, for readers of files. attrs are the graph
// attributes and are copied. It returns an error that names the element for an id that repeats or is
// missing, an index out of range, and keys that do not ascend.
func Build(nodes []NodeSpec, edges []EdgeSpec, attrs map[string]string) (*Graph, error) {
	g := &Graph{
		nodes: ordered[*Node]{list: make([]*Node, len(nodes))},
		edges: ordered[*Edge]{list: make([]*Edge, len(edges))},
		byID:  make(map[string]*Node, len(nodes)),
		attrs: make(map[string]string, len(attrs)),
	}
	maps.Copy(g.attrs, attrs)
	if err := g.buildNodes(nodes); err != nil {
		return nil, err
	}
	if err := g.buildEdges(edges); err != nil {
		return nil, err
	}
	g.connect(edges)
	return g, nil
}

func (g *Graph) buildNodes(specs []NodeSpec) error {
	slab := make([]Node, len(specs))
	for i := range specs {
		s, n := &specs[i], &slab[i]
		key, ok := nextKey(s.Key, g.nextNodeKey)
		switch {
		case s.ID == "":
			return fmt.Errorf("node %d: has no id", i+1)
		case !ok:
			return fmt.Errorf("node %s: key %d does not ascend", s.ID, s.Key)
		case s.Parent >= i || s.Parent < -1:
			return fmt.Errorf("node %s: its container, node number %d, does not come before it", s.ID, s.Parent)
		}
		fillNode(n, s)
		n.Key, n.pos = key, int32(i)
		if s.Parent >= 0 {
			n.Parent = &slab[s.Parent]
			n.Parent.children++
		}
		g.nodes.list[i], g.byID[s.ID] = n, n
		if len(g.byID) != i+1 {
			return fmt.Errorf("node %s: its id is used twice", s.ID)
		}
		g.nextNodeKey = key + 1
	}
	return nil
}

func (g *Graph) buildEdges(specs []EdgeSpec) error {
	slab := make([]Edge, len(specs))
	for i := range specs {
		s, e := &specs[i], &slab[i]
		key, ok := nextKey(s.Key, g.nextEdgeKey)
		switch {
		case !ok:
			return fmt.Errorf("edge %d: key %d does not ascend", i+1, s.Key)
		case !inRange(s.Source, len(g.nodes.list)) || !inRange(s.Target, len(g.nodes.list)):
			return fmt.Errorf("edge %d: connects nodes %d and %d of %d", i+1, s.Source, s.Target, len(g.nodes.list))
		}
		fillEdge(e, s)
		e.Key, e.pos = key, int32(i)
		e.Source, e.Target = g.nodes.list[s.Source], g.nodes.list[s.Target]
		g.edges.list[i] = e
		g.nextEdgeKey = key + 1
	}
	return nil
}

// nextKey returns the key of an element of Build. free is the lowest allowed key.
func nextKey(asked, free int) (key int, ok bool) {
	if asked < 0 || asked == 0 && free > 0 {
		return free, true
	}
	return asked, asked >= free
}

func inRange(i, n int) bool { return i >= 0 && i < n }

// connect fills In and Out of all nodes.
func (g *Graph) connect(specs []EdgeSpec) {
	in := g.incidence(specs, func(s *EdgeSpec) int { return s.Target })
	out := g.incidence(specs, func(s *EdgeSpec) int { return s.Source })
	for i, n := range g.nodes.list {
		n.In, n.Out = in(i), out(i)
	}
}

// incidence sorts the edges by one of their ends. The returned function returns the edges of a node.
// All share one array; their slices have no spare capacity, so a later append copies them instead of
// overwriting the edges of the next node.
func (g *Graph) incidence(specs []EdgeSpec, end func(*EdgeSpec) int) func(node int) []*Edge {
	first := make([]int32, len(g.nodes.list)+2)
	for i := range specs {
		first[end(&specs[i])+2]++
	}
	for v := range g.nodes.list {
		first[v+1] += first[v]
	}
	// While the array is filled, first[v+1] is the index of the next edge of v; in the end it is the
	// index of the first edge of v+1.
	sorted := make([]*Edge, len(specs))
	for i := range specs {
		v := end(&specs[i])
		sorted[first[v+1]] = g.edges.list[i]
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
