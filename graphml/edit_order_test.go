package graphml

import (
	"math/rand/v2"
	"slices"
	"testing"

	"wf/graph"
)

// TestUndoRestoresTheOrderOfValues checks that an undo gives back the bytes of every earlier state, not only those of the file.
func TestUndoRestoresTheOrderOfValues(t *testing.T) {
	const file = `<graphml><graph edgedefault="directed"><node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>`
	names := []string{"label", "name", "retries", "timeout", "x"}
	for seed := range uint64(200) {
		d, g, _, err := Parse([]byte(file), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		type state struct {
			undo graph.Op
			text []byte
		}
		r := rand.New(rand.NewPCG(seed, 0))
		var states []state
		for range 30 {
			attr := names[r.IntN(len(names))]
			value, remove := []string{"1", "2"}[r.IntN(2)], r.IntN(3) == 0
			op := []graph.Op{
				graph.SetNode{ID: "a", Attr: attr, Value: value, Remove: remove},
				graph.SetNode{ID: "b", Attr: attr, Value: value, Remove: remove},
				graph.SetEdge{Key: 0, Attr: attr, Value: value, Remove: remove},
				graph.SetGraph{Attr: attr, Value: value, Remove: remove},
			}[r.IntN(4)]
			before := slices.Concat(d.Render()...)
			inverse, done, err := g.Apply(op)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Apply(done); err != nil {
				t.Fatal(err)
			}
			states = append(states, state{inverse, before})
		}
		for i, s := range slices.Backward(states) {
			_, done, err := g.Apply(s.undo)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Apply(done); err != nil {
				t.Fatal(err)
			}
			if got := slices.Concat(d.Render()...); !slices.Equal(got, s.text) {
				t.Fatalf("seed %d, undo of edit %d:\n%s\nwant\n%s", seed, i, got, s.text)
			}
		}
	}
}
