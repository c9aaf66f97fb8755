package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// large returns the specs of a layered graph with five edges for every two nodes.
func large(nodes int) ([]NodeSpec, []EdgeSpec) {
	ns := make([]NodeSpec, nodes)
	for i := range ns {
		ns[i] = NodeSpec{ID: "node-" + strconv.Itoa(i), Key: i, Parent: -1, Label: "python3 scripts/step_" + strconv.Itoa(i%997) + ".py x", Status: "ran"}
	}
	es := make([]EdgeSpec, 0, nodes*5/2)
	for i := range nodes * 5 / 2 {
		target := 1 + i*2/5%(nodes-1)
		es = append(es, EdgeSpec{Key: i, Source: (i * 7919) % target, Target: target, Type: "blocking"})
	}
	return ns, es
}

func TestBuildReadsLeniently(t *testing.T) {
	inherited := []Attr{{"label", "drawn"}, {"x", "7"}, {"shape", "box"}}
	g, err := Build([]NodeSpec{
		{ID: "a", Key: 2, Parent: -1, Label: "echo a", Status: " ran ", X: " 1.5", Y: "2e1\n"},
		{ID: "b", Key: 4, Parent: -1, Status: "finished", Inherited: inherited, Y: "1"},
		{ID: "c", Key: NewKey, Parent: -1, HasLabel: true, Inherited: inherited, X: "NaN", Y: "1"},
		{ID: "d", Parent: -1, Extra: map[string]string{"colour": "red"}, X: "1", Y: "1e999"},
		{ID: "g", Parent: -1, Container: true},
	}, []EdgeSpec{
		{Source: 0, Target: 1, Type: " non_blocking", Status: "ready"},
		{Source: 1, Target: 2, Type: "sometimes", Status: "soon"},
		{Source: 2, Target: 0, HasType: true, Inherited: []Attr{{"edge_type", "non-blocking"}}},
		{Source: 2, Target: 0, Inherited: []Attr{{"edge_type", "non-blocking"}}},
	}, map[string]string{"wrapper": "{}"})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, n := range g.Nodes() {
		x, y, ok := n.Position()
		lines = append(lines, fmt.Sprintf("%d %s %q %q no command %v runnable %v at %v %v %v",
			n.Key, n.ID, n.Label, n.Status, n.NoCommand, n.Runnable(), x, y, ok))
	}
	for _, e := range g.Edges() {
		lines = append(lines, fmt.Sprintf("edge %d %v marked %v", e.Key, e.Type, e.Mark == ToRun))
	}
	want := []string{
		`2 a "echo a" "ran" no command false runnable true at 1.5 20 true`,
		`4 b "drawn" "" no command false runnable true at 7 1 true`,
		`5 c "" "" no command false runnable true at 0 0 false`,
		`6 d "" "" no command true runnable true at 0 0 false`,
		`7 g "" "" no command false runnable false at 0 0 false`,
		`edge 0 non-blocking marked true`,
		`edge 1 blocking marked false`,
		`edge 2 blocking marked false`,
		`edge 3 non-blocking marked false`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	for _, test := range []struct {
		node, attr, value string
		present           bool
	}{
		{"a", "status", " ran ", true}, {"b", "status", "finished", true}, {"b", "label", "drawn", false},
		{"c", "label", "", true}, {"b", "shape", "box", false}, {"d", "colour", "red", true}, {"d", "status", "", false},
	} {
		if value, present := g.Node(test.node).Attr(test.attr); value != test.value || present != test.present {
			t.Errorf("node %s: %s is %q %v, want %q %v", test.node, test.attr, value, present, test.value, test.present)
		}
	}
	if value, present := g.Attr("wrapper"); value != "{}" || !present {
		t.Errorf("graph: wrapper is %q %v", value, present)
	}
}

// TestInheritedValueWhileAbsent checks that the value of a drawing or a default applies while the attribute is
// absent.
func TestInheritedValueWhileAbsent(t *testing.T) {
	g, err := Build([]NodeSpec{{ID: "a", Parent: -1, Inherited: []Attr{{"label", "drawn"}}}, {ID: "b", Parent: -1}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ id, removed string }{{"a", "drawn"}, {"b", ""}} {
		n := g.Node(test.id)
		silent := n.NoCommand
		undo, _, err := g.Apply(SetNode{ID: test.id, Attr: "label", Value: "new"})
		if err != nil || n.Label != "new" || n.NoCommand {
			t.Errorf("node %s: set: %q %v %v", test.id, n.Label, n.NoCommand, err)
		}
		if _, _, err := g.Apply(undo); err != nil || n.Label != test.removed || n.NoCommand != silent {
			t.Errorf("node %s: undone: %q %v %v", test.id, n.Label, n.NoCommand, err)
		}
	}
}

func TestBuildErrors(t *testing.T) {
	a := NodeSpec{ID: "a", Parent: -1}
	for _, test := range []struct {
		nodes []NodeSpec
		edges []EdgeSpec
		want  string
	}{
		{[]NodeSpec{a, a}, nil, "node a: its id is used twice"},
		{[]NodeSpec{{Parent: -1}}, nil, "node 1: has no id"},
		{[]NodeSpec{{ID: "a", Parent: 0}}, nil, "node a: its container, node number 0, does not come before it"},
		{[]NodeSpec{{ID: "a", Key: 5, Parent: -1}, {ID: "b", Key: 5, Parent: -1}}, nil, "node b: key 5 does not ascend"},
		{[]NodeSpec{a}, []EdgeSpec{{Source: 0, Target: 1}}, "edge 1: connects nodes 0 and 1 of 1"},
		{[]NodeSpec{a}, []EdgeSpec{{Key: 3}, {Key: 2}}, "edge 2: key 2 does not ascend"},
	} {
		if _, err := Build(test.nodes, test.edges, nil); err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

func TestEdgesBetween(t *testing.T) {
	g := mustBuild(t, "a->b", "a~>b", "b->a", "a->c", "a->d")
	if got := edgeKeys(g.EdgesBetween(g.Node("a"), g.Node("b"))); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("a to b: %v", got)
	}
	if got := edgeKeys(g.EdgesBetween(g.Node("b"), g.Node("a"))); !slices.Equal(got, []int{2}) {
		t.Errorf("b to a: %v", got)
	}
	if got := g.EdgesBetween(g.Node("c"), g.Node("d")); got != nil {
		t.Errorf("c to d: %v", edgeKeys(got))
	}
}

func BenchmarkBuild(b *testing.B) {
	nodes, edges := large(100_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Build(nodes, edges, nil); err != nil {
			b.Fatal(err)
		}
	}
}
