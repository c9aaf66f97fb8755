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
	for i, v := range []struct {
		name string
		data []byte
	}{{"the common ancestor", base}, {"our version", ours}, {"the other version", theirs}} {
		if i == 0 && len(bytes.TrimSpace(base)) == 0 {
			versions[i] = Empty()
			continue
		}
		doc, g, _, err := graphml.Parse(v.data, graphml.Limits{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
		versions[i] = &Version{doc, g}
	}
	result := &Merged{}
	doc, g := versions[1].doc, versions[1].graph
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
	if len(conflicts) == 0 && same(lines, g) {
		result.Data = lines
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

// same reports whether a file has the meaning of a graph, and its positions.
func same(data []byte, g *graph.Graph) bool {
	if len(data) == 0 {
		return false
	}
	_, other, warnings, err := graphml.Parse(data, graphml.Limits{})
	if err != nil || len(warnings) > 0 {
		return false
	}
	d := comparison.Definition(g, other)
	return len(d.Nodes)+len(d.Edges)+len(d.Graph)+d.Moved == 0
}
