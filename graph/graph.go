// Package graph is what a workflow is: nodes that are shell commands, edges that are
// dependencies, the operations that keep the two valid, and the questions that can be
// answered by looking at them. It does no I/O, has no clock, and knows nothing about running.
package graph

// A Graph is one workflow in memory. It is not safe for concurrent use: one goroutine owns it.
// Nodes and Edges are in file order, which decides the order of tokens and of starts.
// Change it only through Apply; the fields of its nodes and edges are for reading.
type Graph struct {
	nodes []*Node
	edges []*Edge

	byID  map[string]*Node
	byKey map[int]*Edge
	attrs map[string]string // graph attributes, by attr.name

	nextNodeKey, nextEdgeKey int
}

// A Node is one shell command, or a container of other nodes.
type Node struct {
	ID  string // XML id: opaque, may hold any character, never a file name
	Key int    // place in the file: orders nodes, is never reused, survives undo

	Name   string // what a person named it; "" if nobody did
	Label  string // the shell command, exactly as the file has it
	Group  string // for folding in pictures
	Status Status
	X, Y   string // position as the file writes it; Position parses it

	Parent    *Node // the container it lies in; nil at the top
	Container bool  // holds other nodes and is no command itself: never executed
	NoCommand bool  // no label anywhere: runs refuse it ("node a has no command")

	// Extra holds the plain attributes that have no field here, except captured output
	// (see Captured). It is nil for most nodes.
	Extra map[string]string

	In, Out []*Edge // incident edges in file order

	rawStatus string // text of a status that is none of ours; written back untouched
	has       attrSet
	pos       int // index in Graph.nodes
}

// Pos is the node's index in Graph.Nodes. It changes when nodes before it come or go.
func (n *Node) Pos() int { return n.pos }

// An Edge says that Target follows Source.
type Edge struct {
	Key            int    // place in the file: identity of the edge, never reused, survives undo
	ID             string // XML id or the data attribute "id"; may be empty or repeat
	Source, Target *Node
	Type           EdgeType
	Marked         bool // bears a token (status "to_run")

	Extra map[string]string // plain attributes without a field here

	rawType, rawStatus string // texts that are none of ours; written back untouched
	has                attrSet
	pos                int
}

// Pos is the edge's index in Graph.Edges. It changes when edges before it come or go.
func (e *Edge) Pos() int { return e.pos }

// Status of a node (SEMANTICS §1).
type Status uint8

// The five states of a node. The zero value is a node that no run has reached.
const (
	Idle    Status = iota // ""
	Queued                // "run": activated, waits for a slot
	Running               // "running"
	Ran                   // "ran": exit code 0
	Failed                // "fail"
)

// EdgeType says whether a target waits for all such edges or is triggered by each.
type EdgeType uint8

// The two types of edges. Blocking is the default of a file that says nothing.
const (
	Blocking EdgeType = iota
	NonBlocking
)
