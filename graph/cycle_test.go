package graph

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFindCycle(t *testing.T) {
	for _, test := range []struct{ edges, scope, want string }{
		{"a->b b->c", "", ""},
		{"a->b b~>a", "", ""}, // a loop, not a blocking cycle
		{"a->a", "", "a"},
		{"a->b b->a", "", "a b"},
		{"a->b b->c c->d d->a b->a", "", "a b"},     // the shorter of two
		{"b->a a->b b->c c->d d->a", "", "a b c d"}, // through the newest edge
		{"a->b b->c c->a x->y y->x", "", "x y"},     // the newer of two
		{"x->y y->x a->b b->c c->a a->a", "", "a"},
		{"s->a a->b b->c c->a", "", "a b c"},
		{"a->b b->c c->a", "a b", ""}, // not all of it in the scope
		{"a->b b->c c->a d->d", "a b c", "a b c"},
	} {
		g := mustBuild(t, strings.Fields(test.edges)...)
		scope := g.Nodes()
		if test.scope != "" {
			scope = nil
			for _, id := range strings.Fields(test.scope) {
				scope = append(scope, g.Node(id))
			}
		}
		var got []*Node
		for _, e := range FindCycle(scope) {
			got = append(got, e.Source)
		}
		if ids(got) != test.want {
			t.Errorf("%s in %q: %s, want %s", test.edges, test.scope, ids(got), test.want)
		}
	}
}

func TestCyclicGroups(t *testing.T) {
	g := mustBuild(t, strings.Fields("a->b b->a b->c c->b x->y y->x z->z y->z p->q q~>p")...)
	if n := CyclicGroups(g.Nodes()); n != 3 {
		t.Errorf("%d groups, want 3", n)
	}
}

// TestLongChain checks that a long chain needs no deep stack and no quadratic time.
func TestLongChain(t *testing.T) {
	const n = 100_000
	nodes, edges := make([]NodeSpec, n), make([]EdgeSpec, n)
	for i := range n {
		nodes[i] = NodeSpec{ID: strconv.Itoa(i), Key: i, Parent: -1}
		edges[i] = EdgeSpec{Key: i, Source: i, Target: (i + 1) % n}
	}
	g, err := Build(nodes, edges, nil)
	if err != nil {
		t.Fatal(err)
	}
	if cycle := FindCycle(g.Nodes()); len(cycle) != n {
		t.Errorf("a cycle of %d edges, want %d", len(cycle), n)
	}
	if cycle := FindCycle(g.Nodes()[1:]); cycle != nil {
		t.Errorf("a cycle of %d edges in a chain", len(cycle))
	}
}

// TestFindCycleRandom checks on random graphs that FindCycle returns a cycle exactly if there is one.
func TestFindCycleRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "nodes")
		g := empty()
		for v := range n {
			apply(t, g, AddNode{Node: NodeSpec{ID: fmt.Sprint(v), Key: NewKey}})
		}
		for range rapid.IntRange(0, 2*n).Draw(t, "edges") {
			ends := rapid.SliceOfN(rapid.IntRange(0, n-1), 2, 2).Draw(t, "ends")
			apply(t, g, AddEdge{Key: NewKey, Source: fmt.Sprint(ends[0]), Target: fmt.Sprint(ends[1])})
		}
		cycle := FindCycle(g.Nodes())
		if acyclic := kahn(g); acyclic != (cycle == nil) || acyclic != (CyclicGroups(g.Nodes()) == 0) {
			t.Fatalf("acyclic: %v, found %v", acyclic, edgeKeys(cycle))
		}
		seen := map[*Node]bool{}
		for i, e := range cycle {
			if e.Target != cycle[(i+1)%len(cycle)].Source || seen[e.Source] {
				t.Fatalf("edges %v are not a simple cycle", edgeKeys(cycle))
			}
			seen[e.Source] = true
		}
	})
}

// kahn removes nodes without incoming edges until none is left, or only cycles.
func kahn(g *Graph) (acyclic bool) {
	gone := map[*Node]bool{}
	for range g.Nodes() {
		for _, n := range g.Nodes() {
			free := true
			for _, e := range n.In {
				free = free && gone[e.Source]
			}
			gone[n] = gone[n] || free
		}
	}
	for _, n := range g.Nodes() {
		if !gone[n] {
			return false
		}
	}
	return true
}

func apply(t *rapid.T, g *Graph, op Op) {
	if _, _, err := g.Apply(op); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkFindCycle(b *testing.B) {
	nodes, edges := large(100_000)
	g, err := Build(nodes, edges, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if FindCycle(g.Nodes()) != nil {
			b.Fatal("a cycle in a layered graph")
		}
	}
}
