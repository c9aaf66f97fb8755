package graphml

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"wf/graph"
)

// A pair is a document and its graph, which edits keep equal.
type pair struct {
	t testing.TB
	d *Document
	g *graph.Graph
}

func parse(t testing.TB, text string) pair {
	t.Helper()
	d, g, _, err := Parse([]byte(text), Limits{})
	if err != nil {
		t.Fatalf("parse: %v\n%s", err, text)
	}
	return pair{t, d, g}
}

// apply edits graph and document and returns the inverse.
func (p pair) apply(op graph.Op) graph.Op {
	p.t.Helper()
	inverse, done, err := p.g.Apply(op)
	if err != nil {
		p.t.Fatalf("graph: apply %+v: %v", op, err)
	}
	if err := p.d.Apply(done); err != nil {
		p.t.Fatalf("document: apply %+v: %v", done, err)
	}
	return inverse
}

func (p pair) rendered() string { return string(bytes.Join(p.d.Render(), nil)) }

// dump describes a graph without keys, to compare an edited graph with one that was read. With nested
// graphs nodes are sorted, because added nodes get another order.
func dump(g *graph.Graph, nested bool) string {
	var b strings.Builder
	attrs := g.Attrs()
	nodes := slices.Clone(g.Nodes())
	if nested {
		slices.SortFunc(nodes, func(a, b *graph.Node) int { return strings.Compare(a.ID, b.ID) })
	}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		fmt.Fprintf(&b, "graph %s=%q\n", name, attrs[name])
	}
	for _, n := range nodes {
		fmt.Fprintf(&b, "node %q container=%v nocommand=%v", n.ID, n.Container, n.NoCommand)
		if n.Parent != nil {
			fmt.Fprintf(&b, " in %q", n.Parent.ID)
		}
		names := append([]string{"label", "name", "group", "status", "x", "y"}, slices.Sorted(maps.Keys(n.Extra))...)
		dumpAttrs(&b, names, n.Attr)
	}
	for _, e := range g.Edges() {
		fmt.Fprintf(&b, "edge %q -> %q %v marked=%v", e.Source.ID, e.Target.ID, e.Type, e.Mark == graph.ToRun)
		dumpAttrs(&b, append([]string{"id", "edge_type", "status"}, slices.Sorted(maps.Keys(e.Extra))...), e.Attr)
	}
	return b.String()
}

func dumpAttrs(b *strings.Builder, names []string, get func(string) (string, bool)) {
	for _, name := range names {
		value, present := get(name)
		// Only for a command an empty text differs from none.
		if present && (value != "" || name == "label") {
			fmt.Fprintf(b, " %s=%q", name, value)
		} else if value != "" {
			fmt.Fprintf(b, " %s=inherited %q", name, value)
		}
	}
	b.WriteByte('\n')
}

// body returns a small file with the usual keys and these elements, each line indented by four.
func body(lines ...string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="label" attr.type="string"/>
  <key id="d1" for="node" attr.name="status" attr.type="string"/>
  <key id="d2" for="edge" attr.name="edge_type" attr.type="string"/>
  <key id="d3" for="graph" attr.name="wrapper" attr.type="string"/>
  <graph id="G" edgedefault="directed">
    ` + strings.Join(lines, "\n    ") + `
  </graph>
</graphml>
`
}

// difference returns the parts of two texts that differ.
func difference(before, after string) (from, to string) {
	start := 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	return before[start : len(before)-end], after[start : len(after)-end]
}
