package workfile

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"wf/api"
	"wf/graph"
	"wf/graph/attribute"
	"wf/graphml"
	"wf/workspace/history"
)

// WithProfile returns a copy of the file f as it would be with the attributes of a profile, and notes about selectors that select nothing.
// The copy has the statuses of the present moment. It is for reading only, and is not kept up to date.
func WithProfile(f *File, p *history.Profile) (copied *File, notes []string, err error) {
	doc, g, warnings, err := graphml.Parse(bytes.Join(f.doc.Render(), nil), limits())
	if err != nil {
		return nil, nil, parseError(f.cfg.Path, err)
	}
	for _, n := range f.g.Nodes() {
		if same := g.Node(n.ID); same != nil && same.Status != n.Status {
			g.SetStatus(same, n.Status)
		}
	}
	for i, e := range f.g.Edges() {
		if same := g.Edges()[i]; same.Mark != e.Mark {
			g.SetMark(same, e.Mark)
		}
	}
	c := &File{cfg: f.cfg, doc: doc, g: g, warnings: warnings}
	c.disk.unreadable, c.disk.problem = f.disk.unreadable, f.disk.problem
	c.statuses = Statuses{f: c, results: f.statuses.results, setting: f.statuses.setting}
	for _, set := range p.Attributes {
		note, err := profileAttributes(c, p.Name, set)
		if err != nil {
			return nil, nil, err
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	return c, notes, nil
}

// profileAttributes sets attributes in a copy. The note says that nothing was selected.
func profileAttributes(f *File, name string, set history.ProfileAttributes) (note string, err error) {
	var ops []graph.Op
	if set.Selector == "" {
		for _, attr := range slices.Sorted(maps.Keys(set.Set)) {
			ops = append(ops, graph.SetGraph{Attr: attr, Value: set.Set[attr]})
		}
		return "", applyProfile(f, ops)
	}
	nodes, err := f.Select([]string{set.Selector})
	var unknown *api.Error
	switch {
	case errors.As(err, &unknown) && unknown.Code == api.CodeUnknownNode, err == nil && len(nodes) == 0:
		return fmt.Sprintf("profile %s: %s selects no node of this workfile", name, set.Selector), nil
	case err != nil:
		return "", err
	}
	for _, n := range nodes {
		for _, attr := range slices.Sorted(maps.Keys(set.Set)) {
			if attribute.Find(elementOf(n), attr) != nil {
				ops = append(ops, graph.SetNode{ID: n.ID, Attr: attr, Value: set.Set[attr]})
			}
		}
	}
	return "", applyProfile(f, ops)
}

// elementOf returns what an attribute can be on. A selector such as * also selects nodes on which an attribute has no meaning.
func elementOf(n *graph.Node) attribute.Element {
	switch {
	case n.SubFlow():
		return attribute.SubFlow
	case n.Container:
		return attribute.Group
	}
	return attribute.Command
}

func applyProfile(f *File, ops []graph.Op) error {
	for _, op := range ops {
		_, done, err := f.g.Apply(op)
		if err == nil {
			err = f.doc.Apply(done)
		}
		if err != nil {
			return api.Invalid("the profile: %v", err)
		}
	}
	return nil
}
