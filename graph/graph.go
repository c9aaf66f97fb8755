// Package graph is what a workflow is: nodes that are shell commands, edges that are
// dependencies, the operations that keep the two valid, and the questions that can be
// answered by looking at them. It does no I/O, has no clock, and knows nothing about running.
package graph

import "maps"

// A Graph is one workflow in memory. It is not safe for concurrent use: one goroutine owns it.
// Nodes and Edges are in file order, which decides the order of tokens and of starts.
// Change it only through Apply, SetStatus and SetMark; the fields of its nodes and edges are
// for reading.
type Graph struct {
	nodes ordered[*Node]
	edges ordered[*Edge]

	byID  map[string]*Node
	attrs map[string]string // graph attributes, by attr.name

	handles *HandleTable // of the graph as it is; nil until somebody asks, and after a change

	// The next fresh keys. They only grow, so a key is never given twice.
	nextNodeKey, nextEdgeKey int
}

// A Node is one shell command, or a container of other nodes.
type Node struct {
	ID  string // XML id: opaque, may hold any character, never a file name
	Key int    // place in the file: orders nodes, is never reused, survives undo

	Name  string // what a person named it; "" if nobody did
	Label string // the shell command, exactly as the file has it
	Group string // for folding in pictures
	X, Y  string // position as the file writes it; Position parses it

	Parent    *Node // the node it lies in; nil at the top
	Status    Status
	Container bool // holds other nodes and is no command itself: never executed
	NoCommand bool // no label anywhere: runs refuse it ("node a has no command")

	// Extra holds the plain attributes that have no field here, except captured output
	// (see Captured). It is nil for most nodes.
	Extra map[string]string

	In, Out []*Edge // incident edges in file order

	rare     *rare
	has      attrSet
	children int32 // nodes that lie in it
	position
}

func (n *Node) key() int { return n.Key }

// Pos is the node's index in Graph.Nodes. It changes when nodes before it come or go.
func (n *Node) Pos() int { return int(n.pos) }

// Children is how many nodes lie directly in the node.
func (n *Node) Children() int { return int(n.children) }

// Runnable says whether a run can do something with the node itself: it is a command or a sub-flow, not a
// mere group.
func (n *Node) Runnable() bool { return !n.Container || n.SubFlow() }

// An Edge says that Target follows Source.
type Edge struct {
	Key            int    // place in the file: identity of the edge, never reused, survives undo
	ID             string // XML id or the data attribute "id"; may be empty or repeat
	Source, Target *Node
	Extra          map[string]string // plain attributes without a field here
	Type           EdgeType
	Mark           Mark

	has attrSet
	position
	rare *rare
}

func (e *Edge) key() int { return e.Key }

// Pos is the edge's index in Graph.Edges. It changes when edges before it come or go.
func (e *Edge) Pos() int { return int(e.pos) }

// Nodes returns all nodes in file order. The slice belongs to the graph and is valid until the
// next Apply.
func (g *Graph) Nodes() []*Node { return g.nodes.list }

// Edges returns all edges in file order. The slice belongs to the graph and is valid until the
// next Apply.
func (g *Graph) Edges() []*Edge { return g.edges.list }

// Node returns the node with the XML id, or nil.
func (g *Graph) Node(id string) *Node { return g.byID[id] }

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
