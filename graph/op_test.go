package graph

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The words of random ops: few, so that ops affect the same elements, and some unknown texts.
var (
	someIDs   = rapid.SampledFrom([]string{"a", "b", "c", "d", "e f", "g,h"})
	someTexts = rapid.SampledFrom([]string{"", "x", "ran", " fail ", "odd", "to_run", "ready", "non_blocking", "non-blocking", "3.5"})
	someAttrs = rapid.SampledFrom([]string{"name", "label", "group", "status", "x", "y", "id", "edge_type", "colour", "weight"})
)

func randomOp(t *rapid.T, g *Graph, depth int) Op {
	keys := append(edgeKeys(g.Edges()), 99)
	switch rapid.IntRange(0, 10+depth).Draw(t, "op") {
	case 0:
		return AddNode{Node: randomNode(t), Parent: rapid.OneOf(someIDs, rapid.Just("")).Draw(t, "parent")}
	case 1:
		return RemoveNode{ID: someIDs.Draw(t, "id")}
	case 2, 3:
		return AddEdge{
			Key: NewKey, Source: someIDs.Draw(t, "source"), Target: someIDs.Draw(t, "target"),
			ID: someTexts.Draw(t, "edge id"), Type: someTexts.Draw(t, "type"), Status: someTexts.Draw(t, "status"),
			HasID: rapid.Bool().Draw(t, "has id"), HasType: rapid.Bool().Draw(t, "has type"),
			Inherited: randomInherited(t), Extra: randomExtra(t),
		}
	case 4:
		return RemoveEdge{Key: rapid.SampledFrom(keys).Draw(t, "key")}
	case 5:
		return SetNode{ID: someIDs.Draw(t, "id"), Attr: someAttrs.Draw(t, "attr"), Value: someTexts.Draw(t, "value"), Remove: rapid.Bool().Draw(t, "remove")}
	case 6:
		return SetEdge{Key: rapid.SampledFrom(keys).Draw(t, "key"), Attr: someAttrs.Draw(t, "attr"), Value: someTexts.Draw(t, "value"), Remove: rapid.Bool().Draw(t, "remove")}
	case 7, 8:
		return MoveNode{ID: someIDs.Draw(t, "id"), Parent: rapid.OneOf(someIDs, rapid.Just("")).Draw(t, "into")}
	case 9:
		return MoveEdge{Key: rapid.SampledFrom(keys).Draw(t, "key"), Source: someIDs.Draw(t, "from"), Target: someIDs.Draw(t, "to")}
	case 10:
		return SetGraph{Attr: someAttrs.Draw(t, "attr"), Value: someTexts.Draw(t, "value"), Remove: rapid.Bool().Draw(t, "remove")}
	}
	var batch Batch
	for range rapid.IntRange(0, 4).Draw(t, "batch") {
		batch.Ops = append(batch.Ops, randomOp(t, g, depth-1))
	}
	return batch
}

func randomNode(t *rapid.T) NodeSpec {
	return NodeSpec{
		ID: someIDs.Draw(t, "id"), Key: NewKey, Name: someTexts.Draw(t, "name"), Label: someTexts.Draw(t, "label"),
		Status: someTexts.Draw(t, "status"), X: someTexts.Draw(t, "x"), HasLabel: rapid.Bool().Draw(t, "has label"),
		HasY: rapid.Bool().Draw(t, "has y"), Container: rapid.Bool().Draw(t, "container"),
		Inherited: randomInherited(t), Extra: randomExtra(t),
	}
}

func randomInherited(t *rapid.T) (list []Attr) {
	for range rapid.IntRange(0, 2).Draw(t, "inherited") {
		list = append(list, Attr{someAttrs.Draw(t, "attr"), someTexts.Draw(t, "default")})
	}
	return list
}

func randomExtra(t *rapid.T) map[string]string {
	if rapid.Bool().Draw(t, "extra") {
		return map[string]string{"colour": someTexts.Draw(t, "colour")}
	}
	return nil
}

// TestInverse undoes random edits: after each inverse the graph is as before the op, an op that fails changes
// nothing, and the done op gives the same graph elsewhere.
func TestInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, twin := empty(), empty()
		var undo []Op
		states := []string{dump(g)}
		for range rapid.IntRange(1, 30).Draw(t, "ops") {
			op := randomOp(t, g, 2)
			inverse, done, err := g.Apply(op)
			consistent(t, g)
			if err != nil {
				if now := dump(g); now != states[len(states)-1] {
					t.Fatalf("%#v failed with %v and changed\n%sto\n%s", op, err, states[len(states)-1], now)
				}
				continue
			}
			if _, _, err := twin.Apply(done); err != nil || dump(twin) != dump(g) {
				t.Fatalf("done %#v elsewhere: %v\n%swant\n%s", done, err, dump(twin), dump(g))
			}
			undo = append(undo, inverse)
			states = append(states, dump(g))
		}
		for i, op := range slices.Backward(undo) {
			if _, _, err := g.Apply(op); err != nil {
				t.Fatalf("inverse %#v: %v", op, err)
			}
			if now := dump(g); now != states[i] {
				t.Fatalf("inverse %#v made\n%swant\n%s", op, now, states[i])
			}
		}
	})
}

// TestRedo checks that the inverse of an inverse equals the op.
func TestRedo(t *testing.T) {
	g := mustBuild(t, "a->b", "b->c", "b~>b", "c->a")
	before := dump(g)
	inverse, _, err := g.Apply(RemoveNode{ID: "b"})
	if err != nil {
		t.Fatal(err)
	}
	removed := dump(g)
	for range 3 {
		redo, _, err := g.Apply(inverse)
		if err != nil || dump(g) != before {
			t.Fatalf("undo: %v\n%s", err, dump(g))
		}
		if inverse, _, err = g.Apply(redo); err != nil || dump(g) != removed {
			t.Fatalf("redo: %v\n%s", err, dump(g))
		}
	}
}

func TestRemoveNodeRemovesEdges(t *testing.T) {
	g := mustBuild(t, "a->b", "c->a", "a->a")
	_, done, err := g.Apply(RemoveNode{ID: "a"})
	want := Batch{[]Op{RemoveEdge{0}, RemoveEdge{1}, RemoveEdge{2}, RemoveNode{"a"}}}
	if err != nil || !reflect.DeepEqual(done, want) {
		t.Errorf("done %#v, %v; want %#v", done, err, want)
	}
}

func TestOpErrors(t *testing.T) {
	build := func() *Graph {
		nodes := []NodeSpec{{ID: "g", Parent: -1, Container: true}, {ID: "a", Parent: 0}, {ID: "b", Parent: -1}}
		g, err := Build(nodes, []EdgeSpec{{Source: 1, Target: 2}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for _, test := range []struct {
		op   Op
		want string
	}{
		{AddEdge{Key: NewKey, Source: "a", Target: "x"}, `edge a -> x: no node "x"`},
		{AddEdge{Key: NewKey, Source: "y", Target: "x"}, `edge y -> x: no node "y"`},
		{AddEdge{Key: 0, Source: "a", Target: "b"}, `edge a -> b: key 0 belongs to another edge`},
		{AddNode{Node: NodeSpec{ID: "a", Key: NewKey}}, `node a: exists already`},
		{AddNode{Node: NodeSpec{Key: NewKey}}, `a node needs an id`},
		{AddNode{Node: NodeSpec{ID: "n", Key: 1}}, `node n: key 1 belongs to node a`},
		{AddNode{Node: NodeSpec{ID: "n", Key: NewKey}, Parent: "x"}, `node n: its container "x" does not exist`},
		{RemoveNode{ID: "x"}, `no node "x"`},
		{RemoveNode{ID: "g"}, `node g: contains nodes (1); remove them first`},
		{RemoveEdge{Key: 7}, `no edge with key 7`},
		{SetNode{ID: "x", Attr: "label"}, `no node "x"`},
		{SetNode{ID: "a", Attr: ""}, `node a: an attribute needs a name`},
		{SetNode{ID: "a", Attr: "id"}, `node a: its id cannot be changed`},
		{SetNode{ID: "a", Attr: "stdout"}, `node a: stdout is output of a run and cannot be set`},
		{SetEdge{Key: 7, Attr: "id"}, `no edge with key 7`},
		{SetEdge{Key: 0}, `edge a -> b: an attribute needs a name`},
		{SetGraph{}, `graph: an attribute needs a name`},
		{Batch{[]Op{SetNode{ID: "a", Attr: "label", Value: "new"}, RemoveNode{"b"}, RemoveNode{"x"}}}, `no node "x"`},
	} {
		g := build()
		before, b, e := dump(g), g.Node("b"), g.Edge(0)
		if _, _, err := g.Apply(test.op); err == nil || err.Error() != test.want {
			t.Errorf("%#v: %v, want %s", test.op, err, test.want)
		}
		if now := dump(g); now != before {
			t.Errorf("%#v failed and changed the graph to\n%s", test.op, now)
		}
		if g.Node("b") != b || g.Edge(0) != e {
			t.Errorf("%#v failed and put other elements in the place of the old ones", test.op)
		}
	}
}

// TestKeysAreNotReused checks that an undo after other edits restores the old place.
func TestKeysAreNotReused(t *testing.T) {
	g := mustBuild(t, "a->b", "a->c")
	undo, _, _ := g.Apply(RemoveEdge{Key: 1})
	_, done, err := g.Apply(AddEdge{Key: NewKey, Source: "c", Target: "b"})
	if err != nil || done.(AddEdge).Key != 2 {
		t.Fatalf("done %#v, %v; want key 2", done, err)
	}
	if _, _, err := g.Apply(undo); err != nil || !slices.Equal(edgeKeys(g.Edges()), []int{0, 1, 2}) {
		t.Errorf("edges %v, %v", edgeKeys(g.Edges()), err)
	}
}

func TestOpsDoNotShareMaps(t *testing.T) {
	g := empty()
	op := AddNode{Node: NodeSpec{ID: "a", Key: NewKey, Extra: map[string]string{"colour": "red"}}}
	_, done, err := g.Apply(op)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := g.Apply(SetNode{ID: "a", Attr: "colour", Value: "blue"}); err != nil {
		t.Fatal(err)
	}
	if colour := done.(AddNode).Node.Extra["colour"]; colour != "red" {
		t.Errorf("a later edit made the op say %q", colour)
	}
}

func TestRunStatesAreNotEdits(t *testing.T) {
	g := mustBuild(t, "a->b")
	if _, _, err := g.Apply(SetNode{ID: "a", Attr: "status", Value: "weird"}); err != nil {
		t.Fatal(err)
	}
	a, e := g.Node("a"), g.Edge(0)
	g.SetStatus(a, Ran)
	g.SetMark(e, ToRun)
	status, _ := a.Attr("status")
	mark, _ := e.Attr("status")
	if a.Status != Ran || status != "ran" || e.Mark != ToRun || mark != "to_run" {
		t.Errorf("node %v %q, edge %v %q", a.Status, status, e.Mark, mark)
	}
	g.SetMark(e, Unmarked)
	if mark, _ := e.Attr("status"); mark != "" || e.Mark != Unmarked {
		t.Errorf("edge %v %q after the token went", e.Mark, mark)
	}
	if !strings.Contains(dump(g), `status=ran/"ran"`) {
		t.Errorf("the dump does not show it:\n%s", dump(g))
	}
}

// BenchmarkLargeBatch removes ten thousand nodes of a large graph and restores them.
func BenchmarkLargeBatch(b *testing.B) {
	nodes, edges := large(100_000)
	g, err := Build(nodes, edges, nil)
	if err != nil {
		b.Fatal(err)
	}
	var remove Batch
	for i := range 10_000 {
		remove.Ops = append(remove.Ops, RemoveNode{ID: nodes[i*7].ID})
	}
	for b.Loop() {
		restore, _, err := g.Apply(remove)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := g.Apply(restore); err != nil {
			b.Fatal(err)
		}
	}
}

// empty returns a graph without nodes.
func empty() *Graph {
	g, err := Build(nil, nil, nil)
	if err != nil {
		panic(err)
	}
	return g
}
