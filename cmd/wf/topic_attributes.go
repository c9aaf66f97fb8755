package main

import (
	"fmt"
	"strings"

	"wf/graph/attribute"
)

// attributesTopic is the page about all attributes, made from their table.
func attributesTopic() string {
	var b strings.Builder
	b.WriteString(`ALL ATTRIBUTES OF A WORKFILE

What people set: wf edit set NODE KEY=VALUE, wf edit set-edge SRC DST KEY=VALUE, wf edit set-graph
KEY=VALUE, or any GraphML editor. wf help control-flow and docs/control-flow.md say what they do
together. A misspelt or misplaced one is an error where it would decide what runs, else a warning.
Attributes of other programs are kept and mean nothing here.
`)
	for _, part := range []struct {
		on    attribute.Element
		title string
	}{
		{attribute.Node, "NODES"}, {attribute.Command | attribute.SubFlow, "COMMANDS AND CONTAINERS THAT REPEAT"},
		{attribute.Command, "COMMANDS"}, {attribute.Command | attribute.Graph, "COMMANDS, OR THE GRAPH FOR ALL OF THEM"}, {attribute.SubFlow, "CONTAINERS"}, {attribute.Edge, "EDGES"}, {attribute.Graph, "THE GRAPH"},
	} {
		fmt.Fprintf(&b, "\n%s\n\n", part.title)
		for a := range attribute.On(part.on) {
			if a.Settable() && a.On == part.on {
				fmt.Fprintf(&b, "  %-16s %s\n", a.Name, a.Meaning)
			}
		}
	}
	b.WriteString("\nWHAT RUNS WRITE\n\n")
	for a := range attribute.All() {
		if !a.Settable() {
			fmt.Fprintf(&b, "  %-16s %s\n", a.Name, a.Meaning+" ("+a.On.String()+")")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
