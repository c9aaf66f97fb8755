package workfile

import (
	"cmp"
	"slices"

	"wf/api"
	"wf/graph"
)

// ChangesSince compares the commands and their order with those of the graph that a run started with. It ignores the drawing
// and returns nil if there are no changes.
func (f *File) ChangesSince(old *graph.Graph) *api.Changes {
	c := &api.Changes{Attributes: changedAttrs(old.Attrs(), f.g.Attrs())}
	for _, n := range f.g.Nodes() {
		switch was := old.Node(n.ID); {
		case was == nil:
			c.Added = append(c.Added, f.Handle(n))
		case was.Label != n.Label:
			c.Commands = append(c.Commands, f.Handle(n))
		}
	}
	handles := graph.Handles(old)
	for _, n := range old.Nodes() {
		if f.g.Node(n.ID) == nil {
			c.Removed = append(c.Removed, handles.Of(n))
		}
	}
	changedEdges(f, c, old, handles)
	if len(c.Commands)+len(c.Added)+len(c.Removed)+len(c.EdgesAdded)+len(c.EdgesRemoved)+len(c.EdgesRetyped)+len(c.Attributes) == 0 {
		return nil
	}
	return c
}

// graphAttrs are the attributes of the graph that decide how commands run (docs/semantics.md, The workfile).
var graphAttrs = []string{"wrapper", "prefix", "suffix", "shell", "cwd", "jobs", "max_activations", "max_instances", "output"}

func changedAttrs(was, is map[string]string) []string {
	var changed []string
	for _, name := range graphAttrs {
		if was[name] != is[name] {
			changed = append(changed, name)
		}
	}
	return changed
}

// ends are the ids of the source and the target of an edge.
type ends struct{ source, target string }

// changedEdges adds edges that were added or removed, or whose type has changed. Edges have no identity across files, so
// edges between the same two nodes are compared by number and type.
func changedEdges(f *File, c *api.Changes, old *graph.Graph, oldHandles *graph.HandleTable) {
	type both struct{ was, is []string }
	between := map[ends]*both{}
	of := func(e *graph.Edge) *both {
		key := ends{e.Source.ID, e.Target.ID}
		if between[key] == nil {
			between[key] = &both{}
		}
		return between[key]
	}
	for _, e := range old.Edges() {
		b := of(e)
		b.was = append(b.was, e.Type.String())
	}
	for _, e := range f.g.Edges() {
		b := of(e)
		b.is = append(b.is, e.Type.String())
	}
	name := func(id string) string {
		if n := f.g.Node(id); n != nil {
			return f.Handle(n)
		}
		return oldHandles.Of(old.Node(id))
	}
	for key, b := range between {
		was, is := without(b.was, b.is), without(b.is, b.was)
		retyped := min(len(was), len(is))
		for i, t := range is {
			change := api.EdgeChange{Source: name(key.source), Target: name(key.target), Type: t}
			if i < retyped {
				c.EdgesRetyped = append(c.EdgesRetyped, change)
			} else {
				c.EdgesAdded = append(c.EdgesAdded, change)
			}
		}
		for _, t := range was[retyped:] {
			c.EdgesRemoved = append(c.EdgesRemoved, api.EdgeChange{Source: name(key.source), Target: name(key.target), Type: t})
		}
	}
	for _, list := range [][]api.EdgeChange{c.EdgesAdded, c.EdgesRemoved, c.EdgesRetyped} {
		slices.SortFunc(list, func(a, b api.EdgeChange) int {
			return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Target, b.Target), cmp.Compare(a.Type, b.Type))
		})
	}
}

// without returns list with one element removed for each equal element of other.
func without(list, other []string) []string {
	rest := slices.Clone(list)
	for _, s := range other {
		if i := slices.Index(rest, s); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		}
	}
	return rest
}
