// Package comparison describes the difference between two workflows as the API does. It does no I/O and has no state.
package comparison

import (
	"wf/api"
	"wf/graph"
	"wf/graph/difference"
)

// Definition compares two workflows.
func Definition(before, after *graph.Graph) api.DefinitionDiff {
	diff := difference.Of(before, after)
	d := api.DefinitionDiff{Nodes: []api.DiffNode{}, Edges: []api.DiffEdge{}, Graph: diffValues(diff.Graph), Moved: diff.Moved}
	if diff.Empty() {
		return d
	}
	was, is := graph.Handles(before), graph.Handles(after)
	for _, n := range diff.Nodes {
		change := api.DiffNode{Change: kindOf(n.Before == nil, n.After == nil), Values: diffValues(n.Values)}
		if n.After != nil {
			change.Node, change.Name = n.After.ID, is.Of(n.After)
		} else {
			change.Node, change.Name = n.Before.ID, was.Of(n.Before)
		}
		if earlier := diff.Earlier(n.After); earlier != nil && was.Of(earlier) != change.Name {
			change.Was = was.Of(earlier)
		}
		d.Nodes = append(d.Nodes, change)
	}
	for _, e := range diff.Edges {
		change := api.DiffEdge{Change: kindOf(e.Before == nil, e.After == nil), Values: diffValues(e.Values)}
		if e.After != nil {
			change.Source, change.Target = is.Of(e.After.Source), is.Of(e.After.Target)
		} else {
			change.Source, change.Target = was.Of(e.Before.Source), was.Of(e.Before.Target)
		}
		d.Edges = append(d.Edges, change)
	}
	return d
}

func kindOf(added, removed bool) string {
	switch {
	case added:
		return api.DiffAdded
	case removed:
		return api.DiffRemoved
	}
	return api.DiffChanged
}

func diffValues(values []difference.Value) []api.DiffValue {
	list := make([]api.DiffValue, 0, len(values))
	for _, v := range values {
		list = append(list, api.DiffValue{Name: v.Name, Before: textOf(v.Before), After: textOf(v.After)})
	}
	return list
}

// textOf returns a text, or nil if it is absent.
func textOf(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}
