package graphml

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"wf/graph"
)

// savedByYed simulates a save by yEd, as known from files that it has written: its own header with
// keys of other ids and in another order, nodes and edges renumbered (a node in a group is n2::n0),
// values in CDATA, empty values for missing attributes, other formatting. yEd keeps custom attributes
// by name, and the drawing.
func savedByYed(t *testing.T, text []byte) []byte {
	t.Helper()
	y := &yedSave{t: t, keys: map[string]string{}, ids: map[string]string{}, counts: map[string]int{}}
	keys := regexp.MustCompile(`(?m)^\s*<key ([^>]*)/>\n`)
	for i, m := range keys.FindAllSubmatch(text, -1) {
		id := regexp.MustCompile(`id="([^"]*)" `).FindSubmatch(m[1])
		y.keys[string(id[1])] = fmt.Sprintf("d%d", i+3)
		rest := bytes.Replace(m[1], id[0], nil, 1)
		fmt.Fprintf(&y.head, "  <key %s id=\"d%d\"/>\n", rest, i+3)
		if name := regexp.MustCompile(`for="node" attr.name="(\w+)"`).FindSubmatch(rest); name != nil {
			y.nodeKeys = append(y.nodeKeys, fmt.Sprintf("d%d", i+3))
		}
	}
	start := bytes.Index(text, []byte("<graph "))
	y.copy(xml.NewDecoder(bytes.NewReader(text[start:])))
	return []byte(`<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:java="http://www.yworks.com/xml/yfiles-common/1.0/java" xmlns:y="http://www.yworks.com/xml/graphml" xmlns:yed="http://www.yworks.com/xml/yed/3">
  <!--Created by yEd 3.25.1-->
  <key for="port" id="d0" yfiles.type="portgraphics"/>
  <key for="port" id="d1" yfiles.type="portgeometry"/>
  <key for="graphml" id="d2" yfiles.type="resources"/>
` + y.head.String() + y.body.String() + `
  <data key="d2"><y:Resources/></data>
</graphml>
`)
}

type yedSave struct {
	t          *testing.T
	head, body strings.Builder
	keys, ids  map[string]string // old to new
	nodeKeys   []string
	counts     map[string]int    // by the id of the group, "" outside; edges under "e"
	groups     []string          // new ids of the nodes that are open
	given      []map[string]bool // keys of those nodes; nil after the missing ones are written
}

// copy writes the graph. In files of wf, edges come after their nodes.
func (y *yedSave) copy(dec *xml.Decoder) {
	for {
		token, err := dec.RawToken()
		if err == io.EOF {
			return
		}
		if err != nil {
			y.t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			y.start(token)
		case xml.EndElement:
			if token.Name.Local == "graphml" {
				return
			}
			if token.Name.Local == "node" {
				y.lacking()
				y.groups, y.given = y.groups[:len(y.groups)-1], y.given[:len(y.given)-1]
			}
			fmt.Fprintf(&y.body, "</%s>", name(token.Name))
		case xml.CharData:
			if text := string(token); strings.TrimSpace(text) != "" {
				fmt.Fprintf(&y.body, "<![CDATA[%s]]>", text)
			}
		}
	}
}

func (y *yedSave) start(e xml.StartElement) {
	attr := map[string]*string{}
	for i := range e.Attr {
		attr[name(e.Attr[i].Name)] = &e.Attr[i].Value
	}
	switch e.Name.Local {
	case "node":
		group := ""
		if len(y.groups) > 0 {
			group = y.groups[len(y.groups)-1] + "::"
		}
		id := fmt.Sprintf("%sn%d", group, y.counts[group])
		y.counts[group]++
		y.ids[*attr["id"]] = id
		*attr["id"] = id
		y.groups, y.given = append(y.groups, id), append(y.given, map[string]bool{})
	case "graph":
		y.lacking()
	case "edge":
		*attr["source"], *attr["target"] = y.ids[*attr["source"]], y.ids[*attr["target"]]
		e.Attr = append([]xml.Attr{{Name: xml.Name{Local: "id"}, Value: fmt.Sprintf("e%d", y.counts["e"])}}, e.Attr...)
		y.counts["e"]++
	case "data":
		*attr["key"] = y.keys[*attr["key"]]
		if last := len(y.given) - 1; last >= 0 && y.given[last] != nil {
			y.given[last][*attr["key"]] = true
		}
	}
	fmt.Fprintf(&y.body, "\n<%s", name(e.Name))
	for _, a := range e.Attr {
		fmt.Fprintf(&y.body, " %s=%q", name(a.Name), a.Value)
	}
	y.body.WriteString(">")
}

// lacking writes an empty value for each attribute that the innermost open node does not have.
func (y *yedSave) lacking() {
	last := len(y.given) - 1
	if last < 0 || y.given[last] == nil {
		return
	}
	for _, key := range y.nodeKeys {
		if !y.given[last][key] {
			fmt.Fprintf(&y.body, `<data key="%s"/>`, key)
		}
	}
	y.given[last] = nil
}

func name(n xml.Name) string {
	if n.Space != "" {
		return n.Space + ":" + n.Local
	}
	return n.Local
}

// TestSavedByYed checks that an export for yEd is the same workflow after a save by yEd: commands,
// names, statuses, types of edges, wrapper. Nodes have new ids, and their old ids as uid.
func TestSavedByYed(t *testing.T) {
	text := `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="w" for="graph" attr.name="wrapper" attr.type="string"/>
  <key id="l" for="node" attr.name="label" attr.type="string"/>
  <key id="n" for="node" attr.name="name" attr.type="string"/>
  <key id="s" for="node" attr.name="status" attr.type="string"/>
  <key id="t" for="edge" attr.name="edge_type" attr.type="string"/>
  <graph edgedefault="directed">
    <data key="w">nice sh -c '{}'</data>
    <node id="864cd165-0001"><data key="l">sort &lt; x | uniq "y" &amp;&amp; true
echo two  </data><data key="n">fetch</data><data key="s">ran</data></node>
    <node id="864cd165-0002"><data key="l">false</data><data key="s">fail</data></node>
    <node id="group"><graph id="inner" edgedefault="directed">
      <node id="864cd165-0003"><data key="l">echo in</data></node>
    </graph></node>
    <edge source="864cd165-0001" target="864cd165-0002"><data key="t">blocking</data></edge>
    <edge source="864cd165-0002" target="864cd165-0003"/>
    <edge source="864cd165-0003" target="864cd165-0001"><data key="t">non-blocking</data></edge>
  </graph>
</graphml>
`
	d, before, _, err := Parse([]byte(text), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := d.Yed(row)
	if err != nil {
		t.Fatal(err)
	}
	saved := savedByYed(t, bytes.Join(pieces, nil))
	again, after, problems, err := Parse(saved, Limits{})
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v %v\n%s", err, problems, saved)
	}
	sameButIDs(t, before, after)
	if again.FromDrawing() {
		t.Error("its commands still come from the drawing")
	}
	if once := bytes.Join(must(again.Yed(row))(t), nil); !bytes.Equal(once, saved) {
		t.Errorf("the drawing of yEd does not stay as it is:\n%s", once)
	}
}

func must(pieces Pieces, err error) func(*testing.T) Pieces {
	return func(t *testing.T) Pieces {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return pieces
	}
}

// sameButIDs compares two graphs whose nodes are in the same order.
func sameButIDs(t *testing.T, want, got *graph.Graph) {
	t.Helper()
	if len(got.Nodes()) != len(want.Nodes()) || len(got.Edges()) != len(want.Edges()) {
		t.Fatalf("%d nodes, %d edges", len(got.Nodes()), len(got.Edges()))
	}
	wrapper, _ := want.Attr("wrapper")
	if after, ok := got.Attr("wrapper"); !ok || after != wrapper {
		t.Errorf("the wrapper is %q", after)
	}
	for i, n := range want.Nodes() {
		m := got.Nodes()[i]
		if m.ID == n.ID || m.Extra["uid"] != n.ID {
			t.Errorf("node %s has the id %s and the uid %q", n.ID, m.ID, m.Extra["uid"])
		}
		if m.Label != n.Label || m.Name != n.Name || m.Status != n.Status || m.Container != n.Container || m.NoCommand != n.NoCommand ||
			(m.Parent == nil) != (n.Parent == nil) {
			t.Errorf("node %s reads as %+v", n.ID, m)
		}
	}
	for i, e := range want.Edges() {
		f := got.Edges()[i]
		if f.Source.Extra["uid"] != e.Source.ID || f.Target.Extra["uid"] != e.Target.ID || f.Type != e.Type {
			t.Errorf("edge %s -> %s reads as %s -> %s, %v", e.Source.ID, e.Target.ID, f.Source.ID, f.Target.ID, f.Type)
		}
	}
}
