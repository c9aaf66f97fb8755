package convert

import (
	"cmp"
	"html"
	"maps"
	"slices"
	"strings"

	"wf/graph/pattern"
)

// maxNesting is the maximum depth of nested parts of a drawing.
const maxNesting = 200

// readDot reads a directed graph of Graphviz. The command of a node is its attribute "command", or
// otherwise its label; an edge is non-blocking if its edge_type says so or its style is dashed or dotted.
// Clusters become groups, or sub-flows if they name their node (container=NODE). Control flow is read from
// the attributes with the names of a workfile, and from labels that are conditions. Attributes of the look
// are ignored, except the diamond of a decision.
func readDot(b *builder, data []byte) {
	p := &dotParser{b: b, s: dotScanner{text: string(data), line: 1}, labels: map[string]dotToken{}}
	p.advance()
	p.graph()
	p.commands()
}

// A dotScope is the state within a pair of braces.
type dotScope struct {
	node, edge map[string]dotToken // defaults
	group      string
	container  string   // node whose inside the cluster is
	nodes      []string // nodes that were named in it
}

func (s *dotScope) inner() *dotScope {
	return &dotScope{node: maps.Clone(s.node), edge: maps.Clone(s.edge), group: s.group}
}

type dotParser struct {
	b     *builder
	s     dotScanner
	token dotToken
	name  string // of the graph
	depth int

	labels map[string]dotToken // by node: used if there is no command
}

func (p *dotParser) advance() { p.token = p.s.next() }

// skip advances if the token is the punctuation, and reports whether it was.
func (p *dotParser) skip(punct string) bool {
	found := p.token.is(punct)
	if found {
		p.advance()
	}
	return found
}

// failUnexpected fails because the token is not what is wanted.
func (p *dotParser) failUnexpected(want string) {
	found := "the end of the text"
	if p.token.kind != dotEnd {
		found = "\"" + p.token.text + "\""
	}
	fail(p.token.line, "%s where %s was expected", found, want)
}

// id reads a name or a value.
func (p *dotParser) id(what string) dotToken {
	id := p.token
	if !id.isID() {
		p.failUnexpected(what)
	}
	p.advance()
	return id
}

func (p *dotParser) graph() {
	if p.token.word("strict") {
		p.advance()
	}
	switch {
	case p.token.word("graph"):
		panic(&Error{Line: p.token.line, Msg: "the graph is undirected: its edges do not say which node comes first",
			Fix: "write digraph and ->"})
	case !p.token.word("digraph"):
		p.failUnexpected("digraph")
	}
	p.advance()
	if p.token.isID() {
		p.name = p.token.text
		p.advance()
	}
	p.block(&dotScope{node: map[string]dotToken{}, edge: map[string]dotToken{}})
	if p.token.kind != dotEnd {
		fail(p.token.line, "there is more than one graph")
	}
}

// block reads statements in braces.
func (p *dotParser) block(scope *dotScope) {
	if p.depth++; p.depth > maxNesting {
		fail(p.token.line, "subgraphs are nested more than %d deep", maxNesting)
	}
	if !p.skip("{") {
		p.failUnexpected(`"{"`)
	}
	for !p.skip("}") {
		p.statement(scope)
		p.skip(";")
	}
	p.depth--
}

func (p *dotParser) statement(scope *dotScope) {
	for keyword, defaults := range map[string]map[string]dotToken{"graph": nil, "node": scope.node, "edge": scope.edge} {
		if p.token.word(keyword) {
			p.defaults(scope, defaults)
			return
		}
	}
	line := p.token.line
	nodes, assigned := p.operand(scope)
	if assigned {
		return
	}
	chain := [][]string{nodes}
	for p.skip("->") {
		if nodes, assigned = p.operand(scope); assigned {
			fail(line, "an edge ends at an attribute")
		}
		chain = append(chain, nodes)
	}
	if p.token.is("--") {
		fail(p.token.line, "an edge of a digraph is written ->, not --")
	}
	attrs := p.attributes()
	if len(chain) > 1 {
		p.edges(scope, chain, attrs, line)
	} else if len(nodes) == 1 {
		p.describe(nodes[0], attrs)
	}
}

// defaults reads "node [ … ]" and the like; nil are the attributes of the graph.
func (p *dotParser) defaults(scope *dotScope, to map[string]dotToken) {
	p.advance()
	attrs := p.attributes()
	if to != nil {
		maps.Copy(to, attrs)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		p.graphAttr(scope, name, attrs[name].text)
	}
}

// graphAttr reads an attribute of the graph, or inside a cluster one of the cluster.
func (p *dotParser) graphAttr(scope *dotScope, name, value string) {
	switch {
	case isGraphWord(name) && p.depth == 1:
		p.b.attr(name, dotLabel(value, "", p.name))
	case name == "label" && p.depth > 1 && scope.group != "":
		scope.group = dotLabel(value, "", p.name)
	case name == "container" && p.depth > 1 && scope.group != "":
		scope.container = value
	}
}

// operand reads a node, or a subgraph with all nodes in it. assigned means that it was "name = value".
func (p *dotParser) operand(scope *dotScope) (nodes []string, assigned bool) {
	if p.token.word("subgraph") || p.token.is("{") {
		return p.subgraph(scope), false
	}
	id := p.id("a node")
	if p.skip("=") {
		p.graphAttr(scope, id.text, p.id("a value").text)
		return nil, true
	}
	for p.skip(":") {
		p.id("a port") // the position of the edge at the node
	}
	p.named(scope, id)
	return []string{id.text}, false
}

// named records that a node was named. At the first time the defaults of that place apply to it.
func (p *dotParser) named(scope *dotScope, id dotToken) {
	_, known := p.b.at[id.text]
	if n := p.b.node(id.text, id.line); n.Group == "" {
		n.Group = scope.group
	}
	if !known {
		p.describe(id.text, scope.node)
	}
	scope.nodes = append(scope.nodes, id.text)
}

func (p *dotParser) subgraph(scope *dotScope) []string {
	inner := scope.inner()
	if p.token.word("subgraph") {
		p.advance()
		if p.token.isID() {
			if name, ok := strings.CutPrefix(p.token.text, "cluster"); ok {
				inner.group = cmp.Or(strings.TrimLeft(name, "_"), p.token.text)
			}
			p.advance()
		}
	}
	first := inner.group
	p.block(inner)
	members := distinct(inner.nodes)
	if inner.container != "" {
		for _, id := range members {
			if n := p.b.node(id, 0); n.Group == first || n.Group == inner.group {
				n.Group = ""
			}
		}
		p.b.contain(inner.container, members, p.token.line)
		p.b.node(inner.container, 0).Group = scope.group
		scope.nodes = append(scope.nodes, inner.container)
		return []string{inner.container}
	}
	if inner.group != first { // the label of a cluster may come after its nodes
		for _, id := range inner.nodes {
			if n := p.b.node(id, 0); n.Group == first {
				n.Group = inner.group
			}
		}
	}
	scope.nodes = append(scope.nodes, members...)
	return members
}

// distinct removes repeated elements of a list.
func distinct(list []string) []string {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(s string) bool {
		known := seen[s]
		seen[s] = true
		return known
	})
}

// attributes reads any number of lists in brackets.
func (p *dotParser) attributes() map[string]dotToken {
	attrs := map[string]dotToken{}
	for p.skip("[") {
		for !p.skip("]") {
			name := p.id("an attribute")
			value := dotToken{text: "true", kind: dotID, line: name.line}
			if p.skip("=") {
				value = p.id("a value")
			}
			attrs[name.text] = value
			if !p.skip(",") {
				p.skip(";")
			}
		}
	}
	return attrs
}

// describe evaluates the attributes of a node.
func (p *dotParser) describe(id string, attrs map[string]dotToken) {
	if label, ok := attrs["label"]; ok {
		p.labels[id] = label
	}
	n := p.b.node(id, 0)
	if command, ok := attrs["command"]; ok {
		setCommand(n, dotLabel(command.text, id, p.name))
	}
	if shape := attrs["shape"].text; shape != "" {
		p.b.shapes[id] = shape
	}
	switch attrs["shape"].text {
	case "diamond", "Mdiamond":
		p.b.decisions[p.b.at[id]] = true
	}
	for name, value := range attrs {
		if isNodeWord(name) {
			p.b.describe(id, value.line, name, dotLabel(value.text, id, p.name))
		}
	}
}

// edges joins the nodes of each operand with those of the next one. own are attributes of these edges.
func (p *dotParser) edges(scope *dotScope, chain [][]string, own map[string]dotToken, line int) {
	attrs := maps.Clone(scope.edge)
	maps.Copy(attrs, own)
	styles := strings.FieldsFunc(attrs["style"].text, func(r rune) bool { return r == ',' || r == ' ' })
	if slices.Contains(styles, "invis") {
		return // it only affects the layout
	}
	if dir := attrs["dir"].text; dir != "" && dir != "forward" {
		panic(&Error{Line: line, Msg: "dir=" + dir + " turns or removes the arrow of an edge", Fix: "write the edge the way it points"})
	}
	l := p.condition(attrs)
	l.weak = slices.Contains(styles, "dashed") || slices.Contains(styles, "dotted")
	switch kind := attrs["edge_type"]; kind.text {
	case "":
	case "blocking", "non-blocking":
		l.weak = kind.text == "non-blocking"
	default:
		fail(kind.line, "edge_type %q: must be blocking or non-blocking", kind.text)
	}
	for i := 1; i < len(chain); i++ {
		for _, from := range chain[i-1] {
			for _, to := range chain[i] {
				p.b.edge(from, to, l, line)
			}
		}
	}
}

// condition returns the condition of an edge: its attribute "when", or a label that is a condition. It
// stores any other label, because it may be the outcome of a decision.
func (p *dotParser) condition(attrs map[string]dotToken) link {
	if when, ok := attrs["when"]; ok {
		return link{when: dotLabel(when.text, "", p.name)}
	}
	for _, name := range []string{"label", "xlabel", "taillabel", "headlabel"} {
		if value, ok := attrs[name]; ok && value.text != "" {
			label := dotLabel(value.text, "", p.name)
			if value.kind == dotHTML {
				label, _ = plainHTML(value.text)
			}
			if when := condition(label); when != "" {
				return link{when: when}
			}
			return link{label: strings.TrimSpace(label)}
		}
	}
	return link{}
}

var (
	htmlBreak = pattern.Of(`(?i)<br[^>]*>`)
	htmlTag   = pattern.Of(`</?[A-Za-z][^>]*>`)
	htmlTable = pattern.Of(`(?i)<(table|img)\b`)
)

// plainHTML returns the text of a label in the HTML of Graphviz. simple is false for a table or a picture.
func plainHTML(label string) (text string, simple bool) {
	text = htmlTag.Get().ReplaceAllString(htmlBreak.Get().ReplaceAllString(label, "\n"), "")
	return strings.TrimSpace(html.UnescapeString(text)), !htmlTable.Get().MatchString(label)
}

// commands uses labels as the commands of nodes that have no others.
func (p *dotParser) commands() {
	for i := range p.b.wf.Nodes {
		n := &p.b.wf.Nodes[i]
		label, ok := p.labels[n.ID]
		if !n.NoCommand || !ok {
			continue
		}
		if label.kind == dotHTML {
			text, simple := plainHTML(label.text)
			if !simple {
				p.b.note("line %d: the label of node %s is a table, not a command: give the node an attribute command=\"…\"", label.line, n.Name)
				continue
			}
			setCommand(n, text)
			continue
		}
		if label.text != `\N` {
			setCommand(n, dotLabel(label.text, n.ID, p.name))
		}
	}
}
