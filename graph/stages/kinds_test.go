package stages

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/graph/layered"
)

// fold returns the stages of nodes, "name: command" each, as lists of names.
func fold(nodes []string, arcs []layered.Arc) string {
	list := make([]Node, len(nodes))
	for i, n := range nodes {
		list[i].Name, list[i].Command, _ = strings.Cut(n, ": ")
	}
	layered.MarkBack(len(list), arcs)
	stages, _ := Fold(list, arcs)
	var all []string
	for _, s := range stages {
		var names []string
		for _, v := range s.Nodes {
			names = append(names, list[v].Name)
		}
		all = append(all, strings.Join(names, " "))
	}
	return strings.Join(all, ", ")
}

// TestKinds folds nodes without edges.
func TestKinds(t *testing.T) {
	for story, test := range map[string]struct {
		nodes []string
		want  string
	}{
		"samples":                        {[]string{"trim_S1: trim S1.fq", "trim_S2: trim S2.fq", "sort_S1: sort S1"}, "trim_S1 trim_S2, sort_S1"},
		"other names, the same command":  {[]string{"clean_1: sleep 1", "load_4: sleep 1", "join_9: sleep 2"}, "clean_1, load_4, join_9"},
		"names of the same verb":         {[]string{"clean_1: sleep 1", "clean_2: sleep 1", "load_1: sleep 1"}, "clean_1 clean_2, load_1"},
		"names that differ in one word":  {[]string{"map_liver: run x", "map_brain: run x", "map_heart: run y z"}, "map_liver map_brain, map_heart"},
		"samples before the verb":        {[]string{"liver_map: run x", "brain_map: run x"}, "liver_map brain_map"},
		"names without a word in common": {[]string{"up: run x", "down: run x"}, "up, down"},
		"three items":                    {[]string{"get: get from liver", "get~2: get from brain", "get~3: get from heart"}, "get get~2 get~3"},
		"names in comments":              {[]string{"A: sleep 1 # A", "B: sleep 1 # B", "C: sleep 1 # C"}, "A, B, C"},
		"two steps":                      {[]string{"get: get from liver", "get~2: get from brain"}, "get, get~2"},
		"what a program shall do":        {[]string{"a: samtools sort x", "b: samtools index x", "c: samtools stats x"}, "a, b, c"},
		"groups":                         {[]string{"x: a", "y: b"}, "x, y"},
	} {
		if got := fold(test.nodes, nil); got != test.want {
			t.Errorf("%s: %s, want %s", story, got, test.want)
		}
	}
}

// TestCircles: Nodes of one kind are one stage wherever they are, unless stages would lead to themselves or to each
// other. Then those in each layer are one.
func TestCircles(t *testing.T) {
	for story, test := range map[string]struct {
		nodes string
		arcs  []layered.Arc
		want  string
	}{
		"different steps before":  {"a1 a2 b c1 c2", []layered.Arc{{From: 0, To: 3}, {From: 2, To: 4}}, "a1 a2, b, c1 c2"},
		"a chain of the same":     {"a1 a2 a3", []layered.Arc{{From: 0, To: 1}, {From: 1, To: 2}}, "a1, a2, a3"},
		"two in both orders":      {"a1 b1 b2 a2", []layered.Arc{{From: 0, To: 1}, {From: 2, To: 3}}, "a1, b1, b2, a2"},
		"others are not divided":  {"a1 a2 c1 c2", []layered.Arc{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 3}}, "a1, a2, c1 c2"},
		"back edges do not count": {"a1 b1 a2", []layered.Arc{{From: 0, To: 1}, {From: 1, To: 0, Weak: true}}, "a1 a2, b1"},
	} {
		var nodes []string
		for _, name := range strings.Fields(test.nodes) {
			nodes = append(nodes, name+": do "+name)
		}
		if got := fold(nodes, test.arcs); got != test.want {
			t.Errorf("%s: %s, want %s", story, got, test.want)
		}
	}
}

// TestStagesAreInOrder: In random graphs, every arc that does not lead back leads to a later stage.
func TestStagesAreInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "nodes")
		nodes := make([]Node, n)
		for v := range nodes {
			nodes[v] = Node{Name: rapid.SampledFrom([]string{"a", "b", "map_x", "map_y"}).Draw(t, "name") + fmt.Sprint("_", v),
				Command: rapid.SampledFrom([]string{"", "do 1", "do 2", "get from here", "get from there"}).Draw(t, "command")}
		}
		var arcs []layered.Arc
		for range rapid.IntRange(0, 2*n).Draw(t, "arcs") {
			a := layered.Arc{From: int32(rapid.IntRange(0, n-1).Draw(t, "from")), To: int32(rapid.IntRange(0, n-1).Draw(t, "to"))}
			if a.From != a.To {
				arcs = append(arcs, a)
			}
		}
		layered.MarkBack(n, arcs)
		stages, of := Fold(nodes, arcs)
		count := 0
		for _, s := range stages {
			count += len(s.Nodes)
		}
		if count != n {
			t.Fatalf("%d of %d nodes are in stages", count, n)
		}
		for _, a := range arcs {
			if !a.Back && of[a.From] >= of[a.To] {
				t.Fatalf("an arc leads from %d in stage %d to %d in stage %d", a.From, of[a.From], a.To, of[a.To])
			}
		}
	})
}
