// Package graph represents a workflow in memory: nodes that are shell commands and edges that are
// dependencies. It edits graphs, checks them, and finds nodes by handles and selectors. It does no
// I/O, has no clock, and contains nothing about runs.
package graph

import "maps"

// A Graph is one workflow in memory. It is not safe for concurrent use: one goroutine owns it.
// Nodes and Edges are in file order, which decides the order of tokens and of starts.
// Change it only through Apply, SetStatus and SetMark; the fields of its nodes and edges are
// for reading.
type Graph struct {
	nodes ordered[*Node]
	edges ordered[*Edge]

	attrs map[string]string // graph attributes, by attr.name

	byID map[string]*Node // nil before first use; see ids

	handles *HandleTable // of the current state; nil before first use and after a change

	// The next new keys. They only grow, so a key is never assigned twice.
	nextNodeKey, nextEdgeKey int
}

// A Node is one shell command, or a container of other nodes.
type Node struct {
	ID  string // XML id: opaque, may contain any character, never a file name
	Key int    // place in the file: orders nodes, is never reused, survives undo

	Name  string // "" = none
	Label string // the shell command, exactly as in the file
	Group string // for folding in pictures
	X, Y  string // position as in the file; Position parses it

	Parent    *Node // its container; nil at the top
	Status    Status
	Container bool // contains other nodes and is not a command itself
	NoCommand bool // has neither an own nor an inherited label: runs refuse it ("node a has no command")

	// Extra contains the attributes that have no field here, except captured output (see Captured).
	// It is nil for most nodes.
	Extra map[string]string

	In, Out []*Edge // incident edges in file order

	uncommon *uncommon
	has      attrSet
	children int32 // number of nodes directly inside
	position
}

func (n *Node) key() int { return n.Key }

// Pos returns the index in Graph.Nodes. It changes when nodes before it are added or removed.
func (n *Node) Pos() int { return int(n.pos) }

// Children returns the number of nodes directly inside the node.
func (n *Node) Children() int { return int(n.children) }

// Runnable reports whether the node is a command or a sub-flow, and not only a group.
func (n *Node) Runnable() bool { return !n.Container || n.SubFlow() }

// An Edge is a dependency: Target follows Source.
type Edge struct {
	Key            int    // place in the file: identity of the edge, never reused, survives undo
	ID             string // XML id or the data attribute "id"; may be empty or repeat
	Source, Target *Node
	Extra          map[string]string // attributes without a field here
	Type           EdgeType
	Mark           Mark

	has attrSet
	position
	uncommon *uncommon
}

func (e *Edge) key() int { return e.Key }

// Pos returns the index in Graph.Edges. It changes when edges before it are added or removed.
func (e *Edge) Pos() int { return int(e.pos) }

// Nodes returns all nodes in file order. The slice belongs to the graph and is valid until the
// next Apply.
func (g *Graph) Nodes() []*Node { return g.nodes.list }

// Edges returns all edges in file order. The slice belongs to the graph and is valid until the
// next Apply.
func (g *Graph) Edges() []*Edge { return g.edges.list }

// Node returns the node with the XML id, or nil.
func (g *Graph) Node(id string) *Node { return g.ids()[id] }

// ids returns the nodes by id.
func (g *Graph) ids() map[string]*Node {
	if g.byID == nil {
		g.byID = make(map[string]*Node, len(g.nodes.list))
		for _, n := range g.nodes.list {
			g.byID[n.ID] = n
		}
	}
	return g.byID
}

// Edge returns the edge with the key, or nil.
func (g *Graph) Edge(key int) *Edge {
	e, _ := g.edges.find(key)
	return e
}

// EdgesBetween returns the edges from src to dst in file order. There may be several.
func (g *Graph) EdgesBetween(src, dst *Node) []*Edge {
	var found []*Edge
	if len(src.Out) <= len(dst.In) {
		for _, e := range src.Out {
			if e.Target == dst {
				found = append(found, e)
			}
		}
		return found
	}
	for _, e := range dst.In {
		if e.Source == src {
			found = append(found, e)
		}
	}
	return found
}

// Attr returns a graph attribute and whether the file has it.
func (g *Graph) Attr(name string) (value string, present bool) {
	value, present = g.attrs[name]
	return value, present
}

// Attrs returns a copy of the graph attributes.
func (g *Graph) Attrs() map[string]string { return maps.Clone(g.attrs) }
