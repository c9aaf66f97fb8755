package graphml

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"wf/graph"
)

// TestAddInside adds a node into containers of all kinds.
func TestAddInside(t *testing.T) {
	const added = `<node id="new"><data key="d0">x</data></node>`
	tests := []struct{ name, container, want string }{
		{"with nodes", "<node id=\"c\"><data key=\"d0\">cap</data>\n      <graph id=\"c:\" edgedefault=\"directed\">\n        <node id=\"d\"/>\n        <edge source=\"d\" target=\"d\"/>\n      </graph>\n    </node>",
			"\n        <node id=\"d\"/>\n        " + added},
		{"without nodes", "<node id=\"c\"><data key=\"d0\">cap</data><graph id=\"c:\" edgedefault=\"directed\"></graph></node>",
			`<graph id="c:" edgedefault="directed">` + added + `</graph></node>`},
		{"with an empty tag", "<node id=\"c\"><data key=\"d0\">cap</data><graph id=\"c:\" edgedefault=\"directed\" /></node>",
			`<graph id="c:" edgedefault="directed">` + added + `</graph></node>`},
		{"without a graph", `<node id="c" yfiles.foldertype="group"><data key="d0">cap</data></node>`,
			`<data key="d0">cap</data><graph id="c:" edgedefault="directed">` + added + `</graph></node>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := body(tt.container)
			p := parse(t, file)
			undo := p.apply(graph.AddNode{Node: graph.NodeSpec{ID: "new", Key: graph.NewKey, Label: "x"}, Parent: "c"})
			out := p.rendered()
			wantParts(t, out, tt.want)
			wantSame(t, p, out)
			p.apply(undo)
			if p.rendered() != file {
				t.Errorf("after undo, the file is\n%s", p.rendered())
			}
		})
	}
}

// TestValuesAndChildrenInEmptyElement inserts values and children into one empty element at once.
func TestValuesAndChildrenInEmptyElement(t *testing.T) {
	file := body(`<node id="c" yfiles.foldertype="group"/>`)
	p := parse(t, file)
	undo := p.apply(graph.Batch{Ops: []graph.Op{
		graph.SetNode{ID: "c", Attr: "label", Value: "caption"},
		graph.AddNode{Node: graph.NodeSpec{ID: "d", Key: graph.NewKey, Container: true}, Parent: "c"},
		graph.AddNode{Node: graph.NodeSpec{ID: "e", Key: graph.NewKey, Label: "x"}, Parent: "d"},
	}})
	wantParts(t, p.rendered(), `
    <node id="c" yfiles.foldertype="group">
      <data key="d0">caption</data>
      <graph id="c:" edgedefault="directed">
        <node id="d" yfiles.foldertype="group">
          <graph id="d:" edgedefault="directed">
            <node id="e">
              <data key="d0">x</data>
            </node>
          </graph>
        </node>
      </graph>
    </node>
`)
	wantSame(t, p, p.rendered())
	p.apply(undo)
	if p.rendered() != file {
		t.Errorf("after undo, the file is\n%s", p.rendered())
	}
}

// TestRemovedContainerRemovesNodes removes a container whose nodes were edited, added and removed.
func TestRemovedContainerRemovesNodes(t *testing.T) {
	file := body(`<node id="a"/>`, "<node id=\"c\">\n      <graph edgedefault=\"directed\">\n        <node id=\"d\"/>\n      </graph>\n    </node>", `<node id="b"/>`)
	p := parse(t, file)
	var undos []graph.Op
	for _, op := range []graph.Op{
		graph.SetNode{ID: "d", Attr: "label", Value: "x"},
		graph.AddNode{Node: graph.NodeSpec{ID: "e", Key: graph.NewKey}, Parent: "c"},
		graph.AddNode{Node: graph.NodeSpec{ID: "f", Key: graph.NewKey}},
		graph.RemoveNode{ID: "e"}, graph.RemoveNode{ID: "d"}, graph.RemoveNode{ID: "c"},
	} {
		undos = append(undos, p.apply(op))
	}
	if out := p.rendered(); out != body(`<node id="a"/>`, `<node id="b"/>`, `<node id="f"/>`) {
		t.Errorf("the file is\n%s", out)
	}
	for i := len(undos) - 1; i >= 0; i-- {
		p.apply(undos[i])
	}
	if p.rendered() != file {
		t.Errorf("after undo, the file is\n%s", p.rendered())
	}
}

// TestControlCharactersBecomeVisible saves a file in which another program wrote raw output.
func TestControlCharactersBecomeVisible(t *testing.T) {
	tests := []struct{ name, declared, value, want string }{
		{"UTF-8", "UTF-8", "a\x1b&lt;\r\n\x00b", "a␛&lt;\r\n␀b"},
		{"CDATA", "UTF-8", "<![CDATA[<\x1b>]]>", "&lt;␛&gt;"},
		{"ISO-8859-1", "ISO-8859-1", "\xE9\x1b", "\xE9&#9243;"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := `<?xml version="1.0" encoding="` + tt.declared + `"?><graphml><key id="o" for="node" attr.name="stdout"/><key id="w" for="graph" attr.name="wrapper"/>` +
				`<graph><node id="a"><data key="o">` + tt.value + `</data></node></graph></graphml>`
			p := parse(t, file)
			p.d.Apply(graph.SetGraph{Attr: "wrapper", Value: "x"})
			wantParts(t, p.rendered(), `<data key="o">`+tt.want+`</data>`)
			p.d.Apply(graph.SetGraph{Attr: "wrapper", Remove: true})
			if p.rendered() != file {
				t.Error("the value changes without another change")
			}
		})
	}
}

func TestGraphDefaults(t *testing.T) {
	const file = `<graphml><key id="w" for="graph" attr.name="wrapper"><default>sh -c {}</default></key>
<key id="p" for="graph" attr.name="drawing"><default><x/></default></key><graph></graph></graphml>`
	p := parse(t, file)
	wrapper, _ := p.g.Attr("wrapper")
	if _, has := p.g.Attr("drawing"); wrapper != "sh -c {}" || has {
		t.Errorf("wrapper %q, drawing %v", wrapper, has)
	}
	undo := p.apply(graph.SetGraph{Attr: "wrapper", Value: "bash -c {}"})
	wantParts(t, p.rendered(), `<graph><data key="w">bash -c {}</data></graph>`)
	p.apply(undo)
	if p.rendered() != file {
		t.Errorf("after undo, the file is\n%s", p.rendered())
	}
}

func TestUnsetEdge(t *testing.T) {
	file := body(`<node id="a"/>`, `<edge source="a" target="a"><data key="d2">blocking</data></edge>`)
	p := parse(t, file)
	if err := p.d.Apply(graph.SetEdge{Key: 0, Attr: "edge_type", Remove: true}); err != nil {
		t.Fatal(err)
	}
	wantParts(t, p.rendered(), `<edge source="a" target="a"></edge>`)
	if err := p.d.SetEdge(0, "edge_type", "blocking"); err != nil || p.rendered() != file {
		t.Errorf("error %v, file\n%s", err, p.rendered())
	}
}

// A brokenWriter fails after some calls.
type brokenWriter struct {
	calls int
	out   bytes.Buffer
}

var errBroken = errors.New("disk full")

func (w *brokenWriter) Write(b []byte) (int, error) {
	if w.calls--; w.calls < 0 {
		return 0, errBroken
	}
	return w.out.Write(b)
}

func TestSmallPiecesAreJoined(t *testing.T) {
	small, big := []byte("small"), []byte(strings.Repeat("big", 100_000))
	pieces := Pieces{small, small, big, small, big, small}
	w := &brokenWriter{calls: 5}
	if n, err := pieces.WriteTo(w); err != nil || n != pieces.Size() || w.calls != 0 || w.out.String() != string(bytes.Join(pieces, nil)) {
		t.Errorf("wrote %d of %d bytes, error %v, %d calls too few", n, pieces.Size(), err, w.calls)
	}
	for calls := range 5 {
		w := &brokenWriter{calls: calls}
		if n, err := pieces.WriteTo(w); !errors.Is(err, errBroken) || n != int64(w.out.Len()) {
			t.Errorf("after %d calls: %d bytes, error %v", calls, n, err)
		}
	}
	if n, err := (Pieces{}).WriteTo(io.Discard); n != 0 || err != nil {
		t.Errorf("nothing: %d bytes, error %v", n, err)
	}
}

// TestSubFlowWithLabel reads nodes with a nested graph and a label from an editor.
func TestSubFlowWithLabel(t *testing.T) {
	const key = `<key id="f" for="node" attr.name="foreach" attr.type="string"/>`
	const inner = `<graph id="c:" edgedefault="directed"><node id="d"/></graph>`
	for _, tt := range []struct {
		name, key, values string
		container         bool
	}{
		{"no label", key, ``, true},
		{"only a label", key, `<data key="d0">x</data>`, false},
		{"a label and foreach", key, `<data key="d0">x</data><data key="f">[1]</data>`, true},
		{"a label and a blank foreach", key, `<data key="d0">x</data><data key="f"> </data>`, false},
		{"foreach is a default", strings.Replace(key, "/>", "><default>[1]</default></key>", 1), `<data key="d0">x</data>`, true},
		{"blank where it is a default", strings.Replace(key, "/>", "><default>[1]</default></key>", 1), `<data key="d0">x</data><data key="f"/>`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := strings.Replace(body(`<node id="c">`+tt.values+inner+`</node>`), "  <graph ", "  "+tt.key+"<graph ", 1)
			p := parse(t, file)
			if c := p.g.Node("c"); c.Container != tt.container {
				t.Errorf("container %v, want %v", c.Container, tt.container)
			}
			if p.rendered() != file {
				t.Error("nothing was changed, but the file differs")
			}
		})
	}
}

// TestSubFlowStaysContainer removes the attribute that made a node with a label a container.
func TestSubFlowStaysContainer(t *testing.T) {
	file := strings.Replace(body(`<node id="c"><data key="d0">x</data><data key="f">[1]</data><graph id="c:" edgedefault="directed"><node id="d"/></graph></node>`),
		"  <graph ", `  <key id="f" for="node" attr.name="foreach" attr.type="string"/><graph `, 1)
	p := parse(t, file)
	undo := p.apply(graph.SetNode{ID: "c", Attr: "foreach", Remove: true})
	out := p.rendered()
	wantParts(t, out, `<node id="c" yfiles.foldertype="group">`)
	wantSame(t, p, out)
	p.apply(undo)
	if p.rendered() != file {
		t.Errorf("after undo, the file is\n%s", p.rendered())
	}
}
