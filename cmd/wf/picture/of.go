package picture

import (
	"time"

	"wf/client/runview"
	"wf/tui/words"
)

// Of returns what a picture shows of a workfile at a time.
func Of(f *runview.Workfile, now time.Time) *Graph {
	g := &Graph{}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		g.Nodes = append(g.Nodes, Node{Name: n.Name, Group: n.Group, Command: n.Command, State: n.Counted(), Note: Note(n, now), Signs: words.Traits(n)})
	}
	for subFlow, members := range f.Members {
		for _, i := range members {
			g.Nodes[i].In = subFlow + 1
		}
	}
	for _, e := range f.Edges {
		g.Edges = append(g.Edges, Edge{From: e.From, To: e.To, NonBlocking: e.NonBlocking, When: e.When, Taken: e.Taken, Dead: e.Dead})
	}
	return g
}
