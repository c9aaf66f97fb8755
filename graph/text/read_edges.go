package text

import (
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"wf/graph"
	"wf/graph/spelling"
)

// A link is an edge whose other end is not resolved yet.
type link struct {
	node *Node // that lists it
	to   string
	out  bool // the edge leads from node to to; otherwise to node
	kind graph.EdgeType
	when string // "" = none is said
	at   *yaml.Node
}

// edges reads a list of edges: a name, a list of names or mappings, or a mapping of names to conditions.
func (r *reader) edges(node *Node, n *yaml.Node, out bool) {
	n = resolve(n)
	usual := graph.Blocking
	if out {
		usual = graph.NonBlocking
	}
	add := func(name *yaml.Node, when string, kind graph.EdgeType) {
		if name = resolve(name); name.Kind != yaml.ScalarNode || isNull(name) {
			r.wrong(name, "", "%s is no name of a node", describe(name))
			return
		}
		r.links = append(r.links, link{node: node, to: name.Value, out: out, kind: kind, when: when, at: name})
	}
	switch {
	case isNull(n):
	case n.Kind == yaml.ScalarNode:
		add(n, "", usual)
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			if item = resolve(item); item.Kind == yaml.MappingNode {
				r.edgeItem(item, usual, add)
				continue
			}
			add(item, "", usual)
		}
	default:
		r.entries(n, "the list of edges", "", func(key, value *yaml.Node) {
			when, kind, _ := r.edgeValues(value, usual)
			add(key, when, kind)
		})
	}
}

// edgeItem reads an item {node: a, when: failure} of a list, or {a: failure}.
func (r *reader) edgeItem(item *yaml.Node, usual graph.EdgeType, add func(name *yaml.Node, when string, kind graph.EdgeType)) {
	for i := 0; i < len(item.Content); i += 2 {
		if item.Content[i].Value == wordNode {
			when, kind, name := r.edgeValues(item, usual)
			if name != nil {
				add(name, when, kind)
			}
			return
		}
	}
	r.entries(item, "an edge", "", func(key, value *yaml.Node) {
		when, kind, _ := r.edgeValues(value, usual)
		add(key, when, kind)
	})
}

// composeConditions are the conditions of docker compose, with ours.
var composeConditions = map[string]string{"service_completed_successfully": "success"}

// edgeValues reads what an edge is besides its ends: a condition, or a mapping.
func (r *reader) edgeValues(n *yaml.Node, usual graph.EdgeType) (when string, kind graph.EdgeType, name *yaml.Node) {
	n, kind = resolve(n), usual
	switch n.Kind {
	case yaml.ScalarNode:
		if isNull(n) {
			return "", kind, nil
		}
		return textOf(n), kind, nil
	case yaml.SequenceNode:
		r.wrong(n, "write one condition: success, failure, done, exit:2, case:NAME, if:EXPR or else", "a condition is a text, and not a list")
		return "", kind, nil
	}
	r.entries(n, "an edge", "", func(key, value *yaml.Node) {
		switch key.Value {
		case wordNode:
			name = value
		case graph.AttrWhen:
			when, _ = r.text(key, value)
		case "condition":
			text, _ := r.text(key, value)
			if when = composeConditions[text]; when == "" {
				r.wrong(value, "write when: with success, failure, done, exit:2, case:NAME, if:EXPR or else", "the condition %s is unknown", shortened(text))
			}
		case wordType, attrType:
			text, _ := r.text(key, value)
			t, known := graph.ParseEdgeType(text)
			if !known {
				r.wrong(value, "write blocking or non-blocking", "the type %s of an edge is unknown", shortened(text))
			}
			kind = t
		default:
			r.wrong(key, "an edge has node, when and type", "%s is unknown", shortened(key.Value))
		}
	})
	return when, kind, name
}

// whenForAll gives the condition of a node to all edges that it waits for and that have none.
func (r *reader) whenForAll(n *yaml.Node, links []link) {
	text, ok := r.text(&yaml.Node{Value: graph.AttrWhen}, n)
	if !ok {
		return
	}
	used := false
	for i := range links {
		if l := &links[i]; !l.out {
			used = true
			if l.when == "" {
				l.when = text
			}
		}
	}
	if !used {
		r.wrong(resolve(n), "add after: NAME", "when is the condition of the edges to a node, and this node waits for none")
	}
}

// names makes the keys of the nodes of each flow unique.
func (r *reader) names() {
	for _, n := range r.wf.Nodes {
		home := n.home()
		if r.flow[home] == nil {
			r.flow[home] = map[string]*Node{}
		}
		if other := r.flow[home][n.Key]; other != nil {
			r.wrong(&yaml.Node{Line: n.Line, Column: n.Column}, "choose another name for one of them",
				"%s is the name of another node, too, in line %d", shortened(n.Key), other.Line)
			continue
		}
		r.flow[home][n.Key] = n
	}
}

// connect resolves the ends of edges.
func (r *reader) connect() {
	paths := map[string]*Node{}
	if slices.ContainsFunc(r.links, func(l link) bool { return strings.HasPrefix(l.to, "/") }) {
		for _, n := range r.wf.Nodes {
			paths[n.path()] = n
		}
	}
	r.wf.Edges = make([]Edge, 0, len(r.links))
	for _, l := range r.links {
		other := paths[l.to] // begins with a slash
		if other == nil {
			other = r.flow[l.node.home()][l.to]
		}
		if other == nil {
			r.noNode(l)
			continue
		}
		e := Edge{Source: other, Target: l.node, Type: l.kind, When: l.when, Line: l.at.Line, Column: l.at.Column}
		if l.out {
			e.Source, e.Target = l.node, other
		}
		if strings.TrimSpace(e.When) == "success" {
			e.When = ""
		}
		r.wf.Edges = append(r.wf.Edges, e)
	}
}

// path returns the path of a node, as in references.
func (n *Node) path() string {
	path := "/" + pathEscapes.Replace(n.Key)
	if n.Parent != nil {
		path = n.Parent.path() + path
	}
	return path
}

// noNode notes an edge whose other end does not exist in its flow.
func (r *reader) noNode(l link) {
	home := l.node.home()
	for _, n := range r.wf.Nodes {
		if n.Key != l.to {
			continue
		}
		if c := n.home(); c != nil && c != home {
			r.wrong(l.at, "name the container: "+c.Key, "%s lies in the container %s, which repeats, and no edge crosses its border",
				shortened(l.to), shortened(c.Key))
			return
		}
		r.wrong(l.at, "put the edge on the container "+home.Key, "%s lies outside of the container %s, which repeats, and no edge crosses its border",
			shortened(l.to), shortened(home.Key))
		return
	}
	best, remedy := spelling.Most+1, "the keys under nodes are the names"
	for name := range r.flow[home] {
		slips := spelling.Slips(strings.ToLower(name), strings.ToLower(l.to))
		if slips < best && slips < len(name) {
			best, remedy = slips, "did you mean "+name+"?"
		}
	}
	r.wrong(l.at, remedy, "there is no node %s", shortened(l.to))
}
