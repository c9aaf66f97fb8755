package graph

import "testing"

func TestIdempotent(t *testing.T) {
	for text, want := range map[string]bool{"true": true, " True\n": true, "1": true, "false": false, "0": false, "": false, "yes": false} {
		g, err := Build([]NodeSpec{{ID: "a", Parent: -1, Extra: map[string]string{"idempotent": text}}, {ID: "b", Parent: -1}}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Node("a").Idempotent(); got != want {
			t.Errorf("%q: %v", text, got)
		}
		if g.Node("b").Idempotent() {
			t.Error("a node without the attribute")
		}
	}
	g, err := Build([]NodeSpec{{ID: "a", Parent: -1, Inherited: []Attr{{"idempotent", "true"}}}}, nil, nil)
	if err != nil || !g.Node("a").Idempotent() {
		t.Errorf("the default of the key does not count (%v)", err)
	}
}
