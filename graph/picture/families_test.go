package picture

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// verticesOf returns vertices with these names and commands of their own.
func verticesOf(names string) []Vertex {
	var list []Vertex
	for _, name := range strings.Fields(names) {
		list = append(list, Vertex{Name: name, Command: "own " + name})
	}
	return list
}

// members lists the boxes of a level with several members, as "name: members".
func members(l *level, vertices []Vertex) []string {
	var list []string
	for _, b := range l.boxes {
		if len(b.members) > 1 {
			text := b.name + ":"
			for _, v := range b.members {
				text += " " + vertices[v].Name
			}
			list = append(list, text)
		}
	}
	return list
}

// TestFamilies: Nodes whose names begin with the same parts share a box, the deepest first, unless a path between them
// leads through another box.
func TestFamilies(t *testing.T) {
	vertices := verticesOf("ALIGN.SORT.a ALIGN.SORT.b ALIGN.map QC.x QC.y plain")
	edges := []Edge{{From: 2, To: 0}, {From: 0, To: 1}, {From: 3, To: 5}, {From: 5, To: 4}}
	f := &folder{vertices: vertices, edges: edges, o: &Options{Measure: func(s string) int { return len(s) }}}
	l := newLevel(vertices, edges, f.o)
	for _, want := range [][]string{
		{"ALIGN.SORT: ALIGN.SORT.a ALIGN.SORT.b"},
		{"ALIGN: ALIGN.SORT.a ALIGN.SORT.b ALIGN.map"},
	} {
		l = groupedLevel(vertices, edges, f.o, f.families(l))
		if got := members(l, vertices); !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	if groups := f.families(l); len(groups) != len(l.boxes) {
		t.Errorf("QC.x and QC.y share a box, but plain lies between them")
	}
}

// TestUnionsMakeNoCircles: Whatever is joined in random graphs, an order remains in which every arc leads to a later box.
func TestUnionsMakeNoCircles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices, edges := drawGraph(t)
		l := newLevel(vertices, edges, &Options{Measure: func(s string) int { return len(s) }})
		u := newUnion(l)
		for range 5 {
			boxes := rapid.SliceOfNDistinct(rapid.IntRange(0, len(vertices)-1), 1, min(4, len(vertices)), rapid.ID[int]).Draw(t, "boxes")
			var list []int32
			for _, b := range boxes {
				list = append(list, int32(b))
			}
			u.join(list)
		}
		left := map[int32]bool{}
		for _, of := range u.of {
			left[of] = true
		}
		for len(left) > 0 {
			entered := map[int32]bool{}
			for b, next := range u.next {
				for _, to := range next {
					if from := u.of[b]; left[from] && from != u.of[to] {
						entered[u.of[to]] = true
					}
				}
			}
			before := len(left)
			for of := range left {
				if !entered[of] {
					delete(left, of)
				}
			}
			if len(left) == before {
				t.Fatalf("boxes %v are in a circle", left)
			}
		}
	})
}

// TestImpliedEdges: A level without implied arcs leads from each box to the same boxes as before, and keeps every arc
// that is more than a dependency.
func TestImpliedEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices, edges := drawGraph(t)
		l := newLevel(vertices, edges, &Options{Measure: func(s string) int { return len(s) }})
		r := l.reduced()
		if r == nil {
			return
		}
		reach := func(l *level) (reach [24][24]bool) {
			for i := range l.arcs {
				if a := &l.arcs[i]; a.plain() {
					reach[a.from][a.to] = true
				}
			}
			for via := range reach {
				for from := range reach {
					for to := range reach {
						reach[from][to] = reach[from][to] || reach[from][via] && reach[via][to]
					}
				}
			}
			return reach
		}
		if reach(l) != reach(r) {
			t.Fatal("boxes are not reached any more")
		}
		if len(r.implied) == 0 {
			t.Fatal("nothing is implied")
		}
		for _, i := range r.implied {
			if e := edges[i]; e.Weak || e.When != "" {
				t.Fatalf("edge %d with a meaning of its own is implied", i)
			}
		}
	})
}

// TestNamesStayDifferent: Shortened names that would be equal keep what distinguishes them.
func TestNamesStayDifferent(t *testing.T) {
	for story, test := range map[string]struct{ names, want string }{
		"short ones":            {"align sort", "align sort"},
		"the last part is kept": {"FLOW.ALIGN.SORT_ALL", "SORT_ALL"},
		"the middle goes":       {"a_very_long_name", "a_very…_name"},
		"equal ends":            {"RSEQC_JUNCTIONSATURATION RSEQC_JUNCTIONANNOTATION", "RSE…SATURAT… RSE…ANNOTAT…"},
		"different parents":     {"STAR_QUANTIFY.QUANT SALMON_QUANTIFY.QUANT", "STAR_QUANTI… SALMON_QUAN…"},
	} {
		vertices := verticesOf(test.names)
		l := newLevel(vertices, nil, &Options{Measure: func(s string) int { return len([]rune(s)) }})
		if got := strings.Join(l.names(12), " "); got != test.want {
			t.Errorf("%s: %q, want %q", story, got, test.want)
		}
	}
}
