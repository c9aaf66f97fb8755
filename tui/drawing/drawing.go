// Package drawing draws workflows into grids of character cells, in two views: graph (boxes and lines, from the kernel of
// all drawings in graph/picture) and list (one row per node, edges as lanes beside them). It does not depend on daemons, terminals or colours: a cell has a meaning
// (Style), not an escape sequence. It does no I/O, asks no clock, and the same input gives the same
// cells.
//
// A Graph is the caller's. New computes a Layout from its structure: names, groups, commands, edges,
// hidden nodes. That is the slow part, and it stays valid while only the states change. Then, for
// each screen, Show takes the present states, the selection and the visible area, and Draw writes that area:
//
//	layout := drawing.New(graph, drawing.Options{View: drawing.List})
//	graph.Nodes[4].State, graph.Nodes[4].Detail = drawing.Failed, "exit 1 after 1.2s"
//	layout.Show(drawing.Look{Width: grid.Width, Height: grid.Height, Selected: drawing.NodeItem(4)})
//	layout.Draw(grid, drawing.Point{Y: top})
//
// Nothing here may be used by two goroutines at the same time.
package drawing

import (
	"wf/api"
	"wf/tui/words"
)

// A Graph is the input of a drawing. The fields marked as current may change between two pictures; everything else is
// structure, and after a change of it the caller needs a new Layout.
type Graph struct {
	Nodes []Node
	Edges []Edge
	Rows  []Row // current; in the order of their nodes, and for each node in display order
}

// A Node is a command of a workflow. Texts may contain anything, because package plain makes them safe.
type Node struct {
	ID      string // unique
	Name    string // the displayed handle
	Group   string // an explicit group to fold; "" = fold by command
	Command string
	Signs   string // what is special about it before it runs: a sub-flow, a question

	// X and Y are the position in the file, if it has one (Placed). They decide the order where the layout has a
	// choice: a node that is higher in the file is higher in the drawing.
	X, Y   float64
	Placed bool

	// Inside means that the node is part of another one. It has no place of its own, but it may have a Row.
	Inside bool
	// Folds means that the node contains others: the graph reserves room for Instances.
	Folds bool

	// The current state.
	State     State
	Detail    string     // after the name, such as `running 12s` or `exit 1 after 1.2s`; "" = the word of the state
	Time      string     // short, for chips, such as `12s`; at most 7 columns are shown
	Marked    bool       // by the user
	Instances *Instances // counts of the contained instances; nil = none
}

// An Edge leads from one node to another; From and To are indices into Graph.Nodes.
type Edge struct {
	From, To    int
	NonBlocking bool
	When        string // the condition under which it fires; "" = after success

	// Of now.
	Marked bool // a token waits on it
	Taken  bool // it has fired
	Dead   bool // its source has decided that it will not fire (skip)
}

// State is the state of a node as shown to the user.
type State uint8

// The states. Their order has no meaning; Worst compares them.
const (
	Idle State = iota
	Queued
	Running
	OK
	Failed
	Blocked
	Cancelled
	Kept     // result of an earlier run
	Waiting  // for a person
	Retrying // failed, will run again
	Skipped  // on a branch that was not taken
	Handled  // failed, and an edge has fired because of it
	states   // number of states
)

// stateWords are the states as in JSON.
var stateWords = [states]api.State{
	Idle: api.StateIdle, Queued: api.StateQueued, Running: api.StateRunning, OK: api.StateOK, Failed: api.StateFailed,
	Blocked: api.StateBlocked, Cancelled: api.StateCancelled, Kept: api.StateKept, Waiting: api.StateWaiting,
	Retrying: api.StateRetrying, Skipped: api.StateSkipped, Handled: api.StateHandled,
}

// looks are the signs of the states.
var looks = func() (looks [states]words.Look) {
	for s := range looks {
		looks[s] = words.LookOf(stateWords[s])
	}
	return looks
}()

// Glyph returns the sign of a state, one column wide.
func (s State) Glyph(ascii bool) string { return looks[s].Sign(ascii) }

// String returns the word for a state, as in JSON.
func (s State) String() string { return string(stateWords[s]) }

// needsPerson reports whether a fold must not hide a node in this state.
func (s State) needsPerson() bool { return s == Failed || s == Waiting }

// severity is the rank of each state by severity; 0 is the most severe one.
var severity = func() (places [states]int) {
	for s := range places {
		places[s] = api.Severity(stateWords[s])
	}
	return places
}()

// Worst returns the more severe of two states.
func Worst(a, b State) State {
	if severity[b] < severity[a] {
		return b
	}
	return a
}

// Counts are numbers of nodes by state.
type Counts [states]int

// Total returns the number of all nodes counted.
func (c *Counts) Total() int {
	total := 0
	for _, n := range c {
		total += n
	}
	return total
}

// Done returns the number of nodes that do not have to run any more.
func (c *Counts) Done() int { return c[OK] + c[Kept] + c[Skipped] }
