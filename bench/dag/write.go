package dag

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// writers by name of the format.
var writers = map[string]func(*Graph, *bufio.Writer) error{
	"workfile": (*Graph).writeWorkfile,
	"ninja":    (*Graph).writeNinja,
	"make":     (*Graph).writeMake,
}

// Formats returns the formats that Write supports, sorted.
func Formats() []string {
	var names []string
	for name := range writers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Write writes g in one of the Formats. Ninja and make get a target per node that no command creates, so
// every run of the file runs every command. They cannot represent commands of several lines, which are an
// error.
func (g *Graph) Write(w io.Writer, format string) error {
	write, known := writers[format]
	if !known {
		return fmt.Errorf("no format %q: there are %s", format, strings.Join(Formats(), ", "))
	}
	b := bufio.NewWriterSize(w, 1<<20)
	if err := write(g, b); err != nil {
		return err
	}
	return b.Flush()
}

const workfileHead = `<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="graph" attr.name="wrapper" attr.type="string" />
  <key id="d1" for="node" attr.name="label" attr.type="string" />
  <key id="d2" for="node" attr.name="x" attr.type="string" />
  <key id="d3" for="node" attr.name="y" attr.type="string" />
  <key id="d4" for="node" attr.name="status" attr.type="string" />
  <key id="d5" for="edge" attr.name="edge_type" attr.type="string" />
  <graph edgedefault="directed">
`

// Distances in the drawing.
const columnWidth, rowHeight = 220, 70

// writeWorkfile writes text and not elements, which would take half a second for 100,000 nodes.
func (g *Graph) writeWorkfile(w *bufio.Writer) error {
	level, err := g.levels()
	if err != nil {
		return err
	}
	w.WriteString(workfileHead)
	inLevel := make(map[int]int)
	for i := range g.Nodes {
		n, x := &g.Nodes[i], level[i]
		y := inLevel[x]
		inLevel[x]++
		fmt.Fprintf(w, "    <node id=\"%s\">\n      <data key=\"d1\">%s</data>\n      <data key=\"d2\">%d</data>\n"+
			"      <data key=\"d3\">%d</data>\n      <data key=\"d4\" />\n    </node>\n",
			escapeXML(n.ID), escapeXML(n.Command), x*columnWidth, y*rowHeight)
	}
	for i := range g.Nodes {
		for _, p := range g.Nodes[i].After {
			fmt.Fprintf(w, "    <edge source=\"%s\" target=\"%s\">\n      <data key=\"d5\">blocking</data>\n    </edge>\n",
				escapeXML(g.Nodes[p].ID), escapeXML(g.Nodes[i].ID))
		}
	}
	fmt.Fprintf(w, "    <data key=\"d0\">%s</data>\n  </graph>\n</graphml>\n", escapeXML(g.Wrapper))
	return nil
}

func escapeXML(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return strings.ContainsRune(`&<>"'`, r) || r < ' ' || r > '~' }) {
		return s
	}
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // cannot fail for a Builder
	return b.String()
}

func (g *Graph) writeNinja(w *bufio.Writer) error {
	w.WriteString("rule run\n  command = $cmd\n")
	for i := range g.Nodes {
		if strings.ContainsAny(g.Nodes[i].Command, "\r\n") {
			return fmt.Errorf("node %s: ninja holds no command of several lines", g.Nodes[i].ID)
		}
		fmt.Fprintf(w, "build n%d: run", i)
		g.writeAfter(w, i)
		fmt.Fprintf(w, "\n  cmd = %s\n", strings.ReplaceAll(g.Nodes[i].Command, "$", "$$"))
	}
	return nil
}

// writeMake declares all targets phony, so that make searches neither files nor implicit rules, which is
// its lowest cost for a node.
func (g *Graph) writeMake(w *bufio.Writer) error {
	w.WriteString("all:")
	for i := range g.Nodes {
		fmt.Fprintf(w, " n%d", i)
	}
	w.WriteString("\nnothing:\n.PHONY: all nothing")
	for i := range g.Nodes {
		fmt.Fprintf(w, " n%d", i)
	}
	w.WriteByte('\n')
	for i := range g.Nodes {
		c := g.Nodes[i].Command
		if strings.ContainsAny(c, "\r\n") || strings.HasSuffix(c, `\`) || strings.HasPrefix(strings.TrimLeft(c, "@ \t"), "+") {
			return fmt.Errorf("node %s: make cannot hold the command %q", g.Nodes[i].ID, c)
		}
		fmt.Fprintf(w, "n%d:", i)
		g.writeAfter(w, i)
		fmt.Fprintf(w, "\n\t@%s\n", strings.ReplaceAll(c, "$", "$$"))
	}
	return nil
}

func (g *Graph) writeAfter(w *bufio.Writer, i int) {
	for _, p := range g.Nodes[i].After {
		fmt.Fprintf(w, " n%d", p)
	}
}
