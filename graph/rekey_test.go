package graph

import (
	"strings"
	"testing"
)

// TestRekey checks that a graph with other keys can be edited, and that a node restored under a key between
// two others is placed between them.
func TestRekey(t *testing.T) {
	g := mustBuild(t, "a->b", "b->c")
	if err := g.Rekey([]int{1, 3, 5}, []int{0, 2}, 9, 4); err != nil {
		t.Fatal(err)
	}
	consistent(t, g)
	for _, op := range []Op{
		AddNode{Node: NodeSpec{ID: "between", Key: 2}},
		AddNode{Node: NodeSpec{ID: "new", Key: NewKey}},
		AddEdge{Key: 1, Source: "a", Target: "b"},
	} {
		if _, _, err := g.Apply(op); err != nil {
			t.Fatal(err)
		}
	}
	got := ""
	for _, n := range g.Nodes() {
		got += n.ID + " "
	}
	if got != "a between b c new " || g.Node("new").Key != 9 || g.Edges()[1].Key != 1 || g.Edges()[2].Key != 2 {
		t.Errorf("the nodes are %s, with the keys %d; edges %v", got, g.Node("new").Key, edgeKeys(g.Edges()))
	}
	for _, bad := range [][]int{{1, 2}, {1, 1, 2, 3, 4}, {0, 1, 2, 3, 99}} {
		if err := g.Rekey(bad, []int{0, 1, 2}, 20, 4); err == nil {
			t.Errorf("keys %v were taken", bad)
		}
	}
}

// TestRekeySorts checks that nodes and edges are sorted by their new keys, and that a container stays before its nodes.
func TestRekeySorts(t *testing.T) {
	g := mustBuild(t, "a->b", "b->c", "a->c")
	if _, _, err := g.Apply(AddNode{Node: NodeSpec{ID: "box", Key: NewKey, Container: true}}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := g.Apply(MoveNode{ID: "b", Parent: "box"}); err != nil {
		t.Fatal(err)
	}
	consistent(t, g)
	if err := g.Rekey([]int{1, 2, 3, 0}, []int{0, 1, 2}, 4, 3); err == nil {
		t.Error("a node may come before its container")
	}
	if err := g.Rekey([]int{0, 3, 1, 2}, []int{2, 1, 0}, 4, 3); err != nil { // a, c, box, b
		t.Fatal(err)
	}
	consistent(t, g)
	if got := strings.ReplaceAll(ids(g.Nodes()), ",", " "); got != "a box b c" {
		t.Errorf("the nodes are %s", got)
	}
}
