package graph

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// dump describes a graph completely, so that equal graphs have equal dumps.
func dump(g *Graph) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(g.attrs)) {
		fmt.Fprintf(&b, "graph %s=%q\n", name, g.attrs[name])
	}
	for i, n := range g.Nodes() {
		parent := ""
		if n.Parent != nil {
			parent = n.Parent.ID
		}
		status, _ := n.Attr("status")
		fmt.Fprintf(&b, "node %q key=%d pos=%d name=%q label=%q group=%q status=%v/%q x=%q y=%q parent=%q children=%d",
			n.ID, n.Key, n.pos, n.Name, n.Label, n.Group, n.Status, status, n.X, n.Y, parent, n.children)
		fmt.Fprintf(&b, " container=%v nocommand=%v has=%b extra=%v inherited=%v in=%v out=%v found=%v\n",
			n.Container, n.NoCommand, n.has, n.Extra, n.uncommon.all(), edgeKeys(n.In), edgeKeys(n.Out), g.Node(n.ID) == g.Nodes()[i])
	}
	for i, e := range g.Edges() {
		edgeType, _ := e.Attr("edge_type")
		status, _ := e.Attr("status")
		fmt.Fprintf(&b, "edge %d pos=%d id=%q %q->%q type=%v/%q marked=%v/%q has=%b extra=%v inherited=%v found=%v\n",
			e.Key, e.pos, e.ID, e.Source.ID, e.Target.ID, e.Type, edgeType, e.Mark, status, e.has, e.Extra, e.uncommon.all(),
			g.Edge(e.Key) == g.Edges()[i])
	}
	fmt.Fprintf(&b, "%d ids\n", len(g.ids()))
	return b.String()
}

func edgeKeys(edges []*Edge) (keys []int) {
	for _, e := range edges {
		keys = append(keys, e.Key)
	}
	return keys
}

// consistent checks the invariants of a graph.
func consistent(t interface{ Fatalf(string, ...any) }, g *Graph) {
	in, out := map[string][]int{}, map[string][]int{}
	for i, e := range g.Edges() {
		if i > 0 && g.Edges()[i-1].Key >= e.Key || e.Pos() != i || g.Edge(e.Key) != e {
			t.Fatalf("edge %d is out of place", e.Key)
		}
		in[e.Target.ID] = append(in[e.Target.ID], e.Key)
		out[e.Source.ID] = append(out[e.Source.ID], e.Key)
	}
	for i, n := range g.Nodes() {
		if i > 0 && g.Nodes()[i-1].Key >= n.Key || n.Pos() != i || g.Node(n.ID) != n {
			t.Fatalf("node %s is out of place", n.ID)
		}
		if !slices.Equal(edgeKeys(n.In), in[n.ID]) || !slices.Equal(edgeKeys(n.Out), out[n.ID]) {
			t.Fatalf("node %s has edges in %v out %v, want %v and %v", n.ID, edgeKeys(n.In), edgeKeys(n.Out), in[n.ID], out[n.ID])
		}
		if n.Parent != nil && (g.Node(n.Parent.ID) != n.Parent || n.Parent.Key > n.Key) {
			t.Fatalf("the container of node %s does not exist, or comes after it", n.ID)
		}
		children := 0
		for _, m := range g.Nodes() {
			if m.Parent == n {
				children++
			}
		}
		if children != n.Children() {
			t.Fatalf("node %s contains %d nodes, and says %d", n.ID, children, n.Children())
		}
	}
}

// mustBuild makes a graph of edges like "a->b" and "a~>b" (non-blocking), and of single nodes, in the order of
// their first appearance. Labels are the ids.
func mustBuild(t testing.TB, words ...string) *Graph {
	t.Helper()
	var nodes []NodeSpec
	var edges []EdgeSpec
	index := func(id string) int {
		at := slices.IndexFunc(nodes, func(n NodeSpec) bool { return n.ID == id })
		if at < 0 {
			at = len(nodes)
			nodes = append(nodes, NodeSpec{ID: id, Key: NewKey, Parent: -1, Label: id})
		}
		return at
	}
	for _, word := range words {
		for _, arrow := range []string{"->", "~>"} {
			if source, target, found := strings.Cut(word, arrow); found {
				e := EdgeSpec{Key: NewKey, Source: index(source), Target: index(target)}
				if arrow == "~>" {
					e.Type = "non-blocking"
				}
				edges = append(edges, e)
				word = ""
			}
		}
		if word != "" {
			index(word)
		}
	}
	g, err := Build(nodes, edges, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func ids(nodes []*Node) string {
	var list []string
	for _, n := range nodes {
		list = append(list, n.ID)
	}
	return strings.Join(list, " ")
}
