package scheduler

import (
	"slices"
	"testing"
)

// layoutIDs returns the ids of nodes of a layout.
func layoutIDs(l *layout, nodes []localNode) (ids []string) {
	for _, v := range nodes {
		ids = append(ids, l.ids[v])
	}
	return ids
}

func TestLeadingOnlyTo(t *testing.T) {
	lay := mustRun(t, "A -> B -> J\nC -> J\nD -> J\nD -> E").outer
	j := localNode(slices.Index(lay.ids, "J"))
	if got := layoutIDs(lay, lay.leadingOnlyTo(j)); !slices.Equal(got, []string{"B", "C", "A"}) {
		t.Errorf("only J needs %v", got) // D also leads to E
	}
}

func TestTopologicalOrder(t *testing.T) {
	lay := mustRun(t, "D -> E\nA -> B ~> A\nB -> D").outer
	order, alone := lay.topological()
	place := func(id string) int { return slices.Index(layoutIDs(lay, order), id) }
	if place("A") > place("D") || place("B") > place("D") || place("D") > place("E") {
		t.Errorf("order %v", layoutIDs(lay, order))
	}
	for v, id := range lay.ids {
		if want := id == "D" || id == "E"; alone[v] != want {
			t.Errorf("alone(%s) = %v", id, alone[v])
		}
	}
}

func TestGroup(t *testing.T) {
	odd := group(localNode(3), localEdge(7), func(e localEdge) (localNode, bool) { return localNode(e % 3), e%2 == 1 })
	for v, want := range [][]localEdge{{3}, {1}, {5}} {
		if got := odd.of(localNode(v)); !slices.Equal(got, want) {
			t.Errorf("of(%d) = %v, want %v", v, got, want)
		}
	}
}
