package flow

import (
	"fmt"
	"testing"

	"wf/graph"
)

// plainGraph returns n commands in layers of a hundred, each after two of the layer before.
func plainGraph(tb testing.TB, n int) *graph.Graph {
	tb.Helper()
	var nodes []graph.NodeSpec
	var edges []graph.EdgeSpec
	for i := range n {
		nodes = append(nodes, graph.NodeSpec{ID: fmt.Sprintf("n%d", i), Name: fmt.Sprintf("node-%d", i), Label: fmt.Sprintf("make part-%d && echo done", i), Parent: -1})
		if i >= 100 {
			edges = append(edges, graph.EdgeSpec{Source: i - 100, Target: i}, graph.EdgeSpec{Source: i - i%100 - 1, Target: i})
		}
	}
	g, err := graph.Build(nodes, edges, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

func BenchmarkReadPlain(b *testing.B) {
	g := plainGraph(b, 100_000)
	for b.Loop() {
		Read(g)
	}
}

func BenchmarkCheckPlain(b *testing.B) {
	g := plainGraph(b, 100_000)
	for b.Loop() {
		graph.Check(g)
	}
}

func TestReadOfPlainGraphIsCheap(t *testing.T) {
	g := plainGraph(t, 10_000)
	f, problems := Read(g)
	if problems != nil || !f.Plain() {
		t.Fatalf("problems %v, plain %v", problems, f.Plain())
	}
	if allocations := testing.AllocsPerRun(5, func() { Read(g) }); allocations > 20 {
		t.Errorf("%v allocations for 10,000 plain nodes", allocations)
	}
}

// BenchmarkReadControl reads a hundred thousand nodes that use all of control flow.
func BenchmarkReadControl(b *testing.B) {
	const n = 100_000
	nodes, edges := make([]graph.NodeSpec, n), make([]graph.EdgeSpec, 0, n)
	for i := range nodes {
		nodes[i] = graph.NodeSpec{ID: fmt.Sprintf("n%d", i), Name: fmt.Sprintf("node%d", i), Label: "true", Parent: -1,
			Extra: map[string]string{"retries": "2", "env": fmt.Sprintf("X=${{ nodes.node%d.outputs.x }}", i/2)}}
		if i > 0 {
			edges = append(edges, graph.EdgeSpec{Source: i - 1, Target: i, Extra: map[string]string{"when": fmt.Sprintf("if:nodes.node%d.outputs.y == \"1\"", i-1)}})
		}
	}
	g, err := graph.Build(nodes, edges, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, problems := Read(g); problems != nil {
			b.Fatal(problems[0])
		}
	}
}

// TestReadIsLinear compares the allocations for the worst shapes at one size and at four times that size.
func TestReadIsLinear(t *testing.T) {
	for name, shape := range map[string]func(n int) ([]graph.NodeSpec, []graph.EdgeSpec){
		"a star of else":              starOfElse,
		"joins in a group":            joinsInGroup,
		"groups in groups":            groupsInGroups,
		"groups one behind the other": chainOfGroups,
		"names that cannot be seen":   unseenNames,
	} {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) float64 {
				nodes, edges := shape(n)
				g, err := graph.Build(nodes, edges, nil)
				if err != nil {
					t.Fatal(err)
				}
				return testing.AllocsPerRun(1, func() { Read(g) })
			}
			if small, large := cost(200), cost(800); large > 6*small {
				t.Errorf("%v allocations for 200 nodes, %v for 800", small, large)
			}
		})
	}
}

func starOfElse(n int) (nodes []graph.NodeSpec, edges []graph.EdgeSpec) {
	nodes = append(nodes, graph.NodeSpec{ID: "hub", Label: "true", Parent: -1}, graph.NodeSpec{ID: "end", Label: "true", Parent: -1})
	for range n {
		edges = append(edges, graph.EdgeSpec{Source: 0, Target: 1, Extra: map[string]string{"when": "else"}})
	}
	return nodes, append(edges, graph.EdgeSpec{Source: 0, Target: 1, Extra: map[string]string{"when": "exit:3"}})
}

func joinsInGroup(n int) (nodes []graph.NodeSpec, edges []graph.EdgeSpec) {
	nodes = append(nodes, graph.NodeSpec{ID: "group", Container: true, Parent: -1})
	for i := range n {
		nodes = append(nodes, graph.NodeSpec{ID: fmt.Sprintf("in%d", i), Label: "true", Parent: 0, Extra: map[string]string{"join": "any"}},
			graph.NodeSpec{ID: fmt.Sprintf("before%d", i), Label: "true", Parent: -1})
		edges = append(edges, graph.EdgeSpec{Source: len(nodes) - 1, Target: 0})
	}
	return nodes, edges
}

func groupsInGroups(n int) (nodes []graph.NodeSpec, edges []graph.EdgeSpec) {
	nodes = append(nodes, graph.NodeSpec{ID: "before", Label: "true", Parent: -1})
	for i := range n / 10 {
		group := len(nodes)
		nodes = append(nodes, graph.NodeSpec{ID: fmt.Sprintf("g%d", i), Container: true, Parent: -1})
		for j := range 8 {
			nodes = append(nodes, graph.NodeSpec{ID: fmt.Sprintf("g%d-%d", i, j), Container: true, Parent: group + j})
		}
		nodes = append(nodes, graph.NodeSpec{ID: fmt.Sprintf("n%d", i), Label: "true", Parent: len(nodes) - 1})
		edges = append(edges, graph.EdgeSpec{Source: 0, Target: group})
	}
	return nodes, edges
}

func chainOfGroups(n int) (nodes []graph.NodeSpec, edges []graph.EdgeSpec) {
	for i := range n / 4 {
		nodes = append(nodes, graph.NodeSpec{ID: fmt.Sprintf("g%d", i), Container: true, Parent: -1})
		for j := range 3 {
			nodes = append(nodes, graph.NodeSpec{ID: fmt.Sprintf("g%d-%d", i, j), Label: "true", Parent: 4 * i})
		}
		if i > 0 {
			edges = append(edges, graph.EdgeSpec{Source: 4 * (i - 1), Target: 4 * i})
		}
	}
	return nodes, edges
}

func unseenNames(n int) (nodes []graph.NodeSpec, edges []graph.EdgeSpec) {
	for i := range n {
		nodes = append(nodes, graph.NodeSpec{ID: fmt.Sprintf("n%d", i), Label: "true", Parent: -1, Extra: map[string]string{"env": "A=${{ nodes.missing.outputs.x }}"}})
	}
	return nodes, nil
}

// TestHugeGroupsAreBounded reads graphs whose edges to groups stand for too many edges.
func TestHugeGroupsAreBounded(t *testing.T) {
	t.Run("large groups", func(t *testing.T) {
		var nodes []graph.NodeSpec
		for i := range 2 {
			group := len(nodes)
			nodes = append(nodes, graph.NodeSpec{ID: fmt.Sprintf("g%d", i), Container: true, Parent: -1})
			for j := range 20_000 {
				nodes = append(nodes, graph.NodeSpec{ID: fmt.Sprintf("g%d-%d", i, j), Label: "true", Parent: group})
			}
		}
		g, err := graph.Build(nodes, []graph.EdgeSpec{{Source: 0, Target: 20_001}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, problems := Read(g); len(problems) != 1 || problems[0].Code != CodeGroup {
			t.Errorf("%v", problems)
		}
	})
	t.Run("deep groups", func(t *testing.T) {
		nodes := []graph.NodeSpec{{ID: "g0", Container: true, Parent: -1}}
		for i := range maxNesting + 1 {
			nodes = append(nodes, graph.NodeSpec{ID: fmt.Sprintf("g%d", i+1), Container: true, Parent: i})
		}
		g, err := graph.Build(nodes, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, problems := Read(g); len(problems) != 1 || problems[0].Code != CodeSubFlow {
			t.Errorf("%v", problems)
		}
	})
}
