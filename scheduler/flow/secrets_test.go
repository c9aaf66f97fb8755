package flow

import (
	"slices"
	"testing"

	"wf/graph"
)

// TestSecretsOfOtherWorkfiles: what another workfile calls secret is secret in the run that includes it.
func TestSecretsOfOtherWorkfiles(t *testing.T) {
	build := func(node graph.NodeSpec, attrs map[string]string) *graph.Graph {
		t.Helper()
		node.Parent = -1
		g, err := graph.Build([]graph.NodeSpec{node}, nil, attrs)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	other := build(graph.NodeSpec{ID: "a", Label: "true", Extra: map[string]string{"secrets": "INNER"}}, map[string]string{"secrets": "OF_GRAPH"})
	g := build(graph.NodeSpec{ID: "n", Extra: map[string]string{"workfile": "other.wf", "secrets": "OUTER"}}, nil)
	var parts []graph.Part
	for _, n := range graph.Includes(g) {
		parts = append(parts, graph.Part{At: n, Graph: other})
	}
	f, problems := Read(graph.Include(g, parts))
	if want := []string{"INNER", "OF_GRAPH", "OUTER"}; !slices.Equal(f.Secrets.Names, want) {
		t.Errorf("%q, want %q; problems %v", f.Secrets.Names, want, problems)
	}
}
