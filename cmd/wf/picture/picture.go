// Package picture paints workfiles: as text for a terminal, and as SVG. Where everything is comes from graph/picture;
// this package knows states, colours and signs.
package picture

import (
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"wf/api"
	"wf/graph/picture"
	"wf/tui/painter"
	"wf/tui/plain"
	"wf/tui/words"
)

// A Node is a node of a workfile as pictures show it.
type Node struct {
	Name, Group, Command string
	State                api.State // a handled failure is StateHandled
	Note                 string    // its time and attempt
	Signs                string    // what it is, before it runs: a sub-flow, a question
	In                   int       // the sub-flow that contains it, counted from 1; 0 = none
}

// An Edge leads from one node to another; both are indexes.
type Edge struct {
	From, To    int
	NonBlocking bool
	When        string
	Taken, Dead bool // of its last run: it has fired, or never will
}

// A Graph is what a picture shows.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// noteWidth is the room for the time and the attempt of a node: "12m30s 3/4".
const noteWidth = 7

// A Drawing is a graph with the positions of all that is drawn of it.
type Drawing struct {
	Graph *Graph
	Scene *picture.Scene
}

// Draw computes the positions for a pane of width times height cells; 0 = unlimited. whole draws each node, and never a
// box for several.
func Draw(g *Graph, width, height int, whole bool) Drawing {
	o := picture.Options{Width: width, Height: height, Note: noteWidth, Whole: whole, Measure: ansi.StringWidth}
	names := make([]string, len(g.Nodes))
	for i := range names {
		names[i] = plain.Line(g.Nodes[i].Name)
	}
	names = painter.ShortNames(names)
	vertices := make([]picture.Vertex, len(g.Nodes))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		vertices[i] = picture.Vertex{Name: names[i], Group: plain.Line(n.Group), Command: n.Command, Signs: n.Signs, In: n.In}
	}
	edges := make([]picture.Edge, len(g.Edges))
	for i, e := range g.Edges {
		edges[i] = picture.Edge{From: e.From, To: e.To, Weak: e.NonBlocking, When: plain.Line(e.When)}
	}
	return Drawing{g, picture.New(vertices, edges, o)}
}

// state returns the most urgent state of the nodes of a box.
func (g *Graph) state(b *picture.Box) api.State {
	if len(b.Members) == 1 {
		return g.Nodes[b.Members[0]].State
	}
	counts := g.counts(b)
	return counts.Worst()
}

func (g *Graph) counts(b *picture.Box) api.Counts {
	var c api.Counts
	for _, v := range b.Members {
		c.Add(g.Nodes[v].State)
	}
	return c
}

// note returns the text below or beside a name: the time of a node, or "6/8 ✗1" of a stage.
func (g *Graph) note(b *picture.Box, ascii bool) string {
	if len(b.Members) == 1 {
		return ansi.Truncate(g.Nodes[b.Members[0]].Note, noteWidth, "")
	}
	return painter.Progress(g.counts(b), ascii)
}

// way returns what has become of an edge.
func (g *Graph) way(e int) (painter.Way, bool) {
	edge := &g.Edges[e]
	return painter.Way{From: g.Nodes[edge.From].State, Taken: edge.Taken, Dead: edge.Dead}, true
}

// Note returns what a picture says of the times of a node: how long it ran or has been running, and the attempt.
func Note(n *api.NodeStatus, now time.Time) string {
	text := words.SpanMS(n.DurationMS)
	if n.State == api.StateRunning && n.Started != nil {
		text = words.Span(now.Sub(*n.Started))
	}
	if n.Attempt > 0 {
		text = strings.TrimSpace(text + " #" + strconv.Itoa(n.Attempt+1))
	}
	return text
}
