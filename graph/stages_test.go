package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// pipeline returns a workflow that trims, aligns and sorts samples, and then merges all of them.
func pipeline(t *testing.T, samples int) *Graph {
	t.Helper()
	nodes := []NodeSpec{{ID: "fetch", Parent: -1, Name: "fetch", Label: "curl ref"}}
	var edges []EdgeSpec
	steps := []string{"trim", "align", "sort"}
	for i := range samples {
		for k, step := range steps {
			at := len(nodes)
			nodes = append(nodes, NodeSpec{ID: fmt.Sprint(at), Parent: -1, Name: fmt.Sprintf("%s_S%03d", step, i),
				Label: fmt.Sprintf("%s -t 4 in/s%d.fq > S%03d.out", step, i, i)})
			from := at - 1
			if k == 0 {
				from = 0
			}
			edges = append(edges, EdgeSpec{Source: from, Target: at})
		}
	}
	merge := len(nodes)
	nodes = append(nodes, NodeSpec{ID: "merge", Parent: -1, Label: "merge all"})
	for i := range samples {
		edges = append(edges, EdgeSpec{Source: 3 + 3*i, Target: merge})
	}
	edges = append(edges, EdgeSpec{Source: merge, Target: 0, Type: "non-blocking"}) // a loop
	g, err := Build(nodes, edges, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// outline shows stages as "1 trim x7 <0", one after the other.
func outline(stages []Stage) string {
	var lines []string
	for i, s := range stages {
		lines = append(lines, fmt.Sprintf("%d %s x%d <%v", i, s.Name, len(s.Nodes), s.After))
	}
	return strings.Join(lines, "\n")
}

func TestStages(t *testing.T) {
	g := pipeline(t, 7)
	want := "0 fetch x1 <[]\n1 trim x7 <[0]\n2 align x7 <[1]\n3 sort x7 <[2]\n4 merge x1 <[3]"
	if got := outline(Stages(g, Handles(g))); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	g = pipeline(t, 2) // few nodes are not folded; chains stay together
	want = "0 fetch x1 <[]\n1 trim_S000 x1 <[0]\n2 align_S000 x1 <[1]\n3 sort_S000 x1 <[2]\n" +
		"4 trim_S001 x1 <[0]\n5 align_S001 x1 <[4]\n6 sort_S001 x1 <[5]\n7 merge x1 <[3 6]"
	if got := outline(Stages(g, Handles(g))); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// TestStagesRandom checks on random graphs that every command is in one stage, and that After leads backwards.
func TestStagesRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "nodes")
		nodes := make([]NodeSpec, n)
		for i := range nodes {
			nodes[i] = NodeSpec{ID: fmt.Sprint("n", i), Parent: -1, Label: rapid.SampledFrom([]string{"a 1", "a 2", "b x.y", ""}).Draw(t, "label")}
		}
		var edges []EdgeSpec
		for range rapid.IntRange(0, 3*n).Draw(t, "edges") {
			edges = append(edges, EdgeSpec{Source: rapid.IntRange(0, n-1).Draw(t, "source"), Target: rapid.IntRange(0, n-1).Draw(t, "target"),
				Type: rapid.SampledFrom([]string{"blocking", "non-blocking"}).Draw(t, "type")})
		}
		g, err := Build(nodes, edges, nil)
		if err != nil {
			t.Skip(err)
		}
		stages := Stages(g, Handles(g))
		total := 0
		for i, s := range stages {
			total += len(s.Nodes)
			if s.Name == "" || !slices.IsSorted(s.After) || slices.ContainsFunc(s.After, func(j int) bool { return j >= i }) {
				t.Fatalf("stage %d: %q after %v", i, s.Name, s.After)
			}
		}
		if total != n || outline(stages) != outline(Stages(g, Handles(g))) {
			t.Fatalf("%d nodes in\n%s", n, outline(stages))
		}
	})
}
