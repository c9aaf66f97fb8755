package convert

import (
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// maxNesting is the maximum depth of nested parts of a drawing.
const maxNesting = 200

// readDot reads a directed graph of Graphviz. The command of a node is its attribute "command", or
// otherwise its label; an edge is non-blocking if its edge_type says so or its style is dashed or dotted.
// Clusters become groups, or sub-flows if they name their node (container=NODE). Control flow is read from
// the attributes with the names of a workfile, and from labels that are conditions. Attributes of the look
// are ignored, except the diamond of a decision.
func readDot(b *builder, data []byte) error {
	p := &dotParser{b: b, s: dotScanner{text: string(data), line: 1}, labels: map[string]dotValue{}}
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.graph(); err != nil {
		return err
	}
	return p.commands()
}

// A dotValue is the value of an attribute and how it was written.
type dotValue struct {
	text string
	kind dotKind
	line int
}

// A dotScope is the state within a pair of braces.
type dotScope struct {
	node, edge map[string]dotValue // defaults
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

	labels map[string]dotValue // by node: used if there is no command
}

func (p *dotParser) advance() (err error) {
	p.token, err = p.s.next()
	return err
}

// expect skips the required punctuation.
func (p *dotParser) expect(punct string) error {
	if !p.token.is(punct) {
		return p.unexpected("%q", punct)
	}
	return p.advance()
}

func (p *dotParser) unexpected(want string, args ...any) error {
	found := "the end of the text"
	if p.token.kind != dotEnd {
		found = "\"" + p.token.text + "\""
	}
	e := errorAt(p.token.line, want, args...)
	e.Msg = found + " where " + e.Msg + " was expected"
	return e
}

func (p *dotParser) graph() error {
	if p.token.word("strict") {
		if err := p.advance(); err != nil {
			return err
		}
	}
	switch {
	case p.token.word("graph"):
		return &Error{Line: p.token.line, Msg: "the graph is undirected: its edges do not say which node comes first",
			Fix: "write digraph and ->"}
	case !p.token.word("digraph"):
		return p.unexpected("digraph")
	}
	if err := p.advance(); err != nil {
		return err
	}
	if p.token.isID() {
		p.name = p.token.text
		if err := p.advance(); err != nil {
			return err
		}
	}
	scope := &dotScope{node: map[string]dotValue{}, edge: map[string]dotValue{}}
	if err := p.block(scope); err != nil {
		return err
	}
	if p.token.kind != dotEnd {
		return errorAt(p.token.line, "there is more than one graph")
	}
	return nil
}

// block reads statements in braces.
func (p *dotParser) block(scope *dotScope) error {
	if p.depth++; p.depth > maxNesting {
		return errorAt(p.token.line, "subgraphs are nested more than %d deep", maxNesting)
	}
	defer func() { p.depth-- }()
	if err := p.expect("{"); err != nil {
		return err
	}
	for !p.token.is("}") {
		if err := p.statement(scope); err != nil {
			return err
		}
		if p.token.is(";") {
			if err := p.advance(); err != nil {
				return err
			}
		}
	}
	return p.advance()
}

func (p *dotParser) statement(scope *dotScope) error {
	for keyword, defaults := range map[string]map[string]dotValue{"graph": nil, "node": scope.node, "edge": scope.edge} {
		if p.token.word(keyword) {
			return p.defaults(scope, defaults)
		}
	}
	line := p.token.line
	nodes, assigned, err := p.operand(scope)
	if err != nil || assigned {
		return err
	}
	if !p.token.is("->") && !p.token.is("--") {
		attrs, err := p.attributes()
		if err == nil && len(nodes) == 1 {
			p.describe(nodes[0], attrs)
		}
		return err
	}
	chain := [][]string{nodes}
	for p.token.is("->") || p.token.is("--") {
		if p.token.is("--") {
			return &Error{Line: p.token.line, Msg: "an edge of a digraph is written ->, not --"}
		}
		if err := p.advance(); err != nil {
			return err
		}
		if nodes, assigned, err = p.operand(scope); err != nil {
			return err
		} else if assigned {
			return errorAt(line, "an edge ends at an attribute")
		}
		chain = append(chain, nodes)
	}
	return p.edges(scope, chain, line)
}

// defaults reads "node [ … ]" and the like; nil are the attributes of the graph.
func (p *dotParser) defaults(scope *dotScope, to map[string]dotValue) error {
	if err := p.advance(); err != nil {
		return err
	}
	attrs, err := p.attributes()
	if err != nil {
		return err
	}
	if to != nil {
		maps.Copy(to, attrs)
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		p.graphAttr(scope, name, attrs[name].text)
	}
	return nil
}

// graphAttr reads an attribute of the graph, or inside a cluster one of the cluster.
func (p *dotParser) graphAttr(scope *dotScope, name, value string) {
	switch {
	case graphWords[name] && p.depth == 1:
		p.b.attr(name, dotLabel(value, "", p.name))
	case name == "label" && p.depth > 1 && scope.group != "":
		scope.group = dotLabel(value, "", p.name)
	case name == "container" && p.depth > 1 && scope.group != "":
		scope.container = value
	}
}

// operand reads a node, or a subgraph with all nodes in it. assigned means that it was "name = value".
func (p *dotParser) operand(scope *dotScope) (nodes []string, assigned bool, err error) {
	if p.token.word("subgraph") || p.token.is("{") {
		nodes, err = p.subgraph(scope)
		return nodes, false, err
	}
	if !p.token.isID() {
		return nil, false, p.unexpected("a node")
	}
	id := p.token
	if err := p.advance(); err != nil {
		return nil, false, err
	}
	if p.token.is("=") {
		if err := p.advance(); err != nil {
			return nil, false, err
		}
		if !p.token.isID() {
			return nil, false, p.unexpected("a value")
		}
		p.graphAttr(scope, id.text, p.token.text)
		return nil, true, p.advance()
	}
	for p.token.is(":") { // a port: the position of the edge at the node
		if err := p.advance(); err != nil {
			return nil, false, err
		}
		if !p.token.isID() {
			return nil, false, p.unexpected("a port")
		}
		if err := p.advance(); err != nil {
			return nil, false, err
		}
	}
	p.named(scope, id)
	return []string{id.text}, false, nil
}

// named records that a node was named. At the first time the defaults of that place apply to it.
func (p *dotParser) named(scope *dotScope, id dotToken) {
	if _, known := p.b.at[id.text]; !known {
		n := p.b.node(id.text, id.line)
		n.Group = scope.group
		p.describe(id.text, scope.node)
	} else if n := p.b.node(id.text, id.line); n.Group == "" {
		n.Group = scope.group
	}
	scope.nodes = append(scope.nodes, id.text)
}

func (p *dotParser) subgraph(scope *dotScope) ([]string, error) {
	inner := scope.inner()
	if p.token.word("subgraph") {
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.token.isID() {
			if name, ok := strings.CutPrefix(p.token.text, "cluster"); ok {
				inner.group = strings.TrimLeft(name, "_")
				if inner.group == "" {
					inner.group = p.token.text
				}
			}
			if err := p.advance(); err != nil {
				return nil, err
			}
		}
	}
	first := inner.group
	if err := p.block(inner); err != nil {
		return nil, err
	}
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
		return []string{inner.container}, nil
	}
	if inner.group != first { // the label of a cluster may come after its nodes
		for _, id := range inner.nodes {
			if n := p.b.node(id, 0); n.Group == first {
				n.Group = inner.group
			}
		}
	}
	scope.nodes = append(scope.nodes, members...)
	return members, nil
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
func (p *dotParser) attributes() (map[string]dotValue, error) {
	attrs := map[string]dotValue{}
	for p.token.is("[") {
		if err := p.advance(); err != nil {
			return nil, err
		}
		for !p.token.is("]") {
			if err := p.attribute(attrs); err != nil {
				return nil, err
			}
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	return attrs, nil
}

func (p *dotParser) attribute(attrs map[string]dotValue) error {
	if !p.token.isID() {
		return p.unexpected("an attribute")
	}
	name := p.token
	if err := p.advance(); err != nil {
		return err
	}
	value := dotValue{text: "true", kind: dotID, line: name.line}
	if p.token.is("=") {
		if err := p.advance(); err != nil {
			return err
		}
		if !p.token.isID() {
			return p.unexpected("a value")
		}
		value = dotValue{p.token.text, p.token.kind, p.token.line}
		if err := p.advance(); err != nil {
			return err
		}
	}
	attrs[name.text] = value
	if p.token.is(",") || p.token.is(";") {
		return p.advance()
	}
	return nil
}

// describe evaluates the attributes of a node.
func (p *dotParser) describe(id string, attrs map[string]dotValue) {
	if label, ok := attrs["label"]; ok {
		p.labels[id] = label
	}
	n := p.b.node(id, 0)
	if command, ok := attrs["command"]; ok {
		setCommand(n, dotLabel(command.text, id, p.name))
	}
	switch attrs["shape"].text {
	case "diamond", "Mdiamond":
		p.b.decisions[p.b.at[id]] = true
	}
	for name, value := range attrs {
		if nodeWords[name] {
			p.b.describe(id, value.line, name, dotLabel(value.text, id, p.name))
		}
	}
}

// edges joins the nodes of each operand with those of the next one.
func (p *dotParser) edges(scope *dotScope, chain [][]string, line int) error {
	attrs := maps.Clone(scope.edge)
	own, err := p.attributes()
	if err != nil {
		return err
	}
	maps.Copy(attrs, own)
	styles := strings.FieldsFunc(attrs["style"].text, func(r rune) bool { return r == ',' || r == ' ' })
	if slices.Contains(styles, "invis") {
		return nil // it only affects the layout
	}
	switch dir := attrs["dir"].text; dir {
	case "", "forward":
	default:
		return &Error{Line: line, Msg: "dir=" + dir + " turns or removes the arrow of an edge", Fix: "write the edge the way it points"}
	}
	l := p.condition(attrs)
	l.weak = slices.Contains(styles, "dashed") || slices.Contains(styles, "dotted")
	switch kind := attrs["edge_type"]; kind.text {
	case "":
	case "blocking", "non-blocking":
		l.weak = kind.text == "non-blocking"
	default:
		return errorAt(kind.line, "edge_type %q: must be blocking or non-blocking", kind.text)
	}
	for i := 1; i < len(chain); i++ {
		for _, from := range chain[i-1] {
			for _, to := range chain[i] {
				if err := p.b.edge(from, to, l, line); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// condition returns the condition of an edge: its attribute "when", or a label that is a condition. It
// stores any other label, because it may be the outcome of a decision.
func (p *dotParser) condition(attrs map[string]dotValue) link {
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
	htmlBreak = regexp.MustCompile(`(?i)<br[^>]*>`)
	htmlTag   = regexp.MustCompile(`</?[A-Za-z][^>]*>`)
	htmlTable = regexp.MustCompile(`(?i)<(table|img)\b`)
)

// plainHTML returns the text of a label in the HTML of Graphviz. simple is false for a table or a picture.
func plainHTML(label string) (text string, simple bool) {
	text = htmlTag.ReplaceAllString(htmlBreak.ReplaceAllString(label, "\n"), "")
	return strings.TrimSpace(html.UnescapeString(text)), !htmlTable.MatchString(label)
}

// commands uses labels as the commands of nodes that have no others.
func (p *dotParser) commands() error {
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
	return nil
}
