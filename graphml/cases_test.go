package graphml

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"wf/graph"
)

// A sharedCase is the expectation for one file of graphml-cases.
type sharedCase struct {
	nodes, edges int
	warnings     []string // codes, in the order of the file
	wrong        string   // the error, if it cannot be read
	check        func(t *testing.T, p pair)
}

var sharedCases = map[string]sharedCase{
	"01-minimal-no-keys.graphml": {nodes: 2, edges: 1, check: func(t *testing.T, p pair) {
		for _, n := range p.g.Nodes() {
			if !n.NoCommand {
				t.Errorf("node %s has a command", n.ID)
			}
		}
		p.d.SetNode("a", "status", "ran")
		wantParts(t, p.rendered(),
			"<key id=\"status\" for=\"node\" attr.name=\"status\" attr.type=\"string\"/>\n  <graph",
			"<node id=\"a\">\n      <data key=\"status\">ran</data>\n    </node>\n    <node id=\"b\"/>")
	}},
	"03-key-defaults.graphml": {nodes: 3, edges: 2, check: func(t *testing.T, p pair) {
		wantLabels(t, p.g, "echo default", "echo b", "")
		if p.g.Edges()[0].Type != graph.NonBlocking || p.g.Edges()[1].Type != graph.Blocking {
			t.Error("edge types are not non-blocking, blocking")
		}
		if p.g.Node("a2").NoCommand {
			t.Error("an explicit empty command counts as missing")
		}
	}},
	"05-one-key-id-two-domains.graphml": {nodes: 2, edges: 1, check: func(t *testing.T, p pair) {
		wantLabels(t, p.g, "echo a", "echo b")
		if got := p.g.Edges()[0].Extra["edge_label"]; got != "edge text" {
			t.Errorf("edge_label = %q", got)
		}
	}},
	"07-bad-typed-values.graphml": {nodes: 10, warnings: []string{WarnPosition, WarnPosition, WarnValue, WarnPosition, WarnPosition},
		check: func(t *testing.T, p pair) {
			for _, n := range p.g.Nodes() {
				if _, _, ok := n.Position(); ok || n.Label != "true" {
					t.Errorf("node %s: label %q, position %v", n.ID, n.Label, ok)
				}
			}
			if got := p.g.Node("j").Extra["vec"]; got != "1" {
				t.Errorf("vec = %q", got)
			}
		}},
	"09-no-edgedefault.graphml":    {nodes: 2, edges: 1, warnings: []string{WarnEdgeDefault}},
	"11-duplicate-node-id.graphml": {wrong: `node id "a" used twice (lines 8 and 10)`},
	"13-self-loop.graphml": {nodes: 2, edges: 2, check: func(t *testing.T, p pair) {
		a, b := p.g.Edges()[0], p.g.Edges()[1]
		if a.Source != a.Target || a.Type != graph.Blocking || b.Source != b.Target || b.Type != graph.NonBlocking {
			t.Error("the loops differ from the file")
		}
	}},
	"15-blocking-cycle.graphml":    {nodes: 3, edges: 3},
	"17-duplicate-edge-id.graphml": {nodes: 3, edges: 3, warnings: []string{WarnDuplicateEdgeID, WarnDuplicateEdgeID}},
	"19-odd-ids.graphml": {nodes: 8, edges: 1, check: func(t *testing.T, p pair) {
		want := []string{"a b", "../../etc/x", "-rf", "ü€😀", `q"<&`, "x\ny", "n0::n1", strings.Repeat("A", 300)}
		for i, n := range p.g.Nodes() {
			if n.ID != want[i] {
				t.Errorf("id %d is %q, not %q", i, n.ID, want[i])
			}
		}
	}},
	"21-nested-groups.graphml": {nodes: 6, edges: 3, check: func(t *testing.T, p pair) {
		group, plain := p.g.Node("n0"), p.g.Node("n2")
		if !group.Container || plain.Container {
			t.Errorf("containers: n0 %v, n2 %v", group.Container, plain.Container)
		}
		if p.g.Node("n0::n1").Parent != group || p.g.Node("n2::n0").Parent != plain || p.g.Node("n1").Parent != nil {
			t.Error("the parents differ from the file")
		}
	}},
	"23-two-graphs.graphml": {nodes: 2, edges: 1, warnings: []string{WarnSecondGraph}},
	"25-utf16le-bom.graphml": {nodes: 2, edges: 1, check: func(t *testing.T, p pair) {
		wantLabels(t, p.g, "echo Grüße", "echo b")
		p.d.SetNode("a", "status", "ran")
		out := p.rendered()
		if !strings.HasPrefix(out, "\xFF\xFE<\x00") || !strings.Contains(out, "r\x00a\x00n\x00") {
			t.Error("not saved as UTF-16 with a byte order mark")
		}
	}},
	"27-latin1.graphml": {nodes: 2, edges: 1, check: func(t *testing.T, p pair) {
		wantLabels(t, p.g, "echo Grüße", "echo b")
		p.d.SetNode("a", "stdout", "ä€")
		out := p.rendered()
		if !strings.Contains(out, "\xE4&#8364;") || !strings.Contains(out, "Gr\xFC\xDFe") || utf8.ValidString(out) {
			t.Errorf("not saved as ISO-8859-1 with a reference for the euro sign:\n%q", out)
		}
	}},
	"29-unknown-encoding.graphml": {wrong: `encoding "KOI8-R" is not supported (UTF-8, UTF-16, ISO-8859-1, US-ASCII, Windows-1252 are)`},
	"31-cdata-entity-comment.graphml": {nodes: 2, edges: 1, check: func(t *testing.T, p pair) {
		wantLabels(t, p.g, "echo a && b <x> &<AB end", `if [[ a < b ]]; then echo "]]>"; fi`)
		for _, n := range p.g.Nodes() {
			p.d.SetNode(n.ID, "label", n.Label)
		}
		if p.d.dirty() {
			t.Error("setting the same text counts as a change")
		}
	}},
	"33-billion-laughs.graphml": {wrong: "line 9, column 33: node a: label uses &e9;, and entities are not expanded"},
	"35-raw-control-chars.graphml": {nodes: 1, warnings: []string{WarnControlCharacter}, check: func(t *testing.T, p pair) {
		p.d.SetNode("a", "status", "ran")
		wantParts(t, p.rendered(), "<data key=\"so\">␛[31mred␛[0m␇ 10%\r20%</data><data key=\"d1\">ran</data>")
	}},
	"37-invalid-utf8-in-log.graphml": {wrong: "line 9, column 64: byte 532 (0xE9) is not UTF-8"},
	"41-yed-label-and-key.graphml": {nodes: 1, check: func(t *testing.T, p pair) {
		wantLabels(t, p.g, "make all")
		if x, y, ok := p.g.Nodes()[0].Position(); x != 10 || y != 20 || !ok {
			t.Errorf("position %v %v %v", x, y, ok)
		}
		if p.d.FromDrawing() {
			t.Error("the command counts as a text of the drawing")
		}
	}},
	"43-prefixed-namespace.graphml": {nodes: 2, edges: 1, check: func(t *testing.T, p pair) {
		p.d.SetNode("b", "label", "x")
		wantParts(t, p.rendered(), `<g:node id="b"><g:data key="d0">x</g:data></g:node>`)
	}},
	"45-foreign-everything.graphml": {nodes: 2, edges: 1, check: func(t *testing.T, p pair) {
		before := p.rendered()
		p.apply(graph.AddNode{Node: graph.NodeSpec{ID: "c", Key: graph.NewKey, Label: "x"}})
		from, to := difference(before, p.rendered())
		if from != "" || to != `<node id="c"><data key="d0">x</data></node>` {
			t.Errorf("%q became %q", from, to)
		}
	}},
	"47-truncated.graphml":       {wrong: "unexpected end of file at byte 430, inside <graph> opened in line 7"},
	"49-wrong-root.graphml":      {wrong: "no <graph> element"},
	"51-mismatched-tags.graphml": {wrong: "</node> at line 8 closes <data>"},
	"53-gzip.graphmlz": {nodes: 2, edges: 1, check: func(t *testing.T, p pair) {
		p.d.SetNode("a", "status", "ran")
		again := parse(t, p.rendered())
		if !again.d.form.packed || again.g.Node("a").Status != graph.Ran {
			t.Error("not saved with gzip")
		}
	}},
	"55-deep-groups.graphml": {nodes: 3001, check: func(t *testing.T, p pair) {
		deep := p.g.Nodes()[len(p.g.Nodes())-1]
		depth := 0
		for n := deep; n.Parent != nil; n = n.Parent {
			depth++
		}
		if depth != 3000 {
			t.Errorf("the last node lies %d deep", depth)
		}
	}},
	"57-igraph.graphml": {nodes: 2, edges: 1, check: func(t *testing.T, p pair) {
		wantLabels(t, p.g, "echo a", "echo b")
		wrapper, _ := p.g.Attr("wrapper")
		if wrapper != "sh -c" || p.g.Node("n1").Status != graph.Ran || p.g.Edges()[0].Type != graph.NonBlocking {
			t.Error("the attributes differ from the file")
		}
	}},
}

func TestSharedCases(t *testing.T) {
	files := shared(t, "graphml-cases/*.graphml*")
	for name := range sharedCases {
		if files[name] == nil {
			t.Errorf("no file %s", name)
		}
	}
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			c, ok := sharedCases[name]
			if !ok {
				t.Fatal("no expectation for this file")
			}
			c.run(t, data)
		})
	}
}

func (c *sharedCase) run(t *testing.T, data []byte) {
	d, g, warnings, err := Parse(data, Limits{})
	if c.wrong != "" {
		if err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Fatalf("error %v, want %q", err, c.wrong)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Nodes()) != c.nodes || len(g.Edges()) != c.edges {
		t.Errorf("%d nodes, %d edges; want %d, %d", len(g.Nodes()), len(g.Edges()), c.nodes, c.edges)
	}
	var codes []string
	for _, w := range warnings {
		codes = append(codes, w.Code)
	}
	if !slices.Equal(codes, c.warnings) {
		t.Errorf("warnings %v, want codes %v", warnings, c.warnings)
	}
	if !bytes.Equal(bytes.Join(d.Render(), nil), data) {
		t.Error("a save without a change differs")
	}
	if c.check != nil {
		c.check(t, pair{t, d, g})
	}
}

func wantLabels(t *testing.T, g *graph.Graph, labels ...string) {
	t.Helper()
	for i, n := range g.Nodes() {
		if n.Label != labels[i] {
			t.Errorf("label of %s is %q, want %q", n.ID, n.Label, labels[i])
		}
	}
}

func wantParts(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

func TestSyntaxErrorSaysWhere(t *testing.T) {
	_, _, _, err := Parse([]byte("<graphml>\n  <graph>\n  ü</node>"), Limits{})
	var syntax *SyntaxError
	if !errors.As(err, &syntax) {
		t.Fatalf("error %v is not a SyntaxError", err)
	}
	want := SyntaxError{Line: 3, Column: 4, Offset: 24, Msg: "</node> at line 3 closes <graph>"}
	if *syntax != want {
		t.Errorf("got %+v, want %+v", *syntax, want)
	}
}
