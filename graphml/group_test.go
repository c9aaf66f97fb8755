package graphml

import (
	"strings"
	"testing"

	"wf/graph"
)

// group returns the edit that makes the container c of the nodes, which have the same parent.
func group(parent string, ids ...string) graph.Op {
	ops := []graph.Op{graph.AddNode{Node: graph.NodeSpec{ID: "c", Key: graph.NewKey, Name: "c", Container: true}, Parent: parent, Before: ids[0]}}
	for _, id := range ids {
		ops = append(ops, graph.MoveNode{ID: id, Parent: "c"})
	}
	return graph.Batch{Ops: ops}
}

// drawn is a file with foreign data, comments and drawings.
var drawn = body(
	`<!-- about a --><node id="a"><data key="d0">x</data><port name="p"/><!-- of a --></node>`,
	"<node\n      id='b' >\n\t<data key=\"?\"><y:Shape><y:Geometry  x='1'/></y:Shape></data>\n    </node>",
	`<!-- about d -->`,
	`<node id="d"/>`,
	`<edge id="ab" source="a" target="b" sourceport="p"><data key="?"><y:Line/></data></edge>`,
	`<edge id="bd" source="b" target="d"/>`,
)

// TestGroupInPlace checks that a container is written where its first node is, around the bytes of its nodes.
func TestGroupInPlace(t *testing.T) {
	p := parse(t, drawn)
	undo := p.apply(group("", "a", "b"))
	want := strings.Replace(drawn, `<node id="a">`, `<node id="c" yfiles.foldertype="group"><data key="name">c</data><graph id="c:" edgedefault="directed"><node id="a">`, 1)
	want = strings.Replace(want, "\t<data key=\"?\"><y:Shape><y:Geometry  x='1'/></y:Shape></data>\n    </node>", "\t<data key=\"?\"><y:Shape><y:Geometry  x='1'/></y:Shape></data>\n    </node></graph></node>", 1)
	want = strings.Replace(want, "\n  <graph id=\"G\"", "\n  <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n  <graph id=\"G\"", 1)
	if out := p.rendered(); out != want {
		t.Errorf("the file is\n%s\nnot\n%s", out, want)
	}
	wantWellFormed(t, p, p.rendered())
	grouped := p.rendered()
	p.apply(undo)
	if out := p.rendered(); out != drawn || p.d.dirty() {
		t.Errorf("after undo, the file is\n%s", out)
	}

	// The saved file, read again: its container disappears, and its nodes stay where they are.
	p = parse(t, grouped)
	undo = p.apply(dissolved(p.g, p.g.Node("c")))
	if out, key := p.rendered(), "\n  <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>"; strings.Replace(out, key, "", 1) != drawn {
		t.Errorf("dissolved, the file is\n%s", out)
	}
	p.apply(undo)
	if p.rendered() != grouped {
		t.Errorf("after undo, the file is\n%s", p.rendered())
	}
}

// nested is a file as yEd writes it, in which an edge lies in the graph around its nodes.
var nested = body(
	`<node id="o"/>`,
	`<node id="g" yfiles.foldertype="group">`,
	`  <graph id="g:">`,
	`    <node id="a"/>`,
	`    <!-- between -->`,
	`    <node id="h" yfiles.foldertype="group"><graph id="h:"><node id="x"/><node id="y"/><edge id="xy" source="x" target="y"/></graph></node>`,
	`    <edge id="ax" source="a" target="x"/>`,
	`    <edge id="aa" source="a" target="a"/>`,
	`  </graph>`,
	`</node>`,
	`<edge id="oa" source="o" target="a"/>`,
)

// TestEdgesFollow checks that an edge is carried out of a graph that does not contain both of its nodes any more.
func TestEdgesFollow(t *testing.T) {
	for _, tt := range []struct {
		name string
		op   graph.Op
		want []string
		not  string
	}{
		{"out of two", graph.MoveNode{ID: "x"},
			[]string{"</graph>\n    </node><node id=\"x\"/>", "<edge id=\"oa\" source=\"o\" target=\"a\"/><edge id=\"xy\" source=\"x\" target=\"y\"/>"}, `<node id="y"/><edge`},
		{"out of one", graph.MoveNode{ID: "x", Parent: "g"},
			[]string{`<node id="y"/></graph></node><node id="x"/>`, `<edge id="aa" source="a" target="a"/><edge id="xy" source="x" target="y"/>`}, ""},
		{"with its container", graph.MoveNode{ID: "h"},
			[]string{`<node id="x"/><node id="y"/><edge id="xy" source="x" target="y"/></graph></node>`, "target=\"a\"/>\n        <edge id=\"ax\""}, "<!-- between -->\n        <node id=\"h\""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := parse(t, nested)
			undo := p.apply(tt.op)
			out := p.rendered()
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			if tt.not != "" && strings.Contains(out, tt.not) {
				t.Errorf("%q in\n%s", tt.not, out)
			}
			reorder(t, p.d, p.g, nil)
			_, again, _, err := Parse([]byte(out), Limits{})
			if err != nil || dump(again, false) != dump(p.g, false) {
				t.Errorf("%v: reads as\n%snot as\n%sin\n%s", err, dump(again, false), dump(p.g, false), out)
			}
			p.apply(undo)
			if p.rendered() != nested {
				t.Errorf("after undo, the file is\n%s", p.rendered())
			}
		})
	}
}

// TestDissolve checks that everything in a container stays in its place when the container disappears.
func TestDissolve(t *testing.T) {
	p := parse(t, nested)
	undo := p.apply(dissolved(p.g, p.g.Node("g")))
	want := nested
	for _, part := range []string{"\n    <node id=\"g\" yfiles.foldertype=\"group\">\n      <graph id=\"g:\">", "\n      </graph>\n    </node>"} {
		want = strings.Replace(want, part, "", 1)
	}
	if out := p.rendered(); out != want {
		t.Errorf("the file is\n%s\nnot\n%s", out, want)
	}
	again := p.apply(dissolved(p.g, p.g.Node("h")))
	want = strings.Replace(want, `<node id="h" yfiles.foldertype="group"><graph id="h:"><node id="x"/>`, `<node id="x"/>`, 1)
	want = strings.Replace(want, `target="y"/></graph></node>`, `target="y"/>`, 1)
	if out := p.rendered(); strings.ReplaceAll(out, "\n        <node id=\"x\"", "<node id=\"x\"") != strings.ReplaceAll(want, "\n        <node id=\"x\"", "<node id=\"x\"") {
		t.Errorf("the file is\n%s\nnot\n%s", out, want)
	}
	p.apply(again)
	p.apply(undo)
	if p.rendered() != nested {
		t.Errorf("after undo, the file is\n%s", p.rendered())
	}
}

// TestMoveEdge checks that an edge keeps its data at other nodes, but not the port of a node that it leaves.
func TestMoveEdge(t *testing.T) {
	p := parse(t, drawn)
	undo := p.apply(graph.MoveEdge{Key: 0, Source: "d", Target: "b"})
	wantParts(t, p.rendered(), `<edge id="ab" source="d" target="b"><data key="?"><y:Line/></data></edge>`)
	wantSame(t, p, p.rendered())
	p.apply(undo)
	if p.rendered() != drawn {
		t.Errorf("after undo, the file is\n%s", p.rendered())
	}
}

// TestTwoNodesInEmptyContainer checks that a container without a graph gets one.
func TestTwoNodesInEmptyContainer(t *testing.T) {
	p := parse(t, body(`<node id="c" yfiles.foldertype="group"/>`, `<node id="a"/>`, `<node id="b"/>`))
	p.apply(graph.Batch{Ops: []graph.Op{graph.MoveNode{ID: "a", Parent: "c"}, graph.MoveNode{ID: "b", Parent: "c"}}})
	if n := strings.Count(p.rendered(), "<graph "); n != 2 {
		t.Errorf("%d graphs in\n%s", n, p.rendered())
	}
	wantSame(t, p, p.rendered())
}
