package graphml

import (
	"bytes"
	"strings"
	"testing"

	"wf/graph"
)

const twoNodes = `<node id="a"><data key="d0">x</data></node>`

// spliceTests contain one edit each, which replaces exactly from by to.
var spliceTests = []struct {
	name, file string
	op         graph.Op
	from, to   string
}{
	{"value", body(`<node id="a"><data key="d0">old</data></node>`),
		graph.SetNode{ID: "a", Attr: "label", Value: "new"}, "old", "new"},
	{"value that needs escapes", body(`<node id="a"><data key="d0">old</data></node>`),
		graph.SetNode{ID: "a", Attr: "label", Value: "a<b && c>d\r\n\t\"'"}, "old", "a&lt;b &amp;&amp; c&gt;d&#13;\n\t\"'"},
	{"value with more attributes", body(`<node id="a"><data time="1" key="d0" my:x='>'>old</data></node>`),
		graph.SetNode{ID: "a", Attr: "label", Value: "new"}, "old", "new"},
	{"value in CDATA", body(`<node id="a"><data key="d0"><![CDATA[a && b]]></data></node>`),
		graph.SetNode{ID: "a", Attr: "label", Value: "a & b"}, "<![CDATA[a && b]]>", "a &amp; b"},
	{"empty value", body(`<node id="a"><data key="d0" time="1" /></node>`),
		graph.SetNode{ID: "a", Attr: "label", Value: "new"}, " />", ">new</data>"},
	{"empty value with a tag of its own", body(`<node id="a"><data key="d1"></data></node>`),
		graph.SetNode{ID: "a", Attr: "status", Value: "ran"}, "", "ran"},
	{"value to empty", body(`<node id="a"><data key="d1">ran</data></node>`),
		graph.SetNode{ID: "a", Attr: "status", Value: ""}, "ran", ""},
	{"removal", body("<node id=\"a\">\n      <data key=\"d0\">x</data>\n      <data key=\"d1\">ran</data>\n    </node>"),
		graph.SetNode{ID: "a", Attr: "status", Remove: true}, "      <data key=\"d1\">ran</data>\n", ""},
	{"insertion after the last value", body("<node id=\"a\">\n      <data key=\"d0\">x</data>\n    </node>"),
		graph.SetNode{ID: "a", Attr: "status", Value: "ran"}, "", "      <data key=\"d1\">ran</data>\n"},
	{"insertion with tabs", body("<node id=\"a\">\n\t\t\t<data key=\"d0\">x</data>\n    </node>"),
		graph.SetNode{ID: "a", Attr: "status", Value: "ran"}, "\n    ", "\n\t\t\t<data key=\"d1\">ran</data>\n    "},
	{"insertion in a line", body(twoNodes),
		graph.SetNode{ID: "a", Attr: "status", Value: "ran"}, "", `<data key="d1">ran</data>`},
	{"insertion into <node/>", body(`<node id="a" />`),
		graph.SetNode{ID: "a", Attr: "status", Value: "ran"}, " /", ">\n      <data key=\"d1\">ran</data>\n    </node"},
	{"insertion into <node></node>", body(`<node id="a"></node>`),
		graph.SetNode{ID: "a", Attr: "status", Value: "ran"}, "", "\n      <data key=\"d1\">ran</data>\n    "},
	{"insertion into a node with white space", body("<node id=\"a\">\n    </node>"),
		graph.SetNode{ID: "a", Attr: "status", Value: "ran"}, "", "\n      <data key=\"d1\">ran</data>"},
	{"insertion after <desc>", body(`<node id="a"><desc>d</desc><port name="p"/></node>`),
		graph.SetNode{ID: "a", Attr: "status", Value: "ran"}, "", `<data key="d1">ran</data>`},
	{"insertion before a nested graph", body(`<node id="a"><data key="d0">x</data></node>`, "<node id=\"b\">\n      <graph id=\"b:\" edgedefault=\"directed\"/>\n    </node>"),
		graph.SetNode{ID: "b", Attr: "status", Value: "ran"}, "", "<data key=\"d1\">ran</data>\n      "},
	{"graph attribute", body(twoNodes),
		graph.SetGraph{Attr: "wrapper", Value: "sh -c {}"}, "", "<data key=\"d3\">sh -c {}</data>\n    "},
	{"edge", body(twoNodes, `<edge source="a" target="a"/>`),
		graph.SetEdge{Key: 0, Attr: "edge_type", Value: "non-blocking"}, "/", `><data key="d2">non-blocking</data></edge`},
	{"XML id of an edge", body(twoNodes, `<edge source="a" target="a" id="e0"/>`),
		graph.SetEdge{Key: 0, Attr: "id", Value: `e"1`}, "0", "&quot;1"},
	{"new XML id of an edge", body(twoNodes, `<edge source="a" target="a"/>`),
		graph.SetEdge{Key: 0, Attr: "id", Value: "e1"}, "", ` id="e1"`},
	{"no XML id of an edge", body(twoNodes, `<edge source="a" id="e0" target="a"/>`),
		graph.SetEdge{Key: 0, Attr: "id", Remove: true}, ` id="e0"`, ""},
	{"removed node", body(twoNodes, `<node id="b"/>`, `<node id="c"/>`), graph.RemoveNode{ID: "b"}, "    <node id=\"b\"/>\n", ""},
	{"removed edge", body(twoNodes, `<edge source="a" target="a"/>`, "<!-- last -->"),
		graph.RemoveEdge{Key: 0}, "    <edge source=\"a\" target=\"a\"/>\n", ""},
	{"added node", body(twoNodes, `<edge source="a" target="a"/>`),
		graph.AddNode{Node: graph.NodeSpec{ID: "<b>", Key: graph.NewKey, Label: "y", Status: ""}},
		"", "<node id=\"&lt;b&gt;\"><data key=\"d0\">y</data></node>\n    "},
	{"added edge", body(twoNodes, `<edge source="a" target="a"/>`),
		graph.AddEdge{Key: graph.NewKey, Source: "a", Target: "a", Type: "blocking"},
		"", "    <edge source=\"a\" target=\"a\"><data key=\"d2\">blocking</data></edge>\n"},
	{"first edge", body(twoNodes, `<!-- end -->`),
		graph.AddEdge{Key: graph.NewKey, Source: "a", Target: "a"},
		"", "    <edge source=\"a\" target=\"a\"/>\n"},
}

// TestSplice makes one edit at a time in small files, and undoes it.
func TestSplice(t *testing.T) {
	for _, tt := range spliceTests {
		t.Run(tt.name, func(t *testing.T) {
			p := parse(t, tt.file)
			inverse := p.apply(tt.op)
			out := p.rendered()
			from, to := difference(tt.file, out)
			if !sameEdit(tt.file, out, tt.from, tt.to) {
				t.Errorf("%q became %q\nwant %q to %q", from, to, tt.from, tt.to)
			}
			wantSame(t, p, out)
			p.apply(inverse)
			if p.d.dirty() || p.rendered() != tt.file {
				t.Errorf("after undo, the file is\n%s", p.rendered())
			}
		})
	}
}

// sameEdit reports whether replacing one from by to, at any place of file, gives out. The place of an
// insertion is ambiguous if the same characters follow.
func sameEdit(file, out, from, to string) bool {
	for i := 0; i <= len(file)-len(from); i++ {
		if strings.HasPrefix(file[i:], from) && file[:i]+to+file[i+len(from):] == out {
			return true
		}
	}
	return false
}

// wantSame checks that the written file reads as the graph of the pair.
func wantSame(t testing.TB, p pair, out string) {
	t.Helper()
	again := parse(t, out)
	nested := len(again.d.graphs) > 1
	got, want := strings.Split(dump(again.g, nested), "\n"), strings.Split(dump(p.g, nested), "\n")
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("the file reads as\n%s\nnot as\n%s\nin\n%.5000s",
				strings.Join(got[min(i, len(got)):min(i+3, len(got))], "\n"), strings.Join(want[min(i, len(want)):min(i+3, len(want))], "\n"), out)
		}
	}
}

func TestNewKeys(t *testing.T) {
	p := parse(t, `<graphml><key id="status" for="edge" attr.name="weight"/>
  <graph><node id="a"><data key="x">used, not declared</data></node><edge source="a" target="a"/></graph>
</graphml>`)
	p.apply(graph.Batch{Ops: []graph.Op{
		graph.SetNode{ID: "a", Attr: "status", Value: "ran"},
		graph.SetNode{ID: "a", Attr: "x", Value: "1.5"},
		graph.SetNode{ID: "a", Attr: "y", Value: "up"},
		graph.SetNode{ID: "a", Attr: "odd name", Value: "1"},
		graph.SetEdge{Key: 0, Attr: "status", Value: "to_run"},
		graph.SetGraph{Attr: "jobs", Value: "4"},
	}})
	out := p.rendered()
	wantParts(t, out,
		`<key id="status_2" for="node" attr.name="status" attr.type="string"/>`,
		`<key id="x_2" for="node" attr.name="x" attr.type="double"/>`,
		`<key id="y" for="node" attr.name="y" attr.type="string"/>`,
		`<key id="odd_name" for="node" attr.name="odd name" attr.type="string"/>`,
		`<key id="edge_status" for="edge" attr.name="status" attr.type="string"/>`,
		`<key id="jobs" for="graph" attr.name="jobs" attr.type="string"/>`,
		`<data key="x">used, not declared</data>`)
	wantSame(t, p, out)
}

// TestTypedKeys checks that values fit the types of their keys if a name is declared more than once.
func TestTypedKeys(t *testing.T) {
	const file = `<graphml>
  <key id="d1" for="node" attr.name="x" attr.type="double"/>
  <key id="d2" for="node" attr.name="x" attr.type="string"/>
  <key id="d3" for="node" attr.name="y" attr.type="int"/>
  <graph>
    <node id="a"><data key="d1">1</data></node>
    <node id="b"><data key="d2">2</data></node>
    <node id="c"/>
    <node id="d"><data key="d3">7</data></node>
  </graph>
</graphml>
`
	p := parse(t, file)
	for _, id := range []string{"a", "b", "c"} {
		p.apply(graph.SetNode{ID: id, Attr: "x", Value: "5"})
	}
	undo := p.apply(graph.SetNode{ID: "d", Attr: "y", Value: "12.5"})
	wantParts(t, p.rendered(), `<data key="d1">5</data>`, `<data key="d2">5</data></node>`+"\n    "+`<node id="c"><data key="d2">5</data>`,
		`<key id="y" for="node" attr.name="y" attr.type="double"/>`, `<node id="d"><data key="y">12.5</data></node>`)
	wantSame(t, p, p.rendered())
	p.apply(undo)
	if strings.Contains(p.rendered(), `id="y"`) {
		t.Error("an unused key is declared")
	}
	p.apply(graph.SetNode{ID: "a", Attr: "x", Value: "left"})
	wantParts(t, p.rendered(), `<node id="a"><data key="d2">left</data></node>`)
}

func TestDefaultsAreNeverWritten(t *testing.T) {
	const file = `<graphml><key id="s" for="node" attr.name="status"><default>ran</default></key>
<key id="e" for="all" attr.name="edge_type"><default>non-blocking</default></key>
<graph><node id="a"/><node id="b"><data key="s"/></node><edge source="a" target="b"/></graph></graphml>`
	p := parse(t, file)
	a, b := p.g.Node("a"), p.g.Node("b")
	if a.Status != graph.Ran || b.Status != graph.Idle || p.g.Edges()[0].Type != graph.NonBlocking {
		t.Errorf("defaults are not applied: %v %v %v", a.Status, b.Status, p.g.Edges()[0].Type)
	}
	if value, present := p.d.NodeAttr("a", "status"); value != "ran" || present {
		t.Errorf("NodeAttr gives %q, %v", value, present)
	}
	p.d.SetNode("a", "status", "")
	wantParts(t, p.rendered(), `<node id="a"><data key="s"></data></node>`)
	p.d.Apply(graph.SetNode{ID: "a", Attr: "status", Remove: true})
	if p.rendered() != file {
		t.Errorf("after undo, the file is\n%s", p.rendered())
	}
}

func TestLineEndsAreKept(t *testing.T) {
	file := "\xEF\xBB\xBF" + strings.ReplaceAll(body("<node id=\"a\">\n      <data key=\"d0\">one\ntwo</data>\n    </node>", `<node id="b"/>`), "\n", "\r\n")
	p := parse(t, file)
	wantLabels(t, p.g, "one\ntwo", "")
	p.apply(graph.Batch{Ops: []graph.Op{
		graph.SetNode{ID: "a", Attr: "status", Value: "ran"},
		graph.SetNode{ID: "b", Attr: "status", Value: "ran"},
		graph.AddNode{Node: graph.NodeSpec{ID: "c", Key: graph.NewKey, Container: true}},
		graph.AddNode{Node: graph.NodeSpec{ID: "d", Key: graph.NewKey, Label: "x"}, Parent: "c"},
		graph.SetGraph{Attr: "jobs", Value: "2"},
	}})
	out := p.rendered()
	if n := strings.Count(strings.ReplaceAll(out, "\r\n", ""), "\n"); n != 0 {
		t.Errorf("%d lines have another line end:\n%q", n, out)
	}
	wantSame(t, p, out)
}

func TestPiecesDoNotChange(t *testing.T) {
	p := parse(t, body(`<node id="a"><data key="d1">run</data></node>`))
	p.d.SetNode("a", "status", "running")
	pieces := p.d.Render()
	before := string(bytes.Join(pieces, nil))
	p.d.SetNode("a", "status", "ran")
	p.apply(graph.RemoveNode{ID: "a"})
	p.d.Render()
	if after := string(bytes.Join(pieces, nil)); after != before {
		t.Errorf("pieces changed to\n%s", after)
	}
	var out bytes.Buffer
	if n, err := pieces.WriteTo(&out); err != nil || n != pieces.Size() || out.String() != before {
		t.Errorf("wrote %d of %d bytes, error %v:\n%s", n, pieces.Size(), err, out.String())
	}
}

// TestRemovedAndAddedAgain undoes a removal: the old bytes return, with output that the graph does not
// store.
func TestRemovedAndAddedAgain(t *testing.T) {
	file := strings.Replace(body(`<node id="a"><data key="d0">x</data><data key="o">text</data><my:note/></node>`,
		`<node id="b"><data key="d0"><![CDATA[y]]></data></node>`, `<edge source="a" target="b"/>`),
		"  <graph", `  <key id="o" for="node" attr.name="stdout"/>`+"\n  <graph", 1)
	p := parse(t, file)
	p.d.SetNode("a", "stdout", "new")
	undo := p.apply(graph.RemoveNode{ID: "a"})
	if out := p.rendered(); strings.Contains(out, `"a"`) {
		t.Errorf("node a is still there:\n%s", out)
	}
	if err := p.d.SetNode("a", "status", "ran"); err == nil {
		t.Error("a removed node can be set")
	}
	p.apply(undo)
	if value, _ := p.d.NodeAttr("a", "stdout"); value != "new" {
		t.Errorf("stdout is %q", value)
	}
	p.d.SetNode("a", "stdout", "text")
	if p.d.dirty() || p.rendered() != file {
		t.Errorf("after undo, the file is\n%s", p.rendered())
	}
}
