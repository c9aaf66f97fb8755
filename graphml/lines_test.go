package graphml

import (
	"testing"

	"wf/graph"
)

// TestLinesMoveWithEdits checks that lines are those of the file as it would be saved, with edits.
func TestLinesMoveWithEdits(t *testing.T) {
	p := parse(t, body(`<node id="a"/>`, `<node id="b">`, `  <data key="d0">x</data>`, `</node>`, `<node id="c"/>`, `<edge source="a" target="c"/>`))
	check := func() {
		t.Helper()
		again := parse(t, p.rendered())
		for _, n := range p.g.Nodes() {
			if got, want := p.d.NodeLine(n.ID), again.d.NodeLine(n.ID); got != want && got != 0 {
				t.Errorf("node %s is in line %d, not %d", n.ID, want, got)
			}
		}
		if got, want := p.d.EdgeLine(0), again.d.EdgeLine(0); got != want {
			t.Errorf("the edge is in line %d, not %d", want, got)
		}
	}
	check()
	undo := p.apply(graph.SetNode{ID: "a", Attr: "note", Value: "two\nlines"})
	check()
	p.apply(graph.AddNode{Node: graph.NodeSpec{ID: "new", Key: graph.NewKey, Label: "x"}})
	check()
	p.apply(graph.RemoveNode{ID: "b"})
	check()
	p.apply(undo)
	check()
}
