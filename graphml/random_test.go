package graphml

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/graph"
)

// randomFile generates a file in one of many layouts, with values in all forms.
func randomFile(t *rapid.T) string {
	newline := rapid.SampledFrom([]string{"\n", "\r\n", ""}).Draw(t, "newline")
	indent := rapid.SampledFrom([]string{"", "  ", "\t"}).Draw(t, "indent")
	prefix := rapid.SampledFrom([]string{"", "", "g:"}).Draw(t, "prefix")
	var b strings.Builder
	line := func(depth int, text string) {
		text = strings.NewReplacer("</", "</"+prefix, "<!", "<!", "<", "<"+prefix).Replace(text)
		text = strings.ReplaceAll(strings.ReplaceAll(text, "<"+prefix+"!", "<!"), "</"+prefix+"/", "</")
		b.WriteString(strings.Repeat(indent, depth) + text + newline)
	}
	line(0, "<graphml>")
	for _, key := range []string{
		`<key id="l" for="node" attr.name="label"/>`, `<key id="s" for="node" attr.name="status"><default>ran</default></key>`,
		`<key id="x" for="node" attr.name="x" attr.type="double"/>`, `<key id="x2" for="node" attr.name="x" attr.type="string"/>`,
		`<key id="t" for="edge" attr.name="edge_type"><default>non-blocking</default></key>`, `<key id="s" for="edge" attr.name="status"/>`,
		`<key id="w" for="all" attr.name="wrapper"/>`,
	} {
		if rapid.Bool().Draw(t, "key") {
			line(1, key)
		}
	}
	line(1, "<graph>")
	value := rapid.SampledFrom([]string{"", `<data key="l">a &amp;&amp; b</data>`, `<data key="l"><![CDATA[<]]>x</data>`, `<data key="s"/>`,
		`<data key="x">1</data>`, `<data key="x2" >left</data>`, `<data key="?">kept</data>`, `<data key="t">blocking</data>`, `<data key="s">to_run</data>`})
	n := rapid.IntRange(0, 4).Draw(t, "nodes")
	for i := range n {
		switch rapid.IntRange(0, 2).Draw(t, "form") {
		case 0:
			line(2, fmt.Sprintf(`<node id="n%d" />`, i))
		case 1:
			line(2, fmt.Sprintf(`<node id="n%d">%s%s</node>`, i, value.Draw(t, "value"), value.Draw(t, "value")))
		default:
			line(2, fmt.Sprintf(`<node id="n%d">`, i))
			line(3, "<!-- note -->"+value.Draw(t, "value"))
			switch rapid.IntRange(0, 3).Draw(t, "inside") {
			case 0:
				line(3, fmt.Sprintf(`<graph><node id="in%d"/></graph>`, i))
			case 1:
				line(3, fmt.Sprintf(`<graph><data key="w">x</data><!-- first --><node id="in%d"/><!-- second --><node id="to%d"></node><edge source="in%d" target="to%d"/></graph>`, i, i, i, i))
			case 2:
				line(3, "<graph>")
				line(4, fmt.Sprintf(`<node id="in%d">%s</node>`, i, value.Draw(t, "value")))
				line(4, fmt.Sprintf(`<edge source="in%d" target="deep%d"/>`, i, i))
				line(4, fmt.Sprintf(`<node id="to%d"><graph><node id="deep%d"/><edge source="deep%d" target="deep%d"/><!-- last --></graph><port name="p"/></node>`, i, i, i, i))
				line(3, "</graph>")
			default:
				line(3, "<graph/>")
			}
			line(2, "</node>")
		}
	}
	for i := 0; n > 0 && i < rapid.IntRange(0, 3).Draw(t, "edges"); i++ {
		line(2, fmt.Sprintf(`<edge source="n%d" target="n%d">%s</edge>`, i%n, (i*i+1)%n, value.Draw(t, "value")))
	}
	line(1, "</graph>")
	b.WriteString("</" + prefix + "graphml>")
	return b.String()
}

// randomOp generates an edit that the graph may refuse.
func randomOp(t *rapid.T, d *Document, g *graph.Graph) graph.Op {
	ids := []string{"new1", "new2"}
	for _, n := range g.Nodes() {
		ids = append(ids, n.ID)
	}
	id := rapid.SampledFrom(ids)
	key := rapid.IntRange(0, 6)
	text := rapid.SampledFrom([]string{"", "ran", "1.5", "<&>\n\"]]>", "blocking", "to_run"})
	remove := rapid.Bool().Draw(t, "remove")
	set := func(value string) string {
		if remove {
			return ""
		}
		return value
	}
	switch rapid.IntRange(0, 10).Draw(t, "op") {
	case 7:
		return graph.MoveEdge{Key: key.Draw(t, "key"), Source: id.Draw(t, "source"), Target: id.Draw(t, "target")}
	case 8:
		into := ""
		if p := g.Node(id.Draw(t, "into")); p != nil && p.Container && rapid.Bool().Draw(t, "inside") {
			into = p.ID
		}
		return graph.MoveNode{ID: id.Draw(t, "id"), Parent: into}
	case 9:
		return randomGroup(t, g, id)
	case 10:
		if n := g.Node(id.Draw(t, "dissolved")); n != nil && n.Container {
			return dissolved(g, n)
		}
		return graph.Batch{}
	case 0:
		parent := ""
		if p := g.Node(id.Draw(t, "parent")); p != nil && (p.Container || p.Label != "") && rapid.Bool().Draw(t, "inside") {
			parent = p.ID
		}
		return graph.AddNode{Parent: parent, Node: graph.NodeSpec{ID: rapid.SampledFrom([]string{"new1", "new2"}).Draw(t, "new"), Key: graph.NewKey,
			Label: text.Draw(t, "label"), HasLabel: true, Status: text.Draw(t, "status"), Container: rapid.Bool().Draw(t, "container")}}
	case 1:
		return graph.RemoveNode{ID: id.Draw(t, "id")}
	case 2:
		return graph.AddEdge{Key: graph.NewKey, Source: id.Draw(t, "source"), Target: id.Draw(t, "target"),
			ID: rapid.SampledFrom([]string{"", "e"}).Draw(t, "edge id"), Type: text.Draw(t, "type")}
	case 3:
		return graph.RemoveEdge{Key: key.Draw(t, "key")}
	case 4:
		return graph.SetEdge{Key: key.Draw(t, "key"), Attr: rapid.SampledFrom([]string{"id", "edge_type", "status", "w"}).Draw(t, "attr"),
			Value: set(text.Draw(t, "value")), Remove: remove}
	case 5:
		return graph.SetGraph{Attr: rapid.SampledFrom([]string{"wrapper", "jobs"}).Draw(t, "attr"), Value: set(text.Draw(t, "value")), Remove: remove}
	}
	attr := rapid.SampledFrom([]string{"label", "status", "x", "name", "note"}).Draw(t, "attr")
	node := id.Draw(t, "id")
	if number, ok := d.nodeNumber[node]; ok && attr == "label" && (d.graphIn(number) != none || hasChildren(g, g.Node(node))) {
		attr = "note" // without its label a node with a nested graph would be read as a container
	}
	return graph.SetNode{ID: node, Attr: attr, Value: set(text.Draw(t, "value")), Remove: remove}
}

// randomGroup generates the edit that makes a container of some nodes with the same parent.
func randomGroup(t *rapid.T, g *graph.Graph, id *rapid.Generator[string]) graph.Op {
	first := g.Node(id.Draw(t, "member"))
	if first == nil || g.Node("box") != nil {
		return graph.Batch{}
	}
	add := graph.AddNode{Node: graph.NodeSpec{ID: "box", Key: graph.NewKey, HasLabel: true, Container: true}, Before: first.ID}
	if first.Parent != nil {
		add.Parent = first.Parent.ID
	}
	ops := []graph.Op{add}
	for _, n := range g.Nodes() {
		if n.Parent == first.Parent && (n == first || rapid.Bool().Draw(t, "too")) {
			ops = append(ops, graph.MoveNode{ID: n.ID, Parent: "box"})
		}
	}
	return graph.Batch{Ops: ops}
}

// dissolved returns the edit that removes a container and keeps its nodes.
func dissolved(g *graph.Graph, c *graph.Node) graph.Op {
	var ops []graph.Op
	parent := ""
	if c.Parent != nil {
		parent = c.Parent.ID
	}
	for _, n := range g.Nodes() {
		if n.Parent == c {
			ops = append(ops, graph.MoveNode{ID: n.ID, Parent: parent})
		}
	}
	return graph.Batch{Ops: append(ops, graph.RemoveNode{ID: c.ID})}
}

// reorder gives the elements of a graph the order of the file, and changes the keys in ops.
func reorder(t rapid.TB, d *Document, g *graph.Graph, ops []graph.Op) []graph.Op {
	k := d.Reorder()
	var nodes, edges []int
	for _, n := range g.Nodes() {
		nodes = append(nodes, k.Node(n.Key))
	}
	for _, e := range g.Edges() {
		edges = append(edges, k.Edge(e.Key))
	}
	if err := g.Rekey(nodes, edges, k.NextNode, k.NextEdge); err != nil {
		t.Fatal(err)
	}
	moved := make([]graph.Op, len(ops))
	for i, op := range ops {
		moved[i] = graph.MapKeys(op, k.Node, k.Edge)
	}
	return moved
}

// TestRandomEdits checks with random files and edits that the written file reads as the edited graph,
// and that undo of all edits restores the bytes.
func TestRandomEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := randomFile(t)
		d, g, _, err := Parse([]byte(file), Limits{})
		if err != nil {
			t.Fatalf("%v in\n%s", err, file)
		}
		var undos []graph.Op
		for range rapid.IntRange(1, 8).Draw(t, "ops") {
			op := randomOp(t, d, g)
			undo, done, err := g.Apply(op)
			if err != nil {
				continue
			}
			undos = append(undos, undo)
			if err := d.Apply(done); err != nil {
				t.Fatalf("%+v: %v", done, err)
			}
			checkReads(t, d, g, true)
			if rapid.Bool().Draw(t, "reorder") {
				undos = reorder(t, d, g, undos)
				checkReads(t, d, g, false)
			}
		}
		for len(undos) > 0 {
			undos = reorder(t, d, g, undos)
			undo := undos[len(undos)-1]
			undos = undos[:len(undos)-1]
			_, done, err := g.Apply(undo)
			if err == nil {
				err = d.Apply(done)
			}
			if err != nil {
				t.Fatalf("undo %+v: %v", undo, err)
			}
		}
		if out := string(joined(d)); d.dirty() || out != file {
			t.Fatalf("after undo, the file is\n%s\nnot\n%s", out, file)
		}
	})
}

// checkReads checks that the file reads as the graph, except for the order if that is not to be compared.
func checkReads(t *rapid.T, d *Document, g *graph.Graph, anyOrder bool) {
	out := joined(d)
	_, again, _, err := Parse(out, Limits{})
	if err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if _, _, err := countWithXML(out); err != nil {
		t.Fatalf("encoding/xml: %v in\n%s", err, out)
	}
	got, want := dump(again, anyOrder), dump(g, anyOrder)
	if anyOrder {
		got, want = sortedLines(got), sortedLines(want)
	}
	if got != want {
		t.Fatalf("reads as\n%s\nnot as\n%s\nin\n%s", got, want, out)
	}
}

func sortedLines(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func joined(d *Document) []byte {
	var all []byte
	for _, piece := range d.Render() {
		all = append(all, piece...)
	}
	return all
}
