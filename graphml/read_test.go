package graphml

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wf/graph"
)

func TestNamespaces(t *testing.T) {
	tests := []struct {
		name, file string
		ids        []string
	}{
		{"none", `<graphml><graph><node id="a"/></graph></graphml>`, []string{"a"}},
		{"another version", `<graphml xmlns="http://graphml.graphdrawing.org/xmlns/1.1"><graph><node id="a"/></graph></graphml>`, []string{"a"}},
		{"a misspelt one", `<graphml xmlns="urn:graphml"><graph><node id="a"/></graph></graphml>`, []string{"a"}},
		{"foreign prefix", `<graphml xmlns:y="urn:y"><graph><y:node id="b"/><node id="a"/></graph></graphml>`, []string{"a"}},
		{"undeclared prefix", `<graphml><graph><y:node id="b"/><node id="a"/></graph></graphml>`, []string{"a"}},
		{"foreign default inside", `<graphml><graph><node xmlns="urn:x" id="b"><node id="c"/></node><node id="a"/></graph></graphml>`, []string{"a"}},
		{"ours again inside", `<g:graphml xmlns:g="urn:g" xmlns="urn:x"><node id="no"/><g:graph><g:node id="a"/><node xmlns="http://graphml.graphdrawing.org/xmlns" id="b"/></g:graph></g:graphml>`, []string{"a", "b"}},
		{"prefix with another meaning inside", `<g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns"><g:graph><g:node xmlns:g="urn:x" id="b"/><g:node id="a"/></g:graph></g:graphml>`, []string{"a"}},
		{"in foreign elements", `<graphml xmlns:y="urn:y"><graph><y:box><node id="b"/></y:box><node id="a"/></graph></graphml>`, []string{"a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := parse(t, tt.file)
			var ids []string
			for _, n := range p.g.Nodes() {
				ids = append(ids, n.ID)
			}
			if !slices.Equal(ids, tt.ids) {
				t.Errorf("nodes %v, want %v", ids, tt.ids)
			}
		})
	}
}

// TestKeysAreResolvedLate reads keys after the graph, keys for all, one id for two domains, and data
// of domains that its key is not declared for.
func TestKeysAreResolvedLate(t *testing.T) {
	p := parse(t, `<graphml><graph>
<node id="a"><data key="k">for nodes</data><data key="all">n</data><data key="e">not mine</data></node>
<edge source="a" target="a"><data key="k">for edges</data><data key="all">e</data></edge>
<data key="all">g</data>
</graph>
<key id="all" attr.name="note"/><key id="k" for="node" attr.name="label"/><key id="k" for="edge" attr.name="word"/>
<key id="e" for="edge" attr.name="note"/><key for="node" attr.name="no id"/>
</graphml>`)
	a, e := p.g.Node("a"), p.g.Edges()[0]
	note, _ := p.g.Attr("note")
	if a.Label != "for nodes" || a.Extra["note"] != "n" || e.Extra["word"] != "for edges" || e.Extra["note"] != "e" || note != "g" {
		t.Errorf("read %q %v %v %q", a.Label, a.Extra, e.Extra, note)
	}
}

func TestEdgesBeforeNodes(t *testing.T) {
	p := parse(t, body(`<edge source="b" target="a"/>`, `<node id="a"/>`, `<edge source="a" target="b"/>`, `<node id="b"/>`))
	for i, want := range []string{"b a", "a b"} {
		e := p.g.Edges()[i]
		if got := e.Source.ID + " " + e.Target.ID; got != want || e.Key != i {
			t.Errorf("edge %d is %s", i, got)
		}
	}
}

func TestEdgeIDs(t *testing.T) {
	file := strings.Replace(body(`<node id="a"/>`,
		`<edge id="xml" source="a" target="a"><data key="i">value</data></edge>`,
		`<edge id="" source="a" target="a"><data key="i">value</data></edge>`,
		`<edge source="a" target="a"><data key="i">value</data></edge>`,
		`<edge source="a" target="a"/>`), "  <graph ", `  <key id="i" for="edge" attr.name="id"/><graph `, 1)
	p := parse(t, file)
	for i, want := range []string{"xml", "value", "value", ""} {
		if got := p.g.Edges()[i].ID; got != want {
			t.Errorf("edge %d has the id %q, want %q", i, got, want)
		}
	}
	undo := p.apply(graph.SetEdge{Key: 0, Attr: "id", Value: "new"})
	wantParts(t, p.rendered(), `<edge id="new" source="a" target="a"><data key="i">new</data></edge>`)
	p.apply(undo)
	if p.rendered() != file {
		t.Errorf("after undo, the file is\n%s", p.rendered())
	}
}

func TestLastOfTwoValuesCounts(t *testing.T) {
	p := parse(t, body(`<node id="a"><data key="d0">one</data><data key="d0">two</data></node>`))
	wantLabels(t, p.g, "two")
	p.d.SetNode("a", "label", "three")
	wantParts(t, p.rendered(), `<data key="d0">one</data><data key="d0">three</data>`)
	p.d.Apply(graph.SetNode{ID: "a", Attr: "label", Remove: true})
	wantParts(t, p.rendered(), `<node id="a"></node>`)
}

func TestNodeAttr(t *testing.T) {
	file := strings.Replace(body(`<node id="a"><data key="o">out &lt;1&gt;</data><data key="g">old log</data></node>`, `<node id="b"/>`),
		"  <graph ", `  <key id="o" for="node" attr.name="stdout"/><key id="g" for="node" attr.name="log"/><graph `, 1)
	p := parse(t, file)
	check := func(id, attr, want string, wantPresent bool) {
		t.Helper()
		if value, present := p.d.NodeAttr(id, attr); value != want || present != wantPresent {
			t.Errorf("%s of %s is %q, %v; want %q, %v", attr, id, value, present, want, wantPresent)
		}
	}
	check("a", "stdout", "out <1>", true)
	check("a", "log", "old log", true)
	check("b", "stdout", "", false)
	check("none", "stdout", "", false)
	p.d.SetNode("a", "stdout", "new")
	p.d.Apply(graph.SetNode{ID: "a", Attr: "log", Remove: true})
	p.d.SetNode("b", "pid", "17")
	check("a", "stdout", "new", true)
	check("a", "log", "", false)
	check("b", "pid", "17", true)
	p.d.SetNode("b", "pid", "") // absent again
	p.d.SetNode("a", "log", "old log")
	p.d.SetNode("a", "stdout", "out <1>")
	if p.d.dirty() {
		t.Error("after undo, there are changes")
	}
}

func TestLines(t *testing.T) {
	padding := strings.Repeat("<!-- padding -->\n", 3*lineStride/17)
	p := parse(t, body(`<node id="a"/>`, padding+`<node id="b"/>`, `<edge source="a" target="b"/>`))
	last := 8 + strings.Count(padding, "\n") + 1
	p.apply(graph.AddNode{Node: graph.NodeSpec{ID: "new", Key: graph.NewKey}})
	p.apply(graph.AddEdge{Key: graph.NewKey, Source: "a", Target: "new"})
	got := []int{p.d.NodeLine("a"), p.d.NodeLine("b"), p.d.EdgeLine(0), p.d.NodeLine("new"), p.d.EdgeLine(1), p.d.NodeLine("none"), p.d.EdgeLine(9)}
	if want := []int{8, last, last + 2, 0, 0, 0, 0}; !slices.Equal(got, want) { // in the file as it is saved, after the new node
		t.Errorf("lines %v, want %v", got, want)
	}
}

func TestLinesOfAttributes(t *testing.T) {
	p := parse(t, body("<node id=\"a\">\n<data key=\"d0\">x\ny</data>\n</node>", `<node id="b"/>`, "<edge source=\"a\" target=\"b\">\n\n<data key=\"d2\">blocking</data></edge>"))
	got := []int{p.d.NodeLine("a"), p.d.NodeAttrLine("a", "label"), p.d.NodeAttrLine("a", "name"), p.d.NodeAttrLine("a", ""), p.d.NodeAttrLine("b", "label"),
		p.d.NodeAttrLine("none", "label"), p.d.EdgeAttrLine(0, ""), p.d.EdgeAttrLine(0, "edge_type"), p.d.EdgeAttrLine(9, "edge_type"), p.d.GraphAttrLine("wrapper")}
	if want := []int{8, 9, 8, 8, 12, 0, 13, 15, 0, 7}; !slices.Equal(got, want) {
		t.Errorf("lines %v, want %v", got, want)
	}
}

func TestWarnings(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"undirected graph", `<graphml><graph edgedefault="undirected"/></graphml>`, "1 undirected"},
		{"undirected edge", body(`<node id="a"/>`, `<edge source="a" target="a" directed="false"/>`, `<edge source="a" target="a" directed="false"/>`), "9 undirected"},
		{"hyperedge", body(`<hyperedge><endpoint node="a"/></hyperedge>`, `<hyperedge/>`), "8 hyperedge hyperedges are kept but ignored (2)"},
		{"port", body(`<node id="a"><port name="p"><data key="d0">not the label</data></port></node>`), "8 port ports are kept but ignored (1)"},
		{"undeclared key", body(`<node id="a"><data key="x">1</data><data key="x">2</data></node>`), `8 undeclared-key key "x" is not declared`},
		{"control character", body("<node id=\"a\"><data key=\"d0\">echo \x1b</data></node>"), "8 control-character label contains characters that XML forbids"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, warnings, err := Parse([]byte(tt.file), Limits{})
			if err != nil || len(warnings) != 1 {
				t.Fatalf("warnings %v, error %v", warnings, err)
			}
			if got := fmt.Sprint(warnings[0].Line, " ", warnings[0].Code, " ", warnings[0].Message); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestWarningsAreFew(t *testing.T) {
	var nodes []string
	for i := range 10 * notesPerCode {
		nodes = append(nodes, fmt.Sprintf("<node id=\"n%d\"><data key=\"d0\">\x01</data></node>", i))
	}
	_, _, warnings, err := Parse([]byte(body(nodes...)), Limits{})
	if err != nil || len(warnings) != notesPerCode {
		t.Errorf("%d warnings, error %v", len(warnings), err)
	}
}

// TestCommandsAreNotMadeVisible checks that a save does not replace control characters in commands.
func TestCommandsAreNotMadeVisible(t *testing.T) {
	p := parse(t, body("<node id=\"a\"><data key=\"d0\">printf '\x1b'</data></node>"))
	p.d.SetNode("a", "status", "ran")
	wantParts(t, p.rendered(), "<data key=\"d0\">printf '\x1b'</data>")
}

func TestSetErrors(t *testing.T) {
	p := parse(t, body(`<node id="a"/>`, `<edge source="a" target="a"/>`))
	p.apply(graph.RemoveEdge{Key: 0})
	for name, err := range map[string]error{
		"no node":          p.d.SetNode("x", "status", "ran"),
		"no edge":          p.d.SetEdge(7, "status", "to_run"),
		"removed edge":     p.d.SetEdge(0, "status", "to_run"),
		"no name":          p.d.Apply(graph.SetGraph{Attr: "", Value: "x"}),
		"unwritable name":  p.d.SetNode("a", "\x01", "x"),
		"unwritable id":    p.d.Apply(graph.AddNode{Node: graph.NodeSpec{ID: "\x01", Key: 1}}),
		"key of another":   p.d.Apply(graph.AddNode{Node: graph.NodeSpec{ID: "b", Key: 0}}),
		"existing node":    p.d.Apply(graph.AddNode{Node: graph.NodeSpec{ID: "a", Key: 1}}),
		"no node to drop":  p.d.Apply(graph.RemoveNode{ID: "x"}),
		"no edge to drop":  p.d.Apply(graph.Batch{Ops: []graph.Op{graph.RemoveEdge{Key: 0}}}),
		"no edit":          p.d.Apply(nil),
		"unset of no node": p.d.Apply(graph.SetNode{ID: "x", Attr: "status", Remove: true}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if p.d.SetNode("a", "stdout", "\x1b \uFFFE"); !strings.Contains(p.rendered(), "␛ \uFFFD") {
		t.Error("a value with control characters is not made visible")
	}
}
