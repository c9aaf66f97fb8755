package graphml

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gographml "github.com/yaricom/goGraphML/graphml"

	"wf/graph"
)

// readable runs a test on all readable shared files.
func readable(t *testing.T, test func(t *testing.T, name string, data []byte)) {
	files := shared(t, append(workfilePatterns, "graphml-cases/*.graphml*")...)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if c, ok := sharedCases[name]; ok && c.wrong != "" {
			continue
		}
		t.Run(name, func(t *testing.T) { test(t, name, files[name]) })
	}
}

func TestRenderWithoutEditsIsIdentical(t *testing.T) {
	readable(t, func(t *testing.T, _ string, data []byte) {
		p := parse(t, string(data))
		if p.d.dirty() || !bytes.Equal(bytes.Join(p.d.Render(), nil), data) {
			t.Error("the file differs")
		}
	})
}

// TestUndoRestoresBytes sets status, label and position of every node and undoes it.
func TestUndoRestoresBytes(t *testing.T) {
	readable(t, func(t *testing.T, _ string, data []byte) {
		p := parse(t, string(data))
		var ops []graph.Op
		for _, n := range p.g.Nodes() {
			for _, w := range []want{{"status", "fail", true}, {"label", "new & <old>\n", true}, {"x", "1.5", true}, {"y", "-2", true}} {
				ops = append(ops, graph.SetNode{ID: n.ID, Attr: w.Name, Value: w.Value})
			}
		}
		undo := p.apply(graph.Batch{Ops: ops})
		out := p.rendered()
		if len(ops) > 0 && !p.d.dirty() {
			t.Error("no changes are counted")
		}
		wantSame(t, p, out)
		wantWellFormed(t, p, out)
		p.apply(undo)
		if p.d.dirty() || p.rendered() != string(data) {
			t.Error("after undo, the file differs")
		}
	})
}

// TestEditChangesOneElement sets one status and checks where the bytes differ.
func TestEditChangesOneElement(t *testing.T) {
	readable(t, func(t *testing.T, _ string, data []byte) {
		p := parse(t, string(data))
		if p.d.form.packed || p.d.form.charset != utf8Charset || p.d.keys.choose(ofNode, "status", "ran") == none {
			t.Skip("the file is encoded, or needs a new key")
		}
		for i, n := range p.g.Nodes() {
			if i%max(1, len(p.g.Nodes())/50) != 0 {
				continue
			}
			e := &p.d.nodes[i]
			if err := p.d.SetNode(n.ID, "status", "other"); err != nil {
				t.Fatal(err)
			}
			out := p.rendered()
			tail := len(data) - int(e.end)
			if len(p.d.unclean) == 0 && (out[:e.start] != string(data[:e.start]) || out[len(out)-tail:] != string(data[e.end:])) {
				t.Errorf("node %s: bytes outside of it differ", n.ID)
			}
			value, _ := n.Attr("status")
			if _, present := n.Attr("status"); present {
				p.d.SetNode(n.ID, "status", value)
			} else {
				p.d.Apply(graph.SetNode{ID: n.ID, Attr: "status", Remove: true})
			}
			if p.d.dirty() {
				t.Errorf("node %s: after undo, there are changes", n.ID)
			}
		}
	})
}

func TestAddAndRemove(t *testing.T) {
	readable(t, func(t *testing.T, _ string, data []byte) {
		p := parse(t, string(data))
		ops := []graph.Op{
			graph.AddNode{Node: graph.NodeSpec{ID: "new 1", Key: graph.NewKey, Label: "a && b", X: "1", Y: "2", Extra: map[string]string{"extra": "<>"}}},
			graph.AddNode{Node: graph.NodeSpec{ID: "new 2", Key: graph.NewKey, Label: "c", Status: "ran"}},
			graph.AddEdge{Key: graph.NewKey, Source: "new 1", Target: "new 2", ID: "new edge", Type: "non-blocking", Status: "to_run"},
		}
		var undos []graph.Op
		for _, op := range ops {
			undos = append(undos, p.apply(op))
		}
		for i, n := range slices.Clone(p.g.Nodes()) {
			if i%3 == 0 && p.g.Node(n.ID) != nil && !hasChildren(p.g, n) {
				undos = append(undos, p.apply(graph.RemoveNode{ID: n.ID}))
			}
		}
		out := p.rendered()
		wantSame(t, p, out)
		wantWellFormed(t, p, out)
		for _, undo := range slices.Backward(undos) {
			p.apply(undo)
		}
		if p.d.dirty() || p.rendered() != string(data) {
			t.Error("after undo, the file differs")
		}
	})
}

func hasChildren(g *graph.Graph, parent *graph.Node) bool {
	return slices.ContainsFunc(g.Nodes(), func(n *graph.Node) bool { return n.Parent == parent })
}

// wantWellFormed reads the written file with encoding/xml.
func wantWellFormed(t *testing.T, p pair, out string) {
	t.Helper()
	if p.d.form.packed || p.d.form.charset != utf8Charset {
		return
	}
	nodes, edges, err := countWithXML([]byte(out))
	if err != nil {
		t.Fatalf("not well-formed: %v", err)
	}
	if nodes < len(p.g.Nodes()) || edges < len(p.g.Edges()) {
		t.Errorf("%d nodes and %d edges, want %d and %d", nodes, edges, len(p.g.Nodes()), len(p.g.Edges()))
	}
}

// countWithXML counts the elements named node and edge with encoding/xml.
func countWithXML(data []byte) (nodes, edges int, err error) {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return nodes, edges, nil
		} else if err != nil {
			return nodes, edges, err
		}
		if start, ok := token.(xml.StartElement); ok {
			switch start.Name.Local {
			case "node":
				nodes++
			case "edge":
				edges++
			}
		}
	}
}

// TestGoGraphMLReadsTheSame makes changes of all kinds and reads the file with goGraphML.
func TestGoGraphMLReadsTheSame(t *testing.T) {
	readable(t, func(t *testing.T, name string, data []byte) {
		p := parse(t, string(data))
		if p.d.form.packed || p.d.form.charset != utf8Charset || len(p.d.graphs) > 1 || strings.Contains(string(data), "DOCTYPE") {
			t.Skip("goGraphML does not read such files")
		}
		if name == "43-prefixed-namespace.graphml" || name == "gephi-cdata.graphml" {
			t.Skip("goGraphML takes elements of other namespaces for nodes, and reads no keys inside of a graph")
		}
		for i, n := range p.g.Nodes() {
			p.apply(graph.SetNode{ID: n.ID, Attr: "status", Value: []string{"ran", "fail", "run"}[i%3]})
			p.apply(graph.SetNode{ID: n.ID, Attr: "label", Value: fmt.Sprintf("echo %d && \"<%s>\"\n\tdone", i, name)})
			p.apply(graph.SetNode{ID: n.ID, Attr: "x", Value: "12.5"})
		}
		for i, e := range p.g.Edges() {
			p.apply(graph.SetEdge{Key: e.Key, Attr: "edge_type", Value: []string{"blocking", "non-blocking"}[i%2]})
		}
		compareGoGraphML(t, p)
	})
}

func compareGoGraphML(t *testing.T, p pair) {
	t.Helper()
	doc := gographml.NewGraphML("")
	if err := doc.Decode(bytes.NewReader(bytes.Join(p.d.Render(), nil))); err != nil {
		t.Fatalf("goGraphML: %v", err)
	}
	read := doc.Graphs[0]
	if len(read.Nodes) != len(p.g.Nodes()) || len(read.Edges) != len(p.g.Edges()) {
		t.Fatalf("goGraphML reads %d nodes and %d edges", len(read.Nodes), len(read.Edges))
	}
	name := func(target gographml.KeyForElement, id string) string {
		for _, k := range doc.Keys {
			if k.ID == id && (k.Target == target || k.Target == gographml.KeyForAll) {
				return k.Name
			}
		}
		return ""
	}
	for i, n := range p.g.Nodes() {
		if read.Nodes[i].ID != n.ID {
			t.Fatalf("node %d is %q, want %q", i, read.Nodes[i].ID, n.ID)
		}
		wantData(t, "node "+n.ID, read.Nodes[i].Data, []string{"label", "status", "x"}, n.Attr,
			func(id string) string { return name(gographml.KeyForNode, id) })
	}
	for i, e := range p.g.Edges() {
		r := read.Edges[i]
		if r.Source != e.Source.ID || r.Target != e.Target.ID {
			t.Fatalf("edge %d is %s -> %s", i, r.Source, r.Target)
		}
		wantData(t, "edge", r.Data, []string{"edge_type"}, e.Attr,
			func(id string) string { return name(gographml.KeyForEdge, id) })
	}
}

func wantData(t *testing.T, what string, data []*gographml.Data, attrs []string, get func(string) (string, bool), name func(id string) string) {
	t.Helper()
	for _, attr := range attrs {
		value, _ := get(attr)
		got, found := "", false
		for _, d := range data {
			if name(d.Key) == attr {
				got, found = d.Value, true
			}
		}
		if got != value || !found {
			t.Errorf("%s: goGraphML reads %s as %q, want %q", what, attr, got, value)
		}
	}
}

// TestNetworkxReadsTheSame reads a file with networkx, the library that Python Workforce uses.
func TestNetworkxReadsTheSame(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import networkx").Run() != nil {
		t.Skip("no python3 with networkx")
	}
	dir := t.TempDir()
	want := map[string]string{}
	for name, data := range shared(t, workfilePatterns...) {
		if !strings.HasPrefix(name, "0") && !strings.HasPrefix(name, "networkx") && !strings.HasPrefix(name, "helloworld") {
			continue
		}
		p := parse(t, string(data))
		for _, n := range p.g.Nodes() {
			p.apply(graph.SetNode{ID: n.ID, Attr: "label", Value: "echo " + n.ID})
			p.apply(graph.SetNode{ID: n.ID, Attr: "x", Value: "12.5"})
		}
		p.apply(graph.AddNode{Node: graph.NodeSpec{ID: "new", Key: graph.NewKey, Label: "echo new", X: "12.5", Y: "1"}})
		p.apply(graph.AddEdge{Key: graph.NewKey, Source: "new", Target: p.g.Nodes()[0].ID, ID: "e", Type: "blocking"})
		if err := os.WriteFile(filepath.Join(dir, name), []byte(p.rendered()), 0o600); err != nil {
			t.Fatal(err)
		}
		want[name] = fmt.Sprintf("%s %d %d", name, len(p.g.Nodes()), len(p.g.Edges()))
	}
	const script = `
import os, sys, networkx
for name in sorted(os.listdir(sys.argv[1])):
    g = networkx.read_graphml(os.path.join(sys.argv[1], name), force_multigraph=True)
    for node, data in g.nodes(data=True):
        assert data["label"] == "echo " + node and float(data["x"]) == 12.5, (name, node, data)
    print(name, g.number_of_nodes(), g.number_of_edges())
`
	out, err := exec.Command(python, "-c", script, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("networkx: %v\n%s", err, out)
	}
	lines := strings.Join(slices.Sorted(maps.Values(want)), "\n") + "\n"
	if string(out) != lines {
		t.Errorf("networkx reads\n%swant\n%s", out, lines)
	}
}
