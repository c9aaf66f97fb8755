package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdWorkfile writes a workfile from a text that shows the graph: "workfile Workfile graph.txt".
//
//	a: echo a       a node and its command; name and id are both a
//	a -> b          a blocking edge
//	a ~> b          a non-blocking edge
//	@wrapper: sh -c '{}'   a graph attribute
func cmdWorkfile(ts *testscript.TestScript, neg bool, args []string) {
	worldOf(ts, neg, args, 2, 2, "workfile FILE TEXT")
	data, err := graphMarkup(ts.ReadFile(args[1]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(data), 0o644))
}

// graphMarkup is the GraphML for such a text. It is written by hand here, so that the tests do
// not believe what the program's own writer believes.
func graphMarkup(text string) (string, error) {
	var attrs, nodes, edges strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		head, rest, isNode := strings.Cut(line, ": ")
		words := strings.Fields(line)
		switch {
		case line == "" || line[0] == '#':
		case isNode && line[0] == '@':
			fmt.Fprintf(&attrs, "    <data key=\"%s\">%s</data>\n", head[1:], escape(rest))
		case isNode && len(strings.Fields(head)) == 1:
			fmt.Fprintf(&nodes, "    <node id=\"%s\"><data key=\"name\">%s</data><data key=\"label\">%s</data></node>\n", head, head, escape(rest))
		case len(words) == 3 && words[1] == "->":
			fmt.Fprintf(&edges, "    <edge source=\"%s\" target=\"%s\"/>\n", words[0], words[2])
		case len(words) == 3 && words[1] == "~>":
			fmt.Fprintf(&edges, "    <edge source=\"%s\" target=\"%s\"><data key=\"edge_type\">non-blocking</data></edge>\n", words[0], words[2])
		default:
			return "", fmt.Errorf("not a line of a graph: %q", line)
		}
	}
	return markupHead + attrs.String() + nodes.String() + edges.String() + "  </graph>\n</graphml>\n", nil
}

const markupHead = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="wrapper" for="graph" attr.name="wrapper" attr.type="string"/>
  <key id="jobs" for="graph" attr.name="jobs" attr.type="int"/>
  <key id="max_activations" for="graph" attr.name="max_activations" attr.type="int"/>
  <key id="name" for="node" attr.name="name" attr.type="string"/>
  <key id="label" for="node" attr.name="label" attr.type="string"/>
  <key id="edge_type" for="edge" attr.name="edge_type" attr.type="string"/>
  <graph edgedefault="directed">
`

// escape is text as the content of an element.
func escape(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic(err) // a strings.Builder takes everything
	}
	return b.String()
}
