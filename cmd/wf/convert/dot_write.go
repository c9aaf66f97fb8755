package convert

import (
	"fmt"
	"strings"

	"wf/api"
)

// Dot returns a graph in the language of Graphviz. Import reads it as the same nodes, commands, edges,
// groups, sub-flows and control flow: these are written in attributes that Graphviz ignores.
func Dot(g *api.Graph) []byte {
	v := newView(g)
	ids := v.ids(func(name string) bool { return !strings.Contains(name, `\`) })
	var b strings.Builder
	for _, lost := range Lost(g) {
		fmt.Fprintf(&b, "// %s\n", strings.ReplaceAll(lost, "\n", " "))
	}
	b.WriteString("digraph workfile {\n")
	for _, a := range graphAttributes(g) {
		fmt.Fprintf(&b, "  graph [%s=%s];\n", a.name, dotString(a.text))
	}
	b.WriteString("  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"sans-serif\"];\n")
	for i, n := range v.nodes {
		var attrs []string
		if n.Command != "" {
			attrs = append(attrs, "command="+dotString(n.Command), "tooltip="+dotString(n.Command))
		}
		if fill := fills[n.State]; fill != "" {
			attrs = append(attrs, "fillcolor=\""+fill+"\"")
		}
		if n.SubFlow != "" {
			attrs = append(attrs, "shape=box3d", "tooltip="+dotString(n.SubFlow))
		}
		for _, a := range attributes(n, ids[i]) {
			attrs = append(attrs, a.name+"="+dotString(a.text))
		}
		list := ""
		if len(attrs) > 0 {
			list = " [" + strings.Join(attrs, ", ") + "]"
		}
		fmt.Fprintf(&b, "  %s%s;\n", dotName(ids[i]), list)
	}
	clusters := 0
	dotClusters(&b, v.root, ids, "  ", &clusters)
	for i, e := range v.edges {
		var list []string
		if e.Weak {
			list = append(list, "edge_type=\"non-blocking\"", "style=dashed")
		}
		if v.when[i] != "" {
			list = append(list, "when="+dotString(v.when[i]), "label="+dotString(v.when[i]))
		}
		attrs := ""
		if len(list) > 0 {
			attrs = " [" + strings.Join(list, ", ") + "]"
		}
		fmt.Fprintf(&b, "  %s -> %s%s;\n", dotName(ids[e.From]), dotName(ids[e.To]), attrs)
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

// dotClusters writes the clusters within a cluster. The cluster of a sub-flow names its node.
func dotClusters(b *strings.Builder, f *cluster, ids []string, indent string, count *int) {
	for _, inner := range f.clusters {
		fmt.Fprintf(b, "%ssubgraph cluster_%d {\n%s  label=%s;\n", indent, *count, indent, dotString(inner.title))
		*count++
		if inner.subFlow >= 0 {
			fmt.Fprintf(b, "%s  container=%s;\n", indent, dotName(ids[inner.subFlow]))
		}
		for _, i := range inner.nodes {
			fmt.Fprintf(b, "%s  %s;\n", indent, dotName(ids[i]))
		}
		dotClusters(b, inner, ids, indent+"  ", count)
		fmt.Fprintf(b, "%s}\n", indent)
	}
}

// dotName quotes a name, without backslashes.
func dotName(name string) string {
	return `"` + strings.ReplaceAll(visible(name), `"`, `\"`) + `"`
}

// dotString quotes a text in which backslashes are escapes.
func dotString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(visible(text)) + `"`
}
