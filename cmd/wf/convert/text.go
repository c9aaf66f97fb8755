package convert

import (
	"errors"
	"maps"

	"wf/graph"
	"wf/graph/text"
)

// readText reads a workflow as wf text prints it.
func readText(b *builder, data []byte) {
	wf, err := text.Read(data)
	var mistakes text.Mistakes
	if errors.As(err, &mistakes) {
		first := mistakes[0]
		panic(&Error{Line: first.Line, Column: first.Column, Msg: first.Message, Fix: first.Remedy, Others: len(mistakes) - 1})
	}
	ids := wf.IDs()
	for _, n := range wf.Nodes {
		node := b.node(ids[n], n.Line)
		node.Name, node.Container = n.Key, n.Container
		if n.Container {
			node.NoCommand = false
		}
		if n.Command != nil {
			setCommand(node, *n.Command)
		}
		if n.Parent != nil {
			node.Parent = ids[n.Parent]
		}
		node.Attrs = maps.Clone(n.Attrs)
		if group, has := node.Attrs["group"]; has {
			node.Group = group
			delete(node.Attrs, "group")
		}
	}
	for _, e := range wf.Edges {
		b.addEdge(builderEdge{from: b.at[ids[e.Source]], to: b.at[ids[e.Target]], when: e.When}, e.Type == graph.NonBlocking, e.Line)
	}
	for name, value := range wf.Attrs {
		checkWritable(1, value)
		b.attr(name, value)
	}
}
