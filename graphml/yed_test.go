package graphml

import (
	"bytes"
	"strings"
	"testing"

	"wf/graph"
)

// row places nodes in a row.
func row(g *graph.Graph) []Box {
	boxes := make([]Box, len(g.Nodes()))
	for i := range boxes {
		boxes[i] = Box{X: float64(100 * i), Y: 5, Width: 80, Height: 30}
	}
	return boxes
}

// TestYed checks that a workfile with added graphics reads as the same workflow, keeps all its bytes,
// and does not change when it is exported again.
func TestYed(t *testing.T) {
	for name, text := range map[string]string{
		"plain": `<?xml version="1.0"?>
<graphml>
  <key id="d0" for="node" attr.name="label" attr.type="string"/>
  <key id="t" for="edge" attr.name="edge_type" attr.type="string"/>
  <graph edgedefault="directed">
    <node id="a"><data key="d0">echo &lt;b&gt; &amp;
two</data></node>
    <node id="b"/>
    <node id="g"><graph><node id="g::x"><data key="d0">in</data></node></graph></node>
    <edge source="a" target="b"><data key="t">non-blocking</data></edge>
    <edge source="b" target="g::x"/>
  </graph>
</graphml>
`,
		"prefix": `<g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns" xmlns:y="urn:other"><g:graph><g:node id="a"/></g:graph></g:graphml>`,
	} {
		t.Run(name, func(t *testing.T) {
			d, g, _, err := Parse([]byte(text), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			pieces, err := d.Yed(row)
			if err != nil {
				t.Fatal(err)
			}
			drawn := bytes.Join(pieces, nil)
			if !bytes.Contains(drawn, []byte(`="http://graphml.graphdrawing.org/xmlns"`)) {
				t.Error("the namespace of GraphML is missing, without which networkx reads nothing")
			}
			again, h, _, err := Parse(drawn, Limits{})
			if err != nil {
				t.Fatalf("%v\n%s", err, drawn)
			}
			sameWorkflow(t, g, h)
			if again.FromDrawing() && !d.FromDrawing() {
				t.Error("its commands still come from the drawing")
			}
			for i, box := range row(h) {
				if x, y, ok := h.Nodes()[i].Position(); !ok || x != box.X || y != box.Y {
					t.Errorf("node %s is at %v, %v", h.Nodes()[i].ID, x, y)
				}
			}
			twice, err := again.Yed(row)
			if err != nil || !bytes.Equal(bytes.Join(twice, nil), drawn) {
				t.Errorf("exported again (%v):\n%s", err, bytes.Join(twice, nil))
			}
			if name == "plain" {
				wantParts(t, string(drawn), `<y:LineStyle color="#666677" type="dashed" width="1.0"/>`, `>echo &lt;b&gt; &amp;
two</y:NodeLabel>`, `<node id="g" yfiles.foldertype="group">`, `<data key="uid">a</data>`, ` yfiles.type="nodegraphics"/>`)
			} else {
				wantParts(t, string(drawn), `xmlns:y2="http://www.yworks.com/xml/graphml"`, `<g:data key="nodegraphics"><y2:ShapeNode>`)
			}
		})
	}
}

func sameWorkflow(t *testing.T, want, got *graph.Graph) {
	t.Helper()
	if len(got.Nodes()) != len(want.Nodes()) || len(got.Edges()) != len(want.Edges()) {
		t.Fatalf("%d nodes, %d edges", len(got.Nodes()), len(got.Edges()))
	}
	for i, n := range want.Nodes() {
		m := got.Nodes()[i]
		if m.ID != n.ID || m.Label != n.Label || m.NoCommand != n.NoCommand || m.Container != n.Container || m.Extra["uid"] != n.ID {
			t.Errorf("node %s reads as %+v", n.ID, m)
		}
	}
	for i, e := range want.Edges() {
		if f := got.Edges()[i]; f.Source.ID != e.Source.ID || f.Target.ID != e.Target.ID || f.Type != e.Type {
			t.Errorf("edge %s -> %s reads as %+v", e.Source.ID, e.Target.ID, f)
		}
	}
}

func TestYedSize(t *testing.T) {
	_, one := YedSize("x")
	wide, three := YedSize(strings.Repeat("x", 100) + "\ny\nz")
	if one != 30 || three <= one || wide < 700 {
		t.Errorf("sizes %v %v %v", one, three, wide)
	}
}
