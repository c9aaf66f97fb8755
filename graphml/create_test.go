package graphml

import (
	"strings"
	"testing"

	"wf/graph"
)

const createdHead = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="wrapper" for="graph" attr.name="wrapper" attr.type="string"/>
  <key id="label" for="node" attr.name="label" attr.type="string"/>
  <key id="name" for="node" attr.name="name" attr.type="string"/>
  <key id="status" for="node" attr.name="status" attr.type="string"/>
  <key id="x" for="node" attr.name="x" attr.type="double"/>
  <key id="y" for="node" attr.name="y" attr.type="double"/>
  <key id="edge_type" for="edge" attr.name="edge_type" attr.type="string"/>
  <key id="edge_status" for="edge" attr.name="status" attr.type="string"/>
`

func TestCreate(t *testing.T) {
	tests := []struct {
		name  string
		nodes []NewNode
		chain bool
		want  string
	}{
		{"empty", nil, true, `  <graph id="G" edgedefault="directed"></graph>
</graphml>
`},
		{"two nodes", []NewNode{{Label: "a <b\n&& c"}, {ID: "x", Name: "second", Label: "", X: "5", Y: "6.5"}}, false, `  <graph id="G" edgedefault="directed">
    <node id="n0">
      <data key="label">a &lt;b
&amp;&amp; c</data>
      <data key="x">0</data>
      <data key="y">0</data>
    </node>
    <node id="x">
      <data key="label"></data>
      <data key="name">second</data>
      <data key="x">5</data>
      <data key="y">6.5</data>
    </node>
  </graph>
</graphml>
`},
		{"chain", []NewNode{{Label: "a"}, {Label: "b"}}, true, `  <graph id="G" edgedefault="directed">
    <node id="n0">
      <data key="label">a</data>
      <data key="x">0</data>
      <data key="y">0</data>
    </node>
    <node id="n1">
      <data key="label">b</data>
      <data key="x">0</data>
      <data key="y">100</data>
    </node>
    <edge id="e0" source="n0" target="n1">
      <data key="edge_type">blocking</data>
    </edge>
  </graph>
</graphml>
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data, err := Create(tt.nodes, tt.chain)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(data); got != createdHead+tt.want {
				t.Errorf("created\n%s", got)
			}
			p := parse(t, string(data))
			for i, n := range p.g.Nodes() {
				p.apply(graph.SetNode{ID: n.ID, Attr: "status", Value: "ran"})
				if n.Label != tt.nodes[i].Label || n.NoCommand {
					t.Errorf("node %s has the command %q", n.ID, n.Label)
				}
			}
			compareGoGraphML(t, p)
		})
	}
}

func TestCreateRefuses(t *testing.T) {
	tests := []struct {
		name  string
		nodes []NewNode
		want  string
	}{
		{"control character", []NewNode{{Label: "printf '\x1b[0m'"}}, "node n0: \"printf '\\x1b[0m'\" contains a character that XML cannot represent"},
		{"no UTF-8", []NewNode{{Label: "\xFF"}}, "contains a character that XML cannot represent"},
		{"same id", []NewNode{{ID: "a"}, {ID: "a"}}, "node a: exists already"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Create(tt.nodes, true); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestAddToNewFile adds elements to a file without nodes.
func TestAddToNewFile(t *testing.T) {
	data, err := Create(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	p := parse(t, string(data))
	undo := p.apply(graph.Batch{Ops: []graph.Op{
		graph.AddNode{Node: graph.NodeSpec{ID: "a", Key: graph.NewKey, Label: "x"}},
		graph.AddEdge{Key: graph.NewKey, Source: "a", Target: "a", ID: "e1", Type: "non-blocking", Status: "to_run"},
	}})
	wantParts(t, p.rendered(), `  <graph id="G" edgedefault="directed">
    <node id="a">
      <data key="label">x</data>
    </node>
    <edge id="e1" source="a" target="a">
      <data key="edge_type">non-blocking</data>
      <data key="edge_status">to_run</data>
    </edge>
  </graph>
`)
	wantSame(t, p, p.rendered())
	p.apply(undo)
	if p.rendered() != string(data) {
		t.Error("after undo, the file differs")
	}
}
