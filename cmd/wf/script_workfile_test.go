package main

import (
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdWorkfile writes a workfile from a text that shows the graph: "workfile Workfile graph.txt".
//
//	a: echo a               a node and its command; name and id are both a
//	a.retries = 2           an attribute of the node; \n starts a new line in the value
//	a -> b                  a blocking edge
//	a -> b when failure     one with a condition
//	a ~> b                  a non-blocking edge
//	loop {                  a node that contains those up to }
//	@wrapper: sh -c '{}'    a graph attribute
func cmdWorkfile(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 2, 2, "workfile FILE TEXT")
	data, err := graphMarkup(ts.ReadFile(args[1]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(data), 0o644))
}

// graphMarkup returns the GraphML of such a text. It does not use the writer of the program, so that tests do
// not share its mistakes.
func graphMarkup(text string) (string, error) {
	m := &markup{attrs: map[string]map[string]string{}, keys: map[string]bool{}}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := m.line(line); err != nil {
			return "", err
		}
	}
	return m.text(), nil
}

// markup is an incomplete workfile.
type markup struct {
	graph strings.Builder
	nodes []string // in order: a name, or "{" and a name, or "}"
	attrs map[string]map[string]string
	edges strings.Builder
	keys  map[string]bool // "node label"
}

var attributeLine = regexp.MustCompile(`^([^\s.:]+)\.([a-z_]+) = (.*)$`)

func (m *markup) line(line string) error {
	head, rest, isNode := strings.Cut(line, ": ")
	edge, when, _ := strings.Cut(line, " when ")
	words := strings.Fields(edge)
	attribute := attributeLine.FindStringSubmatch(line)
	switch {
	case attribute != nil && m.attrs[attribute[1]] != nil:
		m.attrs[attribute[1]][attribute[2]] = strings.ReplaceAll(attribute[3], `\n`, "\n")
	case line == "}":
		m.nodes = append(m.nodes, line)
	case len(words) == 2 && words[1] == "{":
		m.nodes = append(m.nodes, "{"+words[0])
		m.attrs[words[0]] = map[string]string{"name": words[0]}
	case len(words) == 3 && (words[1] == "->" || words[1] == "~>"):
		fmt.Fprintf(&m.edges, "    <edge source=\"%s\" target=\"%s\">", words[0], words[2])
		if words[1] == "~>" {
			m.edges.WriteString(m.data("edge", "edge_type", "non-blocking"))
		}
		if when != "" {
			m.edges.WriteString(m.data("edge", "when", when))
		}
		m.edges.WriteString("</edge>\n")
	case isNode && line[0] == '@':
		m.graph.WriteString("    " + m.data("graph", head[1:], rest) + "\n")
	case isNode && len(strings.Fields(head)) == 1:
		m.nodes = append(m.nodes, head)
		m.attrs[head] = map[string]string{"name": head, "label": rest}
	default:
		return fmt.Errorf("not a line of a graph: %q", line)
	}
	return nil
}

// data returns a value and declares its key.
func (m *markup) data(of, attr, value string) string {
	m.keys[of+" "+attr] = true
	return fmt.Sprintf("<data key=\"%s-%s\">%s</data>", of, attr, escape(value))
}

func (m *markup) text() string {
	var body, keys strings.Builder
	for _, n := range m.nodes {
		name, container := strings.CutPrefix(n, "{")
		if name == "}" {
			body.WriteString("    </graph></node>\n")
			continue
		}
		fmt.Fprintf(&body, "    <node id=\"%s\">", name)
		for _, attr := range slices.Sorted(maps.Keys(m.attrs[name])) {
			body.WriteString(m.data("node", attr, m.attrs[name][attr]))
		}
		if container {
			fmt.Fprintf(&body, "<graph id=\"%s:\" edgedefault=\"directed\">\n", name)
		} else {
			body.WriteString("</node>\n")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(m.keys)) {
		of, attr, _ := strings.Cut(key, " ")
		fmt.Fprintf(&keys, "  <key id=\"%s-%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"string\"/>\n", of, attr, of, attr)
	}
	return `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
` + keys.String() + "  <graph edgedefault=\"directed\">\n" + m.graph.String() + body.String() + m.edges.String() + "  </graph>\n</graphml>\n"
}

// markupHead is the start of a workfile, for tests that write the rest themselves.
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

// escape returns text as the content of an element.
func escape(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic(err) // a strings.Builder returns no errors
	}
	return b.String()
}
