package main

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/api"
	"wf/cmd/wf/console"
)

// TestTreeOnce checks that every node is in the tree once, also in graphs with cycles.
func TestTreeOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &api.Graph{}
		count := rapid.IntRange(1, 12).Draw(t, "nodes")
		for i := range count {
			name := "node" + string(rune('A'+i))
			g.Nodes = append(g.Nodes, api.GraphNode{ID: name, Name: name})
		}
		for range rapid.IntRange(0, 3*count).Draw(t, "edges") {
			g.Edges = append(g.Edges, api.GraphEdge{Source: g.Nodes[rapid.IntRange(0, count-1).Draw(t, "from")].ID,
				Target: g.Nodes[rapid.IntRange(0, count-1).Draw(t, "to")].ID,
				Type:   rapid.SampledFrom([]string{"blocking", "non-blocking"}).Draw(t, "type")})
		}
		var out strings.Builder
		if err := printTree(&env{Console: console.Console{Stdout: &out, ASCII: true}}, g); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(out.String(), "\n"); lines != count {
			t.Fatalf("%d lines for %d nodes:\n%s", lines, count, out.String())
		}
		for _, n := range g.Nodes {
			if strings.Count(out.String(), ". "+n.Name) != 1 {
				t.Fatalf("%s does not occur exactly once:\n%s", n.Name, out.String())
			}
		}
	})
}
