package convert

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"wf/api"
)

// Mermaid shows a graph as a flowchart. Read again, it is the same commands, edges and groups, and
// the same names where Mermaid can write them.
func Mermaid(g *api.Graph) []byte {
	v := newView(g)
	ids := v.ids(isMermaidID)
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	if g.Wrapper != "" {
		fmt.Fprintf(&b, "  %%%% wrapper: %s\n", strings.ReplaceAll(visible(g.Wrapper), "\n", " "))
	}
	line := func(indent string, i int) {
		text := ""
		switch n := v.nodes[i]; {
		case n.SubFlow != "":
			text = `[["` + mermaidQuote(n.Name+" "+n.SubFlow) + `"]]`
		case n.Command != "":
			text = `["` + mermaidQuote(n.Command) + `"]`
		}
		fmt.Fprintf(&b, "%s%s%s\n", indent, ids[i], text)
	}
	for i, group := range v.groups {
		if group == "" {
			line("  ", i)
		}
	}
	titles, members := v.inGroups()
	for k, title := range titles {
		fmt.Fprintf(&b, "  subgraph group_%d [\"%s\"]\n", k, mermaidQuote(title))
		for _, i := range members[title] {
			line("    ", i)
		}
		b.WriteString("  end\n")
	}
	for i, e := range v.edges {
		arrow := "-->"
		if e.Weak {
			arrow = "-.->"
		}
		if v.when[i] != "" {
			arrow += `|"` + mermaidQuote(v.when[i]) + `"|`
		}
		fmt.Fprintf(&b, "  %s %s %s\n", ids[e.From], arrow, ids[e.To])
	}
	mermaidClasses(&b, v, ids)
	return []byte(b.String())
}

// mermaidClasses gives the nodes the colours of their states.
func mermaidClasses(b *strings.Builder, v view, ids []string) {
	byState := map[api.State][]string{}
	for i, n := range v.nodes {
		if fills[n.State] != "" {
			byState[n.State] = append(byState[n.State], ids[i])
		}
	}
	for _, state := range slices.Sorted(maps.Keys(byState)) {
		fmt.Fprintf(b, "  classDef %s fill:%s\n", state, fills[state])
		fmt.Fprintf(b, "  class %s %s\n", strings.Join(byState[state], ","), state)
	}
}

var (
	mermaidPlain    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_]*([.-][A-Za-z0-9_]+)*$`)
	mermaidReserved = regexp.MustCompile(`^(?i:end|subgraph|graph|flowchart|flowchart-elk|direction|classDef|class|style|linkStyle|click|default|href|call|interpolate|acc[A-Za-z]*|group_\d+)$`)
)

// isMermaidID says whether a name can stand as it is: no word of the language, and nothing that
// together with an arrow reads as another one ("a ---over" ends in a circle).
func isMermaidID(name string) bool {
	return mermaidPlain.MatchString(name) && !mermaidReserved.MatchString(name)
}

// mermaidQuote writes a text between quotes: what is special in any reading becomes a number.
func mermaidQuote(text string) string {
	var b strings.Builder
	for _, r := range visible(text) {
		switch {
		case r == '\n':
			b.WriteString("<br/>")
		case strings.ContainsRune("\"#<>&`\\*_{}[]|;\t", r):
			fmt.Fprintf(&b, "#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
