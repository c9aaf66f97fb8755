package difference

import (
	"maps"
	"slices"

	"wf/graph"
)

// An element is a node or an edge.
type element interface {
	Attr(name string) (value string, present bool)
	Inherited() []graph.Attr
}

// nodeValues returns the values that differ. One of the nodes may be nil.
func (d *Difference) nodeValues(was, is *graph.Node) []Value {
	var list []Value
	add := func(name string, of func(*graph.Node) *string) {
		v := Value{Name: name}
		if was != nil {
			v.Before = of(was)
		}
		if is != nil {
			v.After = of(is)
		}
		if text(v.Before) != text(v.After) {
			list = append(list, v)
		}
	}
	if was == nil || is == nil || was.Container != is.Container {
		add(Kind, kind)
	}
	if was == nil || is == nil || was.Parent != d.earlier[is.Parent] || (was.Parent == nil) != (is.Parent == nil) {
		add(Container, d.containerOf)
	}
	for _, name := range nodeNames(was, is) {
		add(name, func(n *graph.Node) *string { return effective(n, name) })
	}
	return list
}

// kind returns the kind of a node, or nil for the usual one.
func kind(n *graph.Node) *string {
	if n.Container {
		return new(KindContainer)
	}
	return nil
}

// containerOf returns the handle of the container of a node, or nil.
func (d *Difference) containerOf(n *graph.Node) *string {
	if n.Parent == nil {
		return nil
	}
	g := d.after
	if g.Node(n.Parent.ID) != n.Parent {
		g = d.before
	}
	return new(graph.Handles(g).Of(n.Parent))
}

// nodeNames returns the names of the attributes that decide what a workflow does, of one or two nodes: label, name, group,
// then the others by name.
func nodeNames(nodes ...*graph.Node) []string {
	names := []string{"label", "name", "group"}
	others := map[string]bool{}
	for _, n := range nodes {
		if n != nil {
			collect(others, n.Extra, n.Inherited())
		}
	}
	for _, name := range nodeFields {
		delete(others, name)
	}
	maps.DeleteFunc(others, func(name string, _ bool) bool { return graph.Captured(name) })
	return append(names, slices.Sorted(maps.Keys(others))...)
}

// collect adds the names of attributes.
func collect(names map[string]bool, extra map[string]string, inherited []graph.Attr) {
	for name := range extra {
		names[name] = true
	}
	for _, a := range inherited {
		names[a.Name] = true
	}
}

const edgeType = "edge_type"

// edgeNames is nodeNames for edges. The id of an edge decides nothing.
func edgeNames(edges ...*graph.Edge) []string {
	others := map[string]bool{}
	for _, e := range edges {
		if e != nil {
			collect(others, e.Extra, e.Inherited())
		}
	}
	for _, name := range edgeFields {
		delete(others, name)
	}
	return append([]string{edgeType}, slices.Sorted(maps.Keys(others))...)
}

// edgeValues returns the values that differ. One of the edges may be nil.
func edgeValues(was, is *graph.Edge) []Value {
	var list []Value
	for _, name := range edgeNames(was, is) {
		v := Value{Name: name}
		if was != nil {
			v.Before = edgeValue(was, name)
		}
		if is != nil {
			v.After = edgeValue(is, name)
		}
		if text(v.Before) != text(v.After) {
			list = append(list, v)
		}
	}
	return list
}

// edgeValue returns the value of an attribute of an edge, or nil. The usual type is nil, whether or not the file has it.
func edgeValue(e *graph.Edge, name string) *string {
	if name == edgeType {
		if e.Type == graph.Blocking {
			return nil
		}
		return new(e.Type.String())
	}
	return effective(e, name)
}

// effective returns the value of an attribute that an element has or inherits, or nil.
func effective(e element, name string) *string {
	value, own := e.Attr(name)
	if own || slices.ContainsFunc(e.Inherited(), func(a graph.Attr) bool { return a.Name == name }) {
		return &value
	}
	return nil
}

// changed returns the attributes of a graph that differ, by name.
func changed(before, after map[string]string) []Value {
	names := maps.Clone(before)
	maps.Copy(names, after)
	var list []Value
	for _, name := range slices.Sorted(maps.Keys(names)) {
		v := Value{Name: name, Before: lookUp(before, name), After: lookUp(after, name)}
		if text(v.Before) != text(v.After) {
			list = append(list, v)
		}
	}
	return list
}

func lookUp(values map[string]string, name string) *string {
	if value, ok := values[name]; ok {
		return &value
	}
	return nil
}

// text returns a value, or "" if it is absent, which means the same.
func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
