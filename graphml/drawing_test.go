package graphml

import (
	"strings"
	"testing"

	"wf/graph"
)

// yed returns a file of yEd with these elements.
func yed(lines ...string) string {
	return `<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
  <key for="node" id="d6" yfiles.type="nodegraphics"/>
  <key attr.name="description" attr.type="string" for="node" id="d5"/>
  <key for="edge" id="d10" yfiles.type="edgegraphics"/>
  <graph edgedefault="directed" id="G">
    ` + strings.Join(lines, "\n    ") + `
  </graph>
</graphml>
`
}

func TestDrawingLabels(t *testing.T) {
	tests := []struct{ name, drawing, label string }{
		{"text", `<y:NodeLabel>make all</y:NodeLabel>`, "make all"},
		{"text before child elements", "<y:NodeLabel>make\r\n   all\r\n      <y:LabelModel><y:A/>b</y:LabelModel> c</y:NodeLabel>", "make\n   all"},
		{"leading space", `<y:NodeLabel>  make</y:NodeLabel>`, "  make"},
		{"references and CDATA", `<y:NodeLabel>a &amp;&amp; <!-- no --><![CDATA[b <c]]></y:NodeLabel>`, "a && b <c"},
		{"the first counts", `<y:NodeLabel>one</y:NodeLabel><y:NodeLabel>two</y:NodeLabel>`, "one"},
		{"none", `<y:NodeLabel hasText="false"/><y:NodeLabel>two</y:NodeLabel>`, ""},
		{"hidden", `<y:NodeLabel hasText="false">caption</y:NodeLabel>`, ""},
		{"empty", `<y:NodeLabel>  </y:NodeLabel>`, ""},
		{"entity", `<y:NodeLabel>&x;</y:NodeLabel>`, ""},
		{"yEd Live", `<x:List xmlns:x="x"><y:Label><y:Label.Text><![CDATA[make]]></y:Label.Text></y:Label></x:List>`, "make"},
		{"no label", `<y:Shape type="rectangle"/>`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := yed(`<node id="a"><desc>no command</desc><data key="d5">nor this</data><data key="d6"><y:ShapeNode>` + tt.drawing + `</y:ShapeNode></data></node>`)
			p := parse(t, file)
			a := p.g.Node("a")
			if a.Label != tt.label || a.NoCommand != (tt.label == "") || p.d.FromDrawing() != (tt.label != "") {
				t.Errorf("label %q, no command %v, from drawing %v", a.Label, a.NoCommand, p.d.FromDrawing())
			}
			undo := p.apply(graph.SetNode{ID: "a", Attr: "label", Value: "mine"})
			if p.d.FromDrawing() {
				t.Error("an edited command counts as a text of the drawing")
			}
			wantParts(t, p.rendered(), `</y:ShapeNode></data><data key="label">mine</data></node>`)
			p.apply(undo)
			if a.Label != tt.label || p.rendered() != file {
				t.Errorf("after undo, the label is %q", a.Label)
			}
		})
	}
}

func TestDrawingPlaces(t *testing.T) {
	const shape = `<data key="d6"><y:ShapeNode><y:Geometry height="30.0" width="120.0" x="10.5" y="-20"/></y:ShapeNode></data>`
	p := parse(t, strings.Replace(yed(
		`<node id="a">`+shape+`</node>`,
		`<node id="b">`+shape+`<data key="x">1</data><data key="y">2</data></node>`,
		`<node id="c"><data key="d6"><y:RectD X="469" Y="246" Width="60" Height="60"/></data></node>`),
		"  <graph ", `  <key id="x" for="node" attr.name="x"/><key id="y" for="node" attr.name="y"/><graph `, 1))
	for id, want := range map[string][2]float64{"a": {10.5, -20}, "b": {1, 2}, "c": {469, 246}} {
		if x, y, ok := p.g.Node(id).Position(); x != want[0] || y != want[1] || !ok {
			t.Errorf("node %s lies at %v %v %v, want %v", id, x, y, ok, want)
		}
	}
}

func TestDrawingEdges(t *testing.T) {
	label := func(text string) string {
		return `<edge source="a" target="a"><data key="d10"><y:PolyLineEdge><y:EdgeLabel>` + text + `<y:M/></y:EdgeLabel></y:PolyLineEdge></data></edge>`
	}
	p := parse(t, yed(`<node id="a"/>`, label("non-blocking"), label("non_blocking"), label("non-blocking edge"), label("blocking")))
	for i, want := range []graph.EdgeType{graph.NonBlocking, graph.NonBlocking, graph.Blocking, graph.Blocking} {
		if got := p.g.Edges()[i].Type; got != want {
			t.Errorf("edge %d is %v", i, got)
		}
	}
}

func TestDrawingGroups(t *testing.T) {
	const caption = `<y:Realizers active="0"><y:GroupNode><y:NodeLabel>Group</y:NodeLabel></y:GroupNode></y:Realizers>`
	p := parse(t, yed(
		`<node id="a"><data key="d6"><y:ProxyAutoBoundsNode>`+caption+`</y:ProxyAutoBoundsNode></data></node>`,
		`<node id="b" yfiles.foldertype="folder"><data key="d6"><y:ShapeNode><y:NodeLabel>Folder</y:NodeLabel></y:ShapeNode></data></node>`,
		`<node id="c"><graph><node id="d"/></graph></node>`))
	for id, caption := range map[string]string{"a": "Group", "b": "Folder", "c": ""} {
		if n := p.g.Node(id); !n.Container || n.Label != caption {
			t.Errorf("node %s: container %v, label %q", id, n.Container, n.Label)
		}
	}
	if p.d.FromDrawing() {
		t.Error("captions of groups count as commands")
	}
	p.apply(graph.SetNode{ID: "c", Attr: "label", Value: "caption"})
	wantParts(t, p.rendered(), `<node id="c" yfiles.foldertype="group">`)
	wantSame(t, p, p.rendered())
}

// TestDrawingIsMeantAsWorkflow checks FromDrawing, on which a question before the first run depends.
func TestDrawingIsMeantAsWorkflow(t *testing.T) {
	file := yed(`<node id="a"><data key="d6"><y:ShapeNode><y:NodeLabel>rm -rf x</y:NodeLabel></y:ShapeNode></data></node>`)
	p := parse(t, file)
	if !p.d.FromDrawing() {
		t.Fatal("the command is a text of the drawing")
	}
	p.d.Apply(graph.SetGraph{Attr: "wrapper", Value: "{}"})
	if p.d.FromDrawing() {
		t.Error("a wrapper does not mark a workflow")
	}
	if again := parse(t, p.rendered()); again.d.FromDrawing() {
		t.Error("the wrapper is lost")
	}
	status := strings.Replace(file, "  <graph ", `  <key id="s" for="node" attr.name="status"/><graph `, 1)
	if p := parse(t, status); p.d.FromDrawing() {
		t.Error("a status key does not mark a workflow")
	}
}

func TestDrawingsCannotBeSet(t *testing.T) {
	p := parse(t, `<graphml><key id="n" for="node" attr.name="NodeLabels"/><graph><node id="a"><data key="n"><L/></data></node></graph></graphml>`)
	if err := p.d.SetNode("a", "NodeLabels", "x"); err == nil {
		t.Error("a drawing was replaced by a text")
	}
}
