package graph

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// fuzzGraph reads a graph from a text: a line per node, of id, name, label and group between tabs. A blank
// before the id puts the node into the node of the line before; every node depends on the one before it. It
// returns nil for other texts.
func fuzzGraph(text string) *Graph {
	var nodes []NodeSpec
	var edges []EdgeSpec
	for i, line := range strings.Split(text, "\n") {
		fields := append(strings.Split(line, "\t"), "", "", "")
		spec := NodeSpec{Key: NewKey, Parent: -1, ID: fields[0], Name: fields[1], Label: fields[2], Group: fields[3]}
		if id, inside := strings.CutPrefix(spec.ID, " "); inside && i > 0 {
			spec.ID, spec.Parent = id, i-1
			nodes[i-1].Container = true
		}
		nodes = append(nodes, spec)
		if i > 0 {
			edges = append(edges, EdgeSpec{Key: NewKey, Source: i - 1, Target: i})
		}
	}
	g, err := Build(nodes, edges, nil)
	if err != nil {
		return nil
	}
	return g
}

// FuzzHandles checks that every node has a unique handle, and that handle and id each find exactly this node.
func FuzzHandles(f *testing.F) {
	f.Add("a\t\tbwa mem x\nb\t\tbwa mem y\nc\tbwa~2")
	f.Add("a\t x \nb\tx\nc\t\t'\x1b[2J' é\n d\t\tpython3 -m \"\"")
	f.Add("a\t\tcd x && FOO=1 env -i nice -n 3 sh -c 'exec ./y.sh'\nb\t\t$(((`")
	f.Fuzz(func(t *testing.T, text string) {
		g := fuzzGraph(text)
		if g == nil {
			return
		}
		table := Handles(g)
		seen := map[string]bool{}
		for _, n := range g.Nodes() {
			handle := table.Of(n)
			if handle == "" || seen[handle] {
				t.Fatalf("node %q has the handle %q, which is empty or taken", n.ID, handle)
			}
			seen[handle] = true
			if found, err := table.find(handle); err != nil || len(found) != 1 || found[0] != n {
				t.Fatalf("handle %q of node %q finds %q, %v", handle, n.ID, ids(found), err)
			}
			plain := func(r rune) bool { return isAlphanumeric(r) || strings.ContainsRune("_.-~", r) }
			if strings.TrimSpace(n.Name) == "" && strings.TrimFunc(handle, plain) != "" {
				t.Fatalf("handle %q made from the command %q is not a plain word", handle, n.Label)
			}
		}
		for _, n := range g.Nodes() {
			found, err := table.find(n.ID)
			if err != nil || len(found) != 1 || found[0] != n && table.Of(found[0]) != n.ID {
				t.Fatalf("id %q finds %q, %v", n.ID, ids(found), err)
			}
		}
	})
}

// FuzzSelect checks that every selector gives nodes in file order or a SelectorError, and that several
// expressions give the union of each.
func FuzzSelect(f *testing.F) {
	const small = "fetch\nalign1\t\tbwa x\talign\nalign2\t\tbwa y\talign\nbox\n in/box\na b,c"
	for _, expr := range []string{"fetch", "+bwa~2+", "g:al*,s:failed", "a b,c", "alig", "[", "[^", "*?[a-z]*", "+", "g:", "s:", "+s:ok+ \tg:box"} {
		f.Add(small, expr, "fetch+")
	}
	f.Fuzz(func(t *testing.T, text, one, two string) {
		g := fuzzGraph(text)
		if g == nil {
			return
		}
		table := Handles(g)
		choose := func(exprs ...string) ([]*Node, bool) {
			nodes, err := Select(g, table, exprs, nil)
			var refused *SelectorError
			if err != nil && (!errors.As(err, &refused) || nodes != nil || err.Error() == "") {
				t.Fatalf("%q: %q with error %v", exprs, ids(nodes), err)
			}
			ascends := func(a, b *Node) int { return int(a.pos - b.pos) }
			if !slices.IsSortedFunc(nodes, ascends) || len(slices.Compact(slices.Clone(nodes))) != len(nodes) {
				t.Fatalf("%q: %q is not in file order", exprs, ids(nodes))
			}
			return nodes, err == nil
		}
		a, okA := choose(one)
		b, okB := choose(two)
		both, ok := choose(one, two)
		if ok != (okA && okB) {
			t.Fatalf("%q: %v, %q: %v, both: %v", one, okA, two, okB, ok)
		}
		for _, n := range g.Nodes() {
			if ok && slices.Contains(both, n) != (slices.Contains(a, n) || slices.Contains(b, n)) {
				t.Fatalf("%q of %q and %q: not their union", n.ID, one, two)
			}
		}
	})
}
