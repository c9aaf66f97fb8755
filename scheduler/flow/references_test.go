package flow

import (
	"slices"
	"testing"

	"wf/graph"
)

// A flow knows which nodes' stdout its texts read, through loops, results and names that are hidden by others, and which values of
// wf kv.
func TestReadings(t *testing.T) {
	extra := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	nodes := []graph.NodeSpec{
		{ID: "a", Label: "a", Parent: -1},
		{ID: "b", Label: "b", Parent: -1, Extra: extra("env", "X=${{ nodes.a.stdout }}${{ kv.two }}")},
		{ID: "loop", Container: true, Parent: -1, Extra: extra("until", `previous.try.stdout == kv["one-1"]`)},
		{ID: "try", Label: "try", Parent: 2},
		{ID: "other", Label: "other", Parent: 2, Extra: extra("env", "X=${{ nodes.try.outputs.x }}")},
		{ID: "each", Container: true, Parent: -1, Extra: extra("times", "2")},
		{ID: "one", Label: "one", Parent: 5},
		{ID: "inner", Container: true, Parent: 5, Extra: extra("times", "2")},
		{ID: "deep", Label: "deep", Parent: 7},
		{ID: "two", Label: "two", Parent: 7},
		{ID: "c", Label: "c", Parent: -1},
		{ID: "d", Label: "d", Parent: -1},
	}
	edges := []graph.EdgeSpec{
		{Source: 10, Target: 11, Extra: extra("when", `if:any(nodes.each.results, any(#.inner.results, #.deep.stdout == "x"))`)},
	}
	g, err := graph.Build(nodes, edges, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, problems := Read(g)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var printed []string
	for _, n := range g.Nodes() {
		if f.Printed(n) {
			printed = append(printed, n.ID)
		}
	}
	if want := []string{"a", "try", "deep"}; !slices.Equal(printed, want) {
		t.Errorf("texts read what %v print, want %v", printed, want)
	}
	if want := []string{"one-1", "two"}; !slices.Equal(f.Stored(), want) {
		t.Errorf("texts read the values %v, want %v", f.Stored(), want)
	}
}
