package text

import (
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"wf/graph"
	"wf/graph/attribute"
)

// nodes reads the nodes of a container, nil = of the workflow.
func (r *reader) nodes(n *yaml.Node, container *Node) {
	if isNull(resolve(n)) {
		return
	}
	r.entries(n, wordNodes, "write NAME: COMMAND for each node", func(key, value *yaml.Node) {
		if name := strings.TrimSpace(key.Value); name != key.Value || strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			r.wrong(key, "", "%s is no name: it has control characters, or spaces around it", shortened(key.Value))
			return
		}
		node := &Node{Key: key.Value, Parent: container, Line: key.Line, Column: key.Column}
		r.wf.Nodes = append(r.wf.Nodes, node)
		value = resolve(value)
		switch {
		case isNull(value):
		case value.Kind == yaml.ScalarNode:
			r.command(node, key, value)
		case value.Kind == yaml.SequenceNode:
			r.wrong(value, "write one command, in several lines behind run: |", "%s is a list, and a node is a command or a mapping", shortened(key.Value))
		default:
			r.node(node, value)
		}
	})
}

// command reads the command of a node.
func (r *reader) command(node *Node, key, value *yaml.Node) {
	value = resolve(value)
	if value.Kind != yaml.ScalarNode {
		r.wrong(value, "write one command, in several lines behind run: |", "a command is a text, and not %s", describe(value))
		return
	}
	if isNull(value) {
		return
	}
	text := textOf(value)
	node.Command = &text
	node.commandAt = position{value.Line, value.Column}
	if value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		node.commandAt = position{value.Line + 1, key.Column + step}
	}
}

// node reads a node that is more than a command.
func (r *reader) node(node *Node, n *yaml.Node) {
	var inside, when *yaml.Node
	runs := false // it is a command, also if it contains nodes, as some programs write it
	var settings [][2]*yaml.Node
	first := len(r.links)
	r.entries(n, "a node", "", func(key, value *yaml.Node) {
		switch key.Value {
		case wordRun:
			runs = true
			r.command(node, key, value)
		case wordAfter, "needs", "depends", "depends_on":
			r.edges(node, value, false)
		case wordTriggers:
			r.edges(node, value, true)
		case graph.AttrWhen:
			when = value
		case wordRenamed:
			node.Renamed, _ = r.text(key, value)
		case wordNodes:
			inside = value
		default:
			settings = append(settings, [2]*yaml.Node{key, value})
		}
	})
	node.Container = inside != nil && !runs
	r.settings(node, settings)
	if when != nil {
		r.whenForAll(when, r.links[first:])
	}
	if inside != nil {
		r.nodes(inside, node)
	}
}

// settings reads the attributes of a node. Whether a container repeats decides which attributes it may have.
func (r *reader) settings(node *Node, settings [][2]*yaml.Node) {
	if len(settings) == 0 {
		return
	}
	kind := attribute.Command
	if slices.ContainsFunc(settings, func(s [2]*yaml.Node) bool {
		return s[0].Value == graph.AttrWorkfile && strings.TrimSpace(s[1].Value) != ""
	}) {
		kind = attribute.Command | attribute.SubFlow
	}
	if node.Container {
		kind = attribute.Group
		for _, s := range settings {
			if graph.MakesSubFlow(s[0].Value) {
				kind = attribute.SubFlow
			}
		}
	}
	node.Attrs = make(map[string]string, len(settings))
	node.places = make(map[string]position, len(settings))
	for _, s := range settings {
		key := s[0].Value
		if kind == attribute.Group && attribute.Find(attribute.Group, key) == nil && attribute.Find(attribute.SubFlow, key) != nil {
			r.wrong(s[0], "add foreach, times, while or until, or write it on the nodes inside", "%s has no effect on a container that does not repeat", key)
			continue
		}
		if kind == attribute.Command && attribute.Find(kind, key) == nil && attribute.Find(attribute.SubFlow, key) != nil {
			r.wrong(s[0], "put the node into a container: nodes: below it", "%s has no effect on a command; it belongs on a container", key)
			continue
		}
		r.attribute(kind, s[0], s[1], node.Attrs, node.places)
	}
}

// text reads a text of one line or several.
func (r *reader) text(key, value *yaml.Node) (string, bool) {
	value = resolve(value)
	if value.Kind != yaml.ScalarNode || isNull(value) {
		r.wrong(value, "", "%s is %s, and a text is needed", key.Value, describe(value))
		return "", false
	}
	return textOf(value), true
}

// textOf returns a scalar as it is written: yes, 010 and 1:30 are texts. The last line end of a block does not belong to its
// text.
func textOf(n *yaml.Node) string {
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return strings.TrimSuffix(n.Value, "\n")
	}
	return n.Value
}
