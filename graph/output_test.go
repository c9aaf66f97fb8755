package graph

import "testing"

func TestOutput(t *testing.T) {
	for text, want := range map[string]Output{"": OutputUnsaid, " split\n": OutputSplit, "merged": OutputMerged, "Split": OutputUnsaid, "merge": OutputUnsaid, "bam": OutputUnsaid} {
		g, err := Build([]NodeSpec{{ID: "a", Parent: -1, Extra: map[string]string{"output": text}, Label: "true"}, {ID: "b", Parent: -1, Label: "true"}}, nil, map[string]string{"output": text})
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Node("a").Output(); got != want {
			t.Errorf("node with %q: %v", text, got)
		}
		if got := g.Output(); got != want {
			t.Errorf("graph with %q: %v", text, got)
		}
		if got := g.Node("b").Output(); got != OutputUnsaid {
			t.Errorf("a node without the attribute: %v", got)
		}
		var said []string
		for _, p := range Check(g) {
			if p.Code == CodeOutput && p.Severity == Warning && p.Attr == "output" {
				said = append(said, p.Message)
			}
		}
		wrong := text == "Split" || text == "merge" // and "bam" is another program's
		if wrong != (len(said) == 2) || !wrong && len(said) > 0 {
			t.Errorf("%q: problems %q", text, said)
		}
	}
}
