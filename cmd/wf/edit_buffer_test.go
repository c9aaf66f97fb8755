package main

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/api"
)

// TestBufferAgain: commands that are written into a buffer and read again are the same, whatever
// they are, except for white space at their ends; and then there is nothing to edit.
func TestBufferAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var nodes []api.NodeStatus
		for i := range rapid.IntRange(1, 5).Draw(t, "nodes") {
			nodes = append(nodes, api.NodeStatus{ID: string(rune('a' + i)), Name: string(rune('a' + i)),
				Command: rapid.StringMatching(`([%# a]{0,4}\n){0,3}%?%?%?%? ?[ab#]`).Draw(t, "command")})
		}
		b := newBuffer(nodes, rapid.Bool().Draw(t, "bare") && len(nodes) == 1)
		wanted, err := b.parse(b.text(b.commands()))
		if err != nil {
			t.Fatal(err)
		}
		if edits, _ := b.edits(wanted); len(edits) > 0 {
			t.Fatalf("%d edits of\n%s", len(edits), b.text(b.commands()))
		}
	})
}

func TestBufferErrors(t *testing.T) {
	b := newBuffer([]api.NodeStatus{{ID: "1", Name: "a", Command: "x"}, {ID: "2", Name: "b", Command: "y"}}, false)
	for text, want := range map[string]string{
		"":                      "the text is empty",
		"# only this\n":         "all headings are gone",
		"x\n%% a\n":             "line 1 of the text: text before the first heading",
		"%% a\nx\n%% c\ny\n":    `line 3 of the text: "%% c" is the heading of no node here`,
		"%% a\nx\n\n%% a\ny\n":  "line 4 of the text: the heading of a stands there twice",
		"# c\n\n%% b\nz\r\nw\n": "",
	} {
		wanted, err := b.parse(text)
		if want == "" {
			edits, names := b.edits(wanted)
			if err != nil || len(edits) != 1 || names[0] != "b" || edits[0].Value != "z\nw" || *edits[0].Was != "y" {
				t.Errorf("%q: %v, %+v", text, err, edits)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestTreeOnce: every node stands in the tree once, also in cycles of any kind.
func TestTreeOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &api.Graph{}
		count := rapid.IntRange(1, 12).Draw(t, "nodes")
		for i := range count {
			name := "node" + string(rune('A'+i))
			g.Nodes = append(g.Nodes, api.GraphNode{ID: name, Name: name})
		}
		for range rapid.IntRange(0, 3*count).Draw(t, "edges") {
			g.Edges = append(g.Edges, api.GraphEdge{Source: g.Nodes[rapid.IntRange(0, count-1).Draw(t, "from")].ID,
				Target: g.Nodes[rapid.IntRange(0, count-1).Draw(t, "to")].ID,
				Type:   rapid.SampledFrom([]string{"blocking", "non-blocking"}).Draw(t, "type")})
		}
		var out strings.Builder
		if err := printTree(&env{stdout: &out, ascii: true}, g); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(out.String(), "\n"); lines != count {
			t.Fatalf("%d lines for %d nodes:\n%s", lines, count, out.String())
		}
		for _, n := range g.Nodes {
			if strings.Count(out.String(), ". "+n.Name) != 1 {
				t.Fatalf("%s does not stand there once:\n%s", n.Name, out.String())
			}
		}
	})
}
