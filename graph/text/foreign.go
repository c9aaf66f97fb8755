package text

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wf/graph"
	"wf/graph/attribute"
)

// mostForeign is how many names the head of a text has at most.
const mostForeign = 12

// foreign writes a comment with the names of what the workflow has and the text does not show, because wf does not read it.
func (w *writer) foreign(g *graph.Graph) {
	counts := map[string]int{}
	for _, n := range g.Nodes() {
		kind := kindOf(n)
		for name := range n.Extra {
			if !known(kind, name) {
				counts["nodes "+name]++
			}
		}
		if inherited(n.Inherited(), attrX) != "" {
			counts["nodes "+drawings]++
		}
	}
	for _, e := range g.Edges() {
		for name := range e.Extra {
			if !known(attribute.Edge, name) {
				counts["edges "+name]++
			}
		}
	}
	for name, value := range g.Attrs() {
		if value != "" && !known(attribute.Graph, name) {
			counts["workflow "+name]++
		}
	}
	if len(counts) == 0 {
		return
	}
	w.WriteString("# In the file, and not shown here, is data that wf does not read:\n")
	names := slices.Sorted(maps.Keys(counts))
	for _, name := range names[:min(len(names), mostForeign)] {
		of, attr, _ := strings.Cut(name, " ")
		if of == "workflow" {
			fmt.Fprintf(w, "#   %s of the workflow\n", quotedName(attr))
			continue
		}
		if counts[name] == 1 {
			of = strings.TrimSuffix(of, "s")
		}
		fmt.Fprintf(w, "#   %s of %d %s\n", quotedName(attr), counts[name], of)
	}
	if rest := len(names) - mostForeign; rest > 0 {
		fmt.Fprintf(w, "#   and %d more\n", rest)
	}
}

// known reports whether wf reads or writes an attribute on one of the elements.
func known(on attribute.Element, name string) bool { return attribute.Find(on, name) != nil }

// drawings stands for what programs such as yEd say about positions, in the place of the name of an attribute.
const drawings = " "

// quotedName returns a name for a comment.
func quotedName(name string) string {
	if name == drawings {
		return "the drawings"
	}
	if plain(name, plainFlow) {
		return name
	}
	return quoted(name)
}
