package main

import (
	"fmt"
	"strings"

	"wf/graph/attribute"
)

// attributesTopic returns the page about all attributes, generated from their table.
func attributesTopic() string {
	var b strings.Builder
	b.WriteString(`ALL ATTRIBUTES OF A WORKFILE

Set attributes with wf edit set NODE KEY=VALUE, wf edit set-edge SRC DST KEY=VALUE, wf edit
set-graph KEY=VALUE, or any GraphML editor. wf help control-flow and docs/control-flow.md explain
them. A misspelt or misplaced attribute of control flow is an error; others are warnings. wf keeps
attributes of other programs and ignores them.
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
