package graphml

import (
	"strings"
	"testing"
)

// TestUnreadValueWarnings checks the warnings for values that are meant for wf but not read.
func TestUnreadValueWarnings(t *testing.T) {
	for name, c := range map[string]struct {
		keys, node, edge, graph string
		want                    string // of the only warning; "" = none
		severe                  bool
	}{
		"for the wrong element": {keys: `<key id="w" for="node" attr.name="when" attr.type="string"/>`, edge: `<data key="w">failure</data>`,
			want: `edge a -> b: when is not read: its key "w" is declared for nodes; write for="edge"`, severe: true},
		"for no element that there is": {keys: `<key id="w" for="edges" attr.name="when" attr.type="string"/>`, edge: `<data key="w">failure</data>`,
			want: `edge a -> b: when is not read: its key "w" is declared for other elements; write for="edge"`, severe: true},
		"not declared": {edge: `<data key="when">failure</data>`,
			want: `edge a -> b: when is not read: no key is declared for it; write <key id="when" for="edge" attr.name="when" attr.type="string"/>`, severe: true},
		"no name": {keys: `<key id="retries" for="node"/>`, node: `<data key="retries">3</data>`,
			want: `node a: retries is not read: its key has no attr.name; write attr.name="retries"`, severe: true},
		"only shapes": {keys: `<key id="e" for="graph" attr.name="env" attr.type="string"/>`, node: `<data key="e">A=1</data>`,
			want: `node a: env is not read: its key "e" is declared for graphs; write for="node"`},
		"of the graph": {keys: `<key id="p" for="node" attr.name="params" attr.type="string"/>`, graph: `<data key="p">{}</data>`,
			want: `graph: params is not read: its key "p" is declared for nodes; write for="graph"`, severe: true},
		"elements": {keys: `<key id="a" for="node" attr.name="approve" attr.type="string"/>`, node: `<data key="a"><b>sure?</b></data>`,
			want: `node a: approve is not read: it contains elements; write text`, severe: true},
		"on a nested graph": {keys: `<key id="f" for="all" attr.name="foreach" attr.type="string"/>`, node: `<graph edgedefault="directed"><data key="f">[1]</data><node id="c"/></graph>`,
			want: `foreach is not read on a nested graph; write it on the node that contains the graph`, severe: true},
		"of the whole workfile on a nested graph": {keys: `<key id="f" for="graph" attr.name="jobs" attr.type="string"/>`, node: `<graph edgedefault="directed"><data key="f">3</data><node id="c"/></graph>`,
			want: `jobs is not read on a nested graph; write it on the outermost graph`},
		"twice": {keys: `<key id="r" for="node" attr.name="retries" attr.type="string"/>`, node: `<data key="r">3</data><data key="r">4</data>`,
			want: `node a has several values for retries; the last one counts`},
		"two labels": {keys: `<key id="l" for="node" attr.name="label" attr.type="string"/>`, node: `<data key="l">x</data><data key="l">y</data>`,
			want: `node a has several values for label; the last one counts`},

		"blank":                      {edge: `<data key="when"> </data>`, want: `key "when" is not declared: its values are kept but not read`},
		"declared once more rightly": {keys: `<key id="w" for="node" attr.name="when"/><key id="w" for="edge" attr.name="when"/>`, edge: `<data key="w">failure</data>`},
		"of other programs":          {keys: `<key id="w" for="node" attr.name="label"/>`, edge: `<data key="w">x</data>`},
		"a drawing":                  {keys: `<key id="d0" for="node" yfiles.type="nodegraphics"/>`, node: `<data key="d0"><ShapeNode/></data>`},
		"other programs' twice":      {keys: `<key id="w" for="node" attr.name="tag"/>`, node: `<data key="w">x</data><data key="w">y</data>`},
	} {
		file := `<graphml xmlns="http://graphml.graphdrawing.org/xmlns">` + c.keys + `<graph edgedefault="directed">` + c.graph +
			`<node id="a">` + c.node + `</node><node id="b"/><edge id="e" source="a" target="b">` + c.edge + `</edge></graph></graphml>`
		_, _, warnings, err := Parse([]byte(file), Limits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		severe := false
		for _, w := range warnings {
			if w.Code != WarnUndeclaredKey || !c.severe {
				got = append(got, w.Message)
			}
			severe = severe || w.Severe
		}
		if strings.Join(got, "\n") != c.want || severe != c.severe {
			t.Errorf("%s: got %q, severe %v; want %q", name, got, severe, c.want)
		}
	}
}

// TestUnreadInTag checks the warnings for attributes of wf in tags.
func TestUnreadInTag(t *testing.T) {
	file := `<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed"><node id="a" retries="3" parse.order="free"/>` +
		`<node id="b"/><edge id="e" source="a" target="b" when="failure" directed="true" sourceport="x"/></graph></graphml>`
	_, _, warnings, err := Parse([]byte(file), Limits{})
	if err != nil || len(warnings) != 2 {
		t.Fatalf("%v, %+v", err, warnings)
	}
	if w := warnings[0]; !w.Severe || w.Node != "a" || w.Attr != "retries" ||
		w.Message != `retries is not read in the tag of a node; write <data key="retries"> and declare the key for="node"` {
		t.Errorf("got %+v", w)
	}
	if w := warnings[1]; !w.Severe || w.Edge != 0 || w.Attr != "when" {
		t.Errorf("got %+v", w)
	}
}
