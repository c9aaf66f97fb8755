package tui

import (
	"cmp"
	"strings"

	"wf/client/runview"
	"wf/tui/words"
)

// objects returns the nodes that an edit is about: the marked nodes or, if none is marked, the selected ones.
func (d *document) objects() []int {
	if marked := d.picture.markedNodes(); len(marked) > 0 {
		return marked
	}
	return d.picture.nodes()
}

// called names nodes for a message: the handle of a single node, otherwise their number.
func (d *document) called(nodes []int) string {
	if len(nodes) == 1 {
		return d.flow.Nodes[nodes[0]].Name
	}
	return words.Plural(len(nodes), "node")
}

// selection returns a selector for the selected nodes (the handle of one, g:NAME for a whole group, or several
// handles) and a description for the user.
func (d *document) selection() (selector []string, what string) {
	if path := d.picture.repeatable(); path != "" {
		return []string{path}, path
	}
	nodes := d.picture.nodes()
	names := d.flow.Names(nodes)
	switch {
	case len(names) == 0:
		return nil, ""
	case len(names) == 1:
		return names, names[0]
	}
	what = words.Plural(len(names), "node") + " of " + d.picture.layout.Name(d.picture.selected)
	if group := d.flow.Nodes[nodes[0]].Group; group != "" && isGroup(&d.flow, nodes, group) {
		return []string{"g:" + group}, what
	}
	return names, what
}

// partNames returns the nodes that a partial run starts or ends with.
func (d *document) partNames() (names []string, what string) {
	marked := d.picture.markedNodes()
	if len(marked) > 0 {
		return d.flow.Names(marked), words.Plural(len(marked), "marked node")
	}
	if in := d.picture.innerOf(); in != nil && in.node != nil {
		name := cmp.Or(in.name, in.path)
		return []string{name}, name
	}
	if d.picture.repeatable() != "" { // an instance is not in the workfile, but its sub-flow is
		names = d.flow.Names(d.picture.nodes())
		return names, strings.Join(names, ", ")
	}
	return d.selection()
}

// isGroup reports whether nodes are exactly the members of a group.
func isGroup(f *runview.Workfile, nodes []int, group string) bool {
	if strings.ContainsAny(group, " ,*?[+") {
		return false
	}
	size := 0
	for i := range f.Nodes {
		if f.Nodes[i].Group == group {
			size++
		}
	}
	for _, i := range nodes {
		if f.Nodes[i].Group != group {
			return false
		}
	}
	return size == len(nodes)
}
