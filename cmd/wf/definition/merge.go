package definition

import (
	"bytes"
	"fmt"

	"wf/graph"
	"wf/graph/merge"
	"wf/graphml"
	"wf/workspace/comparison"
)

// A Merged is the result of a merge.
type Merged struct {
	Data      []byte
	Conflicts []string // for people: what both versions changed in different ways
	Notes     []string // what people should look at, although it is no conflict
}

// Merge merges ours and theirs, which both come from base (nil if there was no file). lines is the merge of the same files
// line by line, nil if that had conflicts. If it means the same, it is the result, because it has also what the graph does not
// show: drawings, comments, the order of the file. Otherwise the result is ours with the changes of theirs. An error says
// which of the versions cannot be read.
func Merge(base, ours, theirs, lines []byte) (*Merged, error) {
	var versions [3]*Version
	known := 0 // warnings about the versions
	for i, v := range []struct {
		name string
		data []byte
	}{{"the common ancestor", base}, {"our version", ours}, {"the other version", theirs}} {
		if i == 0 && len(bytes.TrimSpace(base)) == 0 {
			versions[i] = Empty()
			continue
		}
		doc, g, warnings, err := graphml.Parse(v.data, graphml.Limits{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
		versions[i], known = &Version{doc, g}, max(known, len(warnings))
	}
	result := &Merged{}
	doc, g := versions[1].doc, versions[1].graph
	drawn := redrawn(versions[0].graph, g, versions[2].graph)
	edit, conflicts := merge.Of(versions[0].graph, g, versions[2].graph)
	_, done, err := g.Apply(edit)
	if err == nil {
		err = doc.Apply(done)
	}
	if err != nil {
		return nil, fmt.Errorf("the merged workfile: %w", err)
	}
	for _, c := range conflicts {
		result.Conflicts = append(result.Conflicts, c.String())
	}
	result.Data = bytes.Join(doc.Render(), nil)
	if len(conflicts) == 0 && same(lines, g, known) {
		result.Data = lines
	} else if drawn > 0 {
		result.Notes = append(result.Notes, fmt.Sprintf("the drawing of nodes that the other version moved stays as in ours (%d)", drawn))
	}
	if len(conflicts) == 0 {
		if cycle := graph.FindCycle(g.Nodes()); cycle != nil {
			last := cycle[len(cycle)-1]
			handles := graph.Handles(g)
			result.Notes = append(result.Notes, fmt.Sprintf("both versions together have a cycle of edges, through %s -> %s: wf check shows it",
				handles.Of(last.Source), handles.Of(last.Target)))
		}
	}
	return result, nil
}

// redrawn returns the number of nodes to which only theirs gives another place in the drawing of another program.
func redrawn(base, ours, theirs *graph.Graph) (count int) {
	drawn := func(n *graph.Node) (at [2]float64) {
		if _, own := n.Attr("x"); !own {
			at[0], at[1], _ = n.Position()
		}
		return at
	}
	for _, was := range base.Nodes() {
		a, b := ours.Node(was.ID), theirs.Node(was.ID)
		if a != nil && b != nil && drawn(a) == drawn(was) && drawn(b) != drawn(was) {
			count++
		}
	}
	return count
}

// same reports whether a file has the meaning of a graph, and its positions, and no more warnings than the versions had.
func same(data []byte, g *graph.Graph, known int) bool {
	if len(data) == 0 {
		return false
	}
	_, other, warnings, err := graphml.Parse(data, graphml.Limits{})
	if err != nil || len(warnings) > known {
		return false
	}
	d := comparison.Definition(g, other)
	return len(d.Nodes)+len(d.Edges)+len(d.Graph)+d.Moved == 0
}
