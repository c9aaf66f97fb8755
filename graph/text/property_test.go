package text_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/graph"
	"wf/graph/attribute"
	"wf/graph/difference"
	"wf/graph/text"
)

// evil are texts that YAML could take for something else, or change.
var evil = []string{"", " ", "yes", "on", "010", "1:30", "0x1f", "1e3", "~", "null", "a: b", "a #b", "- a", "|", "it's", `"`, `\`, "a\nb", "a\n\nb\n",
	"\ta", " a\nb", "\n a", "a\n  \nb", "a\tb\n\tc", "a\rb", "\u0085", "\u2028a", "\ufeff", "é∀😀", "# a", "a:", "%a", "@a", "`a`", "---", "...", "--- a", "[a]",
	"{a}", "a, b", "? a", "<<", "=", "!a", "&a", "*a", "2026-01-31T18:00:00Z", "\x01", "a\n\n\n", "x  ", "  x", "\n", "-1", "+1", ".5", "1_000", "=a"}

// anyText draws a text.
func anyText(t *rapid.T, label string) string {
	return rapid.OneOf(rapid.SampledFrom(evil), rapid.StringMatching("[a-c \n\t:#'\"\\[{|>*&!%@-]{1,12}"),
		rapid.StringMatching("[a-z]{1,6}( [a-z0-9./-]{1,5}){0,3}")).Draw(t, label)
}

// anyValue draws a value of an attribute.
func anyValue(t *rapid.T, a *attribute.Attribute) string {
	switch {
	case a.Kind == attribute.JSON || a.Name == "foreach":
		return rapid.SampledFrom([]string{`{"a": 1}`, `["a", "yes", "010"]`, `{"b": {"c": [1.0, true, null, "true", "x\ny"]}, "a": []}`, `[[1, {"k": "v: w"}], "\u2028"]`,
			"{", `{"a": 1, "a": 2}`, "lines:ls", "${{ params.x }}", `"text"`, "17", `{}`, `[]`}).Draw(t, a.Name)
	case a.Name == "env":
		return rapid.SampledFrom([]string{"A=1", "A=1\nB=x: y #z\nC=", "A=1\n", "A", "A=1\nA=2", "A=\tx", "a b=c", "A= x \nB='", "YES=yes\nON=on"}).Draw(t, a.Name)
	case a.Name == "on" || a.Name == "notify":
		return rapid.SampledFrom([]string{"cron: 0 2 * * *", "cron: 1\nfile: in/*.csv", "cron: 1\ncron: 2", "a -> mail: b", "x\n\ny", "x\ny", " x\ny", "cron: 1\nnow"}).Draw(t, a.Name)
	}
	return anyText(t, a.Name)
}

// anyAttrs draws attributes of one of the elements, and sometimes one of another program.
func anyAttrs(t *rapid.T, on attribute.Element) map[string]string {
	attrs := map[string]string{}
	var names []*attribute.Attribute
	for a := range attribute.On(on) {
		if a.Settable() && a.Name != "label" && a.Name != "name" && a.Name != "edge_type" && a.Name != "x" && a.Name != "y" {
			names = append(names, a)
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "attributes") {
		a := rapid.SampledFrom(names).Draw(t, "attribute")
		attrs[a.Name] = anyValue(t, a)
	}
	if rapid.IntRange(0, 4).Draw(t, "foreign") == 0 {
		attrs["color"] = anyText(t, "color")
	}
	return attrs
}

// anyGraph draws a workflow, as files may contain it: with names that repeat or are missing, and edges of all kinds.
func anyGraph(t *rapid.T) *graph.Graph {
	var nodes []graph.NodeSpec
	var containers []int
	count := rapid.IntRange(0, 8).Draw(t, "nodes")
	for i := range count {
		n := graph.NodeSpec{ID: "i" + string(rune('a'+i)), Key: graph.NewKey, Parent: -1}
		if len(containers) > 0 && rapid.Bool().Draw(t, "inside") {
			n.Parent = rapid.SampledFrom(containers).Draw(t, "parent")
		}
		n.Name = rapid.OneOf(rapid.SampledFrom([]string{"", "a", "b", "c", "a/b", "/a", "ia", "node", "on", "yes", "010", "a+", "s:a", "a,b"}),
			rapid.Map(rapid.SampledFrom(evil), strings.TrimSpace)).Draw(t, "name")
		n.Name = strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return -1
			}
			return r
		}, n.Name)
		if n.Name = strings.TrimSpace(n.Name); rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
			n.Container = true
			containers = append(containers, i)
			n.Extra = anyAttrs(t, attribute.SubFlow)
		} else {
			n.HasLabel = rapid.IntRange(0, 5).Draw(t, "command") > 0
			if n.HasLabel {
				n.Label = anyText(t, "label")
			}
			n.Extra = anyAttrs(t, attribute.Command)
		}
		if group, has := n.Extra["group"]; has {
			n.Group = group
			delete(n.Extra, "group")
		}
		n.X, n.Y = "1", "2"
		nodes = append(nodes, n)
	}
	var edges []graph.EdgeSpec
	for range rapid.IntRange(0, 2*count).Draw(t, "edges") {
		e := graph.EdgeSpec{Key: graph.NewKey, Source: rapid.IntRange(0, count-1).Draw(t, "source"), Target: rapid.IntRange(0, count-1).Draw(t, "target"),
			Type: rapid.SampledFrom([]string{"", "blocking", "non-blocking"}).Draw(t, "type")}
		e.Extra = map[string]string{"when": rapid.SampledFrom([]string{"", "", "success", "failure", "if:a == \"b: c\"", "else", "exit:2"}).Draw(t, "when"), "weight": "3"}
		edges = append(edges, e)
	}
	g, err := graph.Build(nodes, edges, anyAttrs(t, attribute.Graph))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestTextKeepsTheMeaning checks with random workflows that their text, laid over them, changes nothing, and that the text of
// the graph of the text is the same text.
func TestTextKeepsTheMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		data, err := text.Write(g)
		if err != nil {
			t.Fatal(err)
		}
		wf, err := text.Read(data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		over, err := wf.Over(g, func(n *text.Node) string { t.Errorf("%s is new:\n%s", n.Key, data); return graph.NewID() })
		if err != nil {
			t.Fatal(err)
		}
		if edit, _ := difference.Of(g, over.Graph).Edit(); len(edit.Ops) > 0 {
			t.Fatalf("%T %+v\n%s", edit.Ops[0], edit.Ops, data)
		}
		again, err := text.Write(wf.Graph())
		if err != nil {
			t.Fatal(err)
		}
		if string(withoutComments(again)) != string(withoutComments(data)) {
			t.Fatalf("the text\n%s\nbecame\n%s", data, again)
		}
	})
}

// FuzzRead checks that every text either has mistakes, at lines and columns that exist, or a canonical text that is a fixed
// point.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, seed := range []string{"nodes: {}", "nodes:\n  a: &x echo\n  b: *x\n", "nodes:\n  a: {run: b, needs: [c, {d: else}]}", "a: [", "nodes: {? a : b}", "nodes:\n\ta: b"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		wf, err := text.Read(data)
		if err != nil {
			mistakes := err.(text.Mistakes)
			lines := 1 + strings.Count(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(string(data)), "\n")
			for _, m := range mistakes {
				if m.Line < 1 || m.Line > lines+1 || m.Column < 1 || m.Message == "" {
					t.Errorf("%d lines, and %+v", lines, m)
				}
			}
			return
		}
		first, err := text.Write(wf.Graph())
		if err != nil {
			return // nested too deep
		}
		again, err := text.Read(first)
		if err != nil {
			t.Fatalf("%v\n%q\n%s", err, data, first)
		}
		if second := write(t, again.Graph()); string(second) != string(first) {
			t.Fatalf("%q\n%s\nbecame\n%s", data, first, second)
		}
	})
}
