// Package text writes the meaning of a workflow as canonical YAML, and reads such texts: what runs, after what, and under
// which conditions. It leaves out where nodes are in drawings, what runs have written, and the data of other programs;
// reading a text over an existing workflow keeps all of that. It does no I/O and has no state.
package text

import (
	"bytes"
	"fmt"

	"wf/graph"
	"wf/graph/attribute"
)

// SchemaFile is the name under which the head of a text refers to its JSON Schema, relative to the text.
const SchemaFile = "workfile.schema.json"

// schemaLine tells editors with a YAML language server where the schema is.
const schemaLine = "# yaml-language-server: $schema=" + SchemaFile + "\n"

// Names in the text that are not names of attributes.
const (
	wordNodes    = "nodes"
	wordRun      = "run"
	wordAfter    = "after"
	wordTriggers = "triggers"
	wordRenamed  = "renamed"
	wordNode     = "node"
	wordType     = "type"
)

// Names of attributes that the text treats in a special way.
const (
	attrLabel = "label"
	attrName  = "name"
	attrX     = "x"
	attrY     = "y"
	attrType  = "edge_type"
)

const (
	step       = 2   // the indentation of each level
	maxNesting = 200 // of containers
)

// Write returns the canonical text of a workflow. Equal workflows give equal texts. The order of nodes is that of the file,
// those of a container together; edges are at their targets (after), or at their sources if they are non-blocking
// (triggers). It returns an error if containers are nested too deep for a text.
func Write(g *graph.Graph) ([]byte, error) {
	w := &writer{inside: map[*graph.Node][]*graph.Node{}}
	depth := make(map[*graph.Node]int, len(g.Nodes()))
	for _, n := range g.Nodes() { // containers come before the nodes inside
		w.inside[n.Parent] = append(w.inside[n.Parent], n)
		if depth[n] = depth[n.Parent] + 1; depth[n] > maxNesting {
			return nil, fmt.Errorf("containers are nested more than %d deep, and a text cannot show that", maxNesting)
		}
	}
	w.keys = keysOf(g)
	w.WriteString(schemaLine)
	w.foreign(g)
	attrs := g.Attrs()
	head := w.Len()
	for a := range attribute.On(attribute.Graph) {
		if value := attrs[a.Name]; value != "" && shown(a) {
			w.attribute(0, a, value)
		}
	}
	if w.Len() > head {
		w.separate()
	}
	w.nodes(0, nil)
	return w.Bytes(), nil
}

// shown reports whether the text has an attribute under its own name.
func shown(a *attribute.Attribute) bool {
	switch a.Name {
	case attrLabel, attrName, attrX, attrY, attrType:
		return false
	case graph.AttrConflict:
		return true // people settle it here
	}
	return a.Settable()
}

// kindOf returns which attributes have a meaning on a node.
func kindOf(n *graph.Node) attribute.Element {
	switch {
	case n.SubFlow():
		return attribute.SubFlow
	case !n.Container && n.WorkfileName() != "":
		return attribute.Command | attribute.SubFlow
	case n.Container:
		return attribute.Group
	}
	return attribute.Command
}

// A writer collects the text.
type writer struct {
	bytes.Buffer
	keys   *keys
	inside map[*graph.Node][]*graph.Node // nodes by container
	open   bool                          // the last value would take in an empty line after it
}

// separate writes an empty line, unless it would become part of the value before it.
func (w *writer) separate() {
	if !w.open {
		w.WriteByte('\n')
	}
}

// key writes the beginning of an entry, up to the colon.
func (w *writer) key(indent int, name string) {
	w.indent(indent)
	w.open = false
	text := scalar(name, plainKey)
	const longest = 500 // YAML allows 1024 characters for a key in front of its colon
	if len(text) > longest {
		w.WriteString("? " + text + "\n")
		w.indent(indent)
		w.WriteByte(':')
		return
	}
	w.WriteString(text + ":")
}

func (w *writer) indent(n int) {
	for range n {
		w.WriteByte(' ')
	}
}

// line writes the rest of an entry whose value stands in the same line.
func (w *writer) line(value string) { w.WriteString(" " + value + "\n") }

// nodes writes the nodes of a container, nil = of the workflow.
func (w *writer) nodes(indent int, container *graph.Node) {
	list := w.inside[container]
	w.key(indent, wordNodes)
	if len(list) == 0 {
		w.line("{}")
		return
	}
	w.WriteByte('\n')
	long := false // the node before has several lines
	for i, n := range list {
		from, before := w.Len(), w.open
		w.node(indent+step, n)
		now := bytes.Count(w.Bytes()[from:], []byte("\n")) > 1
		if i > 0 && (long || now) && !before {
			text := bytes.Clone(w.Bytes()[from:])
			w.Truncate(from)
			w.WriteByte('\n')
			w.Write(text)
		}
		long = now
	}
}

// node writes a node: its command alone if there is nothing else to say.
func (w *writer) node(indent int, n *graph.Node) {
	w.key(indent, w.keys.of[n])
	at := w.Len()
	w.WriteByte('\n')
	after, triggers := w.edgesOf(n)
	label, own := n.Attr(attrLabel)
	command := !n.Container && !n.NoCommand && (own || label != "")
	bare, parent := w.Len(), len(w.inside[n]) > 0
	if command {
		w.key(indent+step, wordRun)
		w.command(indent+step, label)
	} else if parent && !n.Container { // run distinguishes it from a container
		w.key(indent+step, wordRun)
		w.line("null")
	}
	alone := w.Len()
	open := w.open
	w.edges(indent+step, wordAfter, after)
	w.edges(indent+step, wordTriggers, triggers)
	for a := range attribute.On(kindOf(n)) {
		if value, _ := n.Attr(a.Name); value != "" && shown(a) {
			w.attribute(indent+step, a, value)
		}
	}
	if n.Container || parent {
		if w.Len() > bare {
			w.separate()
		}
		w.nodes(indent+step, n)
	}
	if w.Len() > alone {
		return
	}
	w.Truncate(at)
	w.open = open
	switch {
	case alone > bare:
		w.command(indent, label)
	default:
		w.line("{}")
	}
}

// command writes a command: in its line if that needs no quotes, otherwise as a block.
func (w *writer) command(indent int, text string) {
	switch {
	case plain(text, plainValue):
		w.line(text)
	case quotable(text) && looksTyped(text):
		w.line(quoted(text))
	default:
		w.block(indent, text)
	}
}

// block writes a text as a block whose last line end does not belong to it, or in quotes if a block cannot hold it.
func (w *writer) block(indent int, text string) {
	if !blockable(text) {
		w.line(quoted(text))
		return
	}
	head := "|"
	if text[0] == ' ' || text[0] == '\n' {
		head += fmt.Sprint(step)
	}
	if w.open = text[len(text)-1] == '\n'; w.open {
		head += "+"
	}
	w.line(head)
	for line := range bytes.Lines([]byte(text + "\n")) {
		if len(line) > 1 {
			w.indent(indent + step)
		}
		w.Write(line)
	}
}
