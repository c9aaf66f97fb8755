package convert

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wf/api"
	"wf/graph/pattern"
)

// Mermaid returns a graph as a flowchart. Import reads it as the same workflow: attributes that Mermaid
// does not have are in comments, "%% wf: NODE NAME=TEXT", with the text as a JSON string.
func Mermaid(g *api.Graph) []byte {
	v := newView(g)
	ids := v.ids(isMermaidID)
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	for _, lost := range Lost(g) {
		fmt.Fprintf(&b, "  %%%% %s\n", strings.ReplaceAll(lost, "\n", " "))
	}
	for _, a := range graphAttributes(g) {
		mermaidAttribute(&b, "graph", a.name, a.text)
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
	var clusters func(f *cluster, indent string, count *int)
	clusters = func(f *cluster, indent string, count *int) {
		for _, i := range f.nodes {
			line(indent, i)
		}
		for _, inner := range f.clusters {
			fmt.Fprintf(&b, "%ssubgraph group_%d [\"%s\"]\n", indent, *count, mermaidQuote(inner.title))
			if inner.subFlow >= 0 {
				mermaidAttribute(&b, ids[inner.subFlow], mermaidContainer, fmt.Sprintf("group_%d", *count))
			}
			*count++
			clusters(inner, indent+"  ", count)
			fmt.Fprintf(&b, "%send\n", indent)
		}
	}
	clusters(v.root, "  ", new(int))
	for i, n := range v.nodes {
		for _, a := range attributes(n, ids[i]) {
			mermaidAttribute(&b, ids[i], a.name, a.text)
		}
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

// mermaidContainer is the attribute that names the subgraph of a sub-flow.
const mermaidContainer = "is_container"

// mermaidAttribute writes an attribute as a comment. Braces are escaped, because a comment with braces
// could be read as a directive.
func mermaidAttribute(b *strings.Builder, id, name, text string) {
	quoted, _ := json.Marshal(visible(text)) // marshalling a text cannot fail
	escaped := strings.NewReplacer("{", `\u007b`, "}", `\u007d`).Replace(string(quoted))
	fmt.Fprintf(b, "  %%%% wf: %s %s=%s\n", id, name, escaped)
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
	mermaidPlain    = pattern.Of(`^[A-Za-z0-9_][A-Za-z0-9_]*([.-][A-Za-z0-9_]+)*$`)
	mermaidReserved = pattern.Of(`^(?i:end|subgraph|graph|flowchart|flowchart-elk|direction|classDef|class|style|linkStyle|click|default|href|call|interpolate|acc[A-Za-z]*|group_\d+)$`)
)

// isMermaidID reports whether a name needs no quotes: it is not a keyword, and no arrow before it reads as
// another one ("a ---over" ends in a circle).
func isMermaidID(name string) bool {
	return mermaidPlain.Get().MatchString(name) && !mermaidReserved.Get().MatchString(name)
}

// mermaidQuote writes a text between quotes: special characters become numeric references.
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
