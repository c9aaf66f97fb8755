package convert

import (
	"fmt"
	"strings"

	"wf/api"
)

// Dot shows a graph in the language of Graphviz. Read again, it is the same nodes, commands, edges
// and groups: commands stand in an attribute that Graphviz leaves alone.
func Dot(g *api.Graph) []byte {
	v := newView(g)
	ids := v.ids(func(name string) bool { return !strings.Contains(name, `\`) })
	var b strings.Builder
	b.WriteString("digraph workfile {\n")
	if g.Wrapper != "" {
		fmt.Fprintf(&b, "  graph [wrapper=%s];\n", dotString(g.Wrapper))
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
		list := ""
		if len(attrs) > 0 {
			list = " [" + strings.Join(attrs, ", ") + "]"
		}
		fmt.Fprintf(&b, "  %s%s;\n", dotName(ids[i]), list)
	}
	titles, members := v.inGroups()
	for k, title := range titles {
		fmt.Fprintf(&b, "  subgraph cluster_%d {\n    label=%s;\n", k, dotString(title))
		for _, i := range members[title] {
			fmt.Fprintf(&b, "    %s;\n", dotName(ids[i]))
		}
		b.WriteString("  }\n")
	}
	for i, e := range v.edges {
		var list []string
		if e.Weak {
			list = append(list, "edge_type=\"non-blocking\"", "style=dashed")
		}
		if v.when[i] != "" {
			list = append(list, "label="+dotString(v.when[i]))
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

// dotName writes a name without backslashes.
func dotName(name string) string {
	return `"` + strings.ReplaceAll(visible(name), `"`, `\"`) + `"`
}

// dotString writes a text in which backslashes are escapes.
func dotString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(visible(text)) + `"`
}
