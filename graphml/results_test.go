package graphml

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"wf/graph"
)

// stripCases returns workfiles of other programs, and small ones with every form of empty elements.
func stripCases(t *testing.T) map[string][]byte {
	cases := map[string][]byte{}
	for _, pattern := range []string{"../../shared/graphml-cases/*.graphml", "../../shared/graphml-corpus/*.graphml"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, _, err := Parse(data, Limits{}); err == nil && len(data) < 50_000 {
				cases[filepath.Base(file)] = data
			}
		}
	}
	for name, text := range map[string]string{
		"bare": `<graphml><graph edgedefault="directed"><node id="a"/><node id="b" /><edge source="a" target="b"/></graph></graphml>`,
		"lines": "<graphml>\n  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n  <graph edgedefault=\"directed\">\n" +
			"    <node id=\"a\">\n      <data key=\"label\">x</data>\n    </node>\n    <node id=\"b\"></node>\n    <edge source=\"a\" target=\"b\"/>\n  </graph>\n</graphml>\n",
		"empty values": "<graphml>\r\n\t<key id=\"s\" for=\"node\" attr.name=\"status\" attr.type=\"string\"/>\r\n" +
			"\t<key id=\"o\" for=\"node\" attr.name=\"stdout\" attr.type=\"string\" />\r\n\t<key id=\"es\" for=\"edge\" attr.name=\"status\"/>\r\n\t<graph edgedefault=\"directed\">\r\n" +
			"\t\t<node id=\"a\"><data key=\"s\" /><data key=\"o\"></data></node>\r\n\t\t<node id=\"b\">\r\n\t\t\t<data key=\"s\"/>\r\n\t\t</node>\r\n" +
			"\t\t<edge source=\"a\" target=\"b\">\r\n\t\t\t<data key=\"es\"></data>\r\n\t\t</edge><edge source=\"a\" target=\"b\" />\r\n\t</graph>\r\n</graphml>",
	} {
		cases[name] = []byte(text)
	}
	return cases
}

// TestBareRestoresBytes writes results into a file, reopens it between the writes, and removes them
// again.
func TestBareRestoresBytes(t *testing.T) {
	for name, data := range stripCases(t) {
		d, g, _, _ := Parse(data, Limits{})
		if len(g.Nodes()) == 0 || d.HasOutput() || slices.ContainsFunc(g.Nodes(), func(n *graph.Node) bool { return n.Status != graph.Idle }) {
			continue
		}
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			now := data
			for range rapid.IntRange(1, 4).Draw(t, "openings") {
				now = withResults(t, now)
			}
			if got := stripped(t, now, data); !bytes.Equal(got, data) {
				t.Fatalf("--- before\n%s\n--- with results\n%s\n--- stripped\n%s", data, now, got)
			}
		}))
	}
}

func stripped(t rapid.TB, data, origin []byte) []byte {
	d, _, _, err := Parse(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	d.Bare(origin)
	return bytes.Join(d.Render(), nil)
}

// withResults returns a file after it was opened and a run wrote results.
func withResults(t *rapid.T, data []byte) []byte {
	d, g, _, err := Parse(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(1, 6).Draw(t, "results") {
		n := rapid.SampledFrom(g.Nodes()).Draw(t, "node")
		_ = d.SetNode(n.ID, "status", rapid.SampledFrom([]string{"", "run", "running", "ran", "fail"}).Draw(t, "status"))
		if rapid.Bool().Draw(t, "output") {
			_ = d.SetNode(n.ID, rapid.SampledFrom([]string{"command", "stdout", "stderr", "pid", "error_code"}).Draw(t, "attr"),
				rapid.SampledFrom([]string{"", "7", "a & b"}).Draw(t, "value"))
		}
		if edges := g.Edges(); len(edges) > 0 {
			e := rapid.SampledFrom(edges).Draw(t, "edge")
			_ = d.SetEdge(e.Key, "status", rapid.SampledFrom([]string{"", "to_run"}).Draw(t, "mark"))
		}
	}
	return bytes.Join(d.Render(), nil)
}

// TestBareKeepsEdits removes results from a file that was edited, with and without the original file.
func TestBareKeepsEdits(t *testing.T) {
	const origin = "<graphml>\n  <key id=\"l\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n  <graph edgedefault=\"directed\">\n" +
		"    <node id=\"a\">\n      <data key=\"l\">one</data>\n    </node>\n    <edge source=\"a\" target=\"a\"/>\n  </graph>\n</graphml>\n"
	d, g, _, err := Parse([]byte(origin), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{d.SetNode("a", "status", "ran"), d.SetNode("a", "stdout", "secret"), d.SetEdge(g.Edges()[0].Key, "status", "to_run")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	ran := bytes.Join(d.Render(), nil)
	edited := bytes.Replace(ran, []byte(">one<"), []byte("><!-- mine -->two<"), 1)
	got := stripped(t, edited, []byte(origin))
	if want := bytes.Replace([]byte(origin), []byte(">one<"), []byte("><!-- mine -->two<"), 1); !bytes.Equal(got, want) {
		t.Errorf("an edited file:\n%s", got)
	}
	got = stripped(t, ran, nil)
	if bytes.Contains(got, []byte("secret")) || bytes.Contains(got, []byte(">ran<")) || !bytes.Contains(got, []byte(`<edge source="a" target="a"/>`)) {
		t.Errorf("without an origin:\n%s", got)
	}
}
