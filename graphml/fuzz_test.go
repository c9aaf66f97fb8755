package graphml

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"wf/graph"
)

// seed adds inputs of all kinds to a fuzz test.
func seed(f *testing.F) {
	f.Add([]byte(body(`<node id="a"><data key="d0">x &amp; y</data></node>`, `<node id="b"/>`, `<edge source="a" target="b" id=''/>`)))
	f.Add([]byte(`<!DOCTYPE graphml [<!ENTITY e "x">]><graphml><graph><node id='a'><data key="k"><![CDATA[<]]><!-- - --><?p i?></data><port/></node></graph></graphml>`))
	f.Add([]byte("<g:graphml xmlns:g='http://graphml.graphdrawing.org/xmlns'>\r\n<g:graph>\r\n\t<g:node id=\"a\"><g:graph><g:node id='b' /></g:graph></g:node></g:graph></g:graphml>"))
	f.Add([]byte(yed(`<node id="a"><data key="d6"><y:ShapeNode><y:Geometry x="1" y="2"/><y:NodeLabel>l<y:M/></y:NodeLabel></y:ShapeNode></data></node>`)))
	f.Add([]byte("<graphml><graph><node id='a'><data key='k'>\x1b[0m\r</data></node></graph><key id='k' for='node' attr.name='stdout'/></graphml>"))
}

// FuzzScanner compares the scanner with encoding/xml: a well-formed file gives the same number of
// elements, another one an error.
func FuzzScanner(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := detect(data); err != nil || c != utf8Charset || bytes.HasPrefix(data, []byte("\x1F\x8B")) {
			t.Skip("encoding/xml reads UTF-8 only")
		}
		wantNodes, wantEdges, wantErr := countWithXML(data)
		s := newScanner(data, Limits{}.withDefaults())
		err := s.scan()
		switch {
		case err == nil && wantErr != nil && !isLenient(data, wantErr):
			t.Errorf("read, but encoding/xml says: %v\n%q", wantErr, data)
		case err != nil && wantErr == nil && !isStricter(data, err):
			t.Errorf("%v, but encoding/xml reads it\n%q", err, data)
		case err == nil && wantErr == nil && len(s.nodes)+len(s.edges) > wantNodes+wantEdges:
			t.Errorf("%d nodes and %d edges, but encoding/xml reads %d and %d\n%q", len(s.nodes), len(s.edges), wantNodes, wantEdges, data)
		}
	})
}

// isLenient reports whether the scanner does not check what err of encoding/xml is about: characters,
// names and references that a workflow may never need.
func isLenient(data []byte, err error) bool {
	for _, reason := range []string{"illegal character", "invalid character entity", "invalid UTF-8", "invalid XML name", "invalid characters between",
		"unescaped ]]>", "invalid sequence \"--\"", "expected target name", "expected attribute name", "expected element name", "unsupported version", "encoding", "expected /> in element"} {
		if strings.Contains(err.Error(), reason) {
			return true
		}
	}
	return bytes.Contains(data, []byte("<!DOCTYPE"))
}

// isStricter reports whether err of the scanner is about a rule that encoding/xml does not check.
func isStricter(data []byte, err error) bool {
	for _, reason := range []string{"<graphml>", "the file is empty", "<graph> element", "the root element", "without", "used twice", "no node", "entities are not expanded",
		"starts neither", "after the end", "does not start a tag", "inside the tag", "\"<\" in the value", "has no value", "has no quotes"} {
		if strings.Contains(err.Error(), reason) {
			return true
		}
	}
	return bytes.Contains(data, []byte("<!DOCTYPE")) // encoding/xml does not look into it
}

// FuzzEdits edits readable inputs and checks that the written file reads as the edited graph, and that
// undo restores the bytes.
func FuzzEdits(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d, g, _, err := Parse(data, Limits{MaxBytes: 1 << 16})
		if err != nil {
			var syntax *SyntaxError
			if errors.As(err, &syntax) && (syntax.Line < 1 || syntax.Column < 1 || syntax.Offset < 0) {
				t.Errorf("the error has no place: %+v", syntax)
			}
			return
		}
		for i := range d.slots {
			if d.slots[i].structured {
				return // an attribute that is a drawing cannot be set
			}
		}
		p := pair{t, d, g}
		var undos []graph.Op
		for i, n := range g.Nodes() {
			undos = append(undos, p.apply(graph.SetNode{ID: n.ID, Attr: []string{"status", "x", "note"}[i%3], Value: "1"}))
		}
		for i, e := range g.Edges() {
			undos = append(undos, p.apply(graph.SetEdge{Key: e.Key, Attr: []string{"id", "edge_type"}[i%2], Value: "blocking"}))
		}
		if id := "added"; g.Node(id) == nil {
			undos = append(undos, p.apply(graph.AddNode{Node: graph.NodeSpec{ID: id, Key: graph.NewKey, Label: "<&"}}))
			undos = append(undos, p.apply(graph.AddEdge{Key: graph.NewKey, Source: id, Target: id, ID: "e"}))
		}
		out := joined(d)
		_, again, _, err := Parse(out, Limits{})
		if err != nil {
			t.Fatalf("%v in\n%q\nfrom\n%q", err, out, data)
		}
		if got, want := dump(again, true), dump(g, true); got != want {
			t.Fatalf("reads as\n%s\nnot as\n%s\nin\n%q", got, want, out)
		}
		for i := len(undos) - 1; i >= 0; i-- {
			p.apply(undos[i])
		}
		if d.dirty() || !bytes.Equal(joined(d), data) {
			t.Fatalf("after undo, the file is\n%q\nnot\n%q", joined(d), data)
		}
	})
}

// FuzzGroup makes a container of some nodes of readable inputs, and dissolves it after the file was read again. It checks that the
// file reads as the graph, that nothing else is lost, and that undo restores the bytes.
func FuzzGroup(f *testing.F) {
	seed(f)
	f.Add([]byte(nested))
	f.Add([]byte(drawn))
	f.Add([]byte(`<graphml xmlns:y="u"><graph><node id="a"><graph xmlns:z="v"><node id="b"><data key="k"><z:x/></data></node></graph></node></graph></graphml>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, g, _, err := Parse(data, Limits{MaxBytes: 1 << 16})
		if err == nil {
			groupAndBack(t, pair{t, d, g}, string(data))
		}
	})
}

// groupAndBack groups every other node beside the last node of a file.
func groupAndBack(t testing.TB, p pair, file string) {
	nodes := p.g.Nodes()
	if len(nodes) == 0 || p.g.Node("c") != nil || inherited(p.d.defaults[ofNode], "label") != "" {
		return // a default for commands becomes an empty command of the container
	}
	parent, ids, name := nodes[len(nodes)-1].Parent, []string(nil), ""
	for i, n := range nodes {
		if n.Parent == parent && i%2 == (len(nodes)-1)%2 {
			ids = append(ids, n.ID)
		}
	}
	if parent != nil {
		if name = parent.ID; !parent.Container {
			return // its nodes cannot be grouped
		}
	}
	before := sortedLines(dump(p.g, true))
	undo := p.apply(group(name, ids...))
	grouped := p.rendered()
	reads := func(file, want string) pair {
		again := parse(t, file)
		if got := sortedLines(dump(again.g, true)); got != want {
			t.Fatalf("reads as\n%s\nnot as\n%s\nin\n%q", got, want, file)
		}
		return again
	}
	again := reads(grouped, sortedLines(dump(p.g, true)))
	if p.apply(undo); p.rendered() != file || p.d.dirty() {
		t.Fatalf("after undo, the file is\n%q\nnot\n%q", p.rendered(), file)
	}
	undo = again.apply(dissolved(again.g, again.g.Node("c")))
	reads(again.rendered(), before)
	if again.apply(undo); again.rendered() != grouped {
		t.Fatalf("after undo, the file is\n%q\nnot\n%q", again.rendered(), grouped)
	}
}

// TestGroupShared is FuzzGroup for the files of other programs.
func TestGroupShared(t *testing.T) {
	readable(t, func(t *testing.T, _ string, data []byte) { groupAndBack(t, parse(t, string(data)), string(data)) })
}
